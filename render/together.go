package render

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
)

// together runs independent reads concurrently and waits for all of them. The first failure
// cancels the others. Of several errors it returns that of the first read in order, so that
// the result is deterministic; errors that the cancellation caused do not count.
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
		panic(*p) // in the goroutine of the caller, who may recover
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
