package render

import (
	"context"
	"errors"
	"sync"
)

// together does independent reads side by side and waits for all of them. The
// first failure ends the others. Of several the one that stands first is
// returned, so that a failure reads the same every time; one that was only ended
// by another's does not count.
func together(ctx context.Context, reads ...func(context.Context) error) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	errs := make([]error, len(reads))
	var all sync.WaitGroup
	for i, read := range reads {
		all.Go(func() {
			if errs[i] = read(ctx); errs[i] != nil {
				cancel()
			}
		})
	}
	all.Wait()
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
