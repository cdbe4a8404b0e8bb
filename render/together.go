package render

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
)

// together does independent reads side by side and waits for all of them. The
// first failure ends the others. Of several the one that stands first is
// returned, so that a failure reads the same every time; one that was only ended
// by another's does not count.
func together(ctx context.Context, reads ...func(context.Context) error) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	errs := make([]error, len(reads))
	var broke atomic.Pointer[any]
	var all sync.WaitGroup
	for i, read := range reads {
		all.Go(func() {
			defer func() {
				if p := recover(); p != nil {
					broke.Store(&p)
					cancel()
				}
			}()
			if errs[i] = read(ctx); errs[i] != nil {
				cancel()
			}
		})
	}
	all.Wait()
	if p := broke.Load(); p != nil {
		panic(*p) // where the caller's own recover finds it
	}
	var ended error
	for _, err := range errs {
		if err != nil && !errors.Is(err, context.Canceled) {
			return err
		}
		if ended == nil {
			ended = err
		}
	}
	return ended
}
