package capture

import (
	"context"
	"errors"
	"slices"

	"github.com/git-context/git-context/refs/fail"
	"github.com/git-context/git-context/refs/store"
)

// unforgotten is what was read without the steps that were expunged since an attempt that may have recorded them. Then the turns
// tell nothing, because their words may quote these.
func (c *capturing) unforgotten(got read) (read, error) {
	gone, err := c.s.ForgottenSources()
	if err != nil || len(gone) == 0 {
		return got, err
	}
	all := len(got.steps)
	got.steps = slices.DeleteFunc(got.steps, func(step store.NewStep) bool { return gone[store.SourceHash(step.Source)] })
	if len(got.steps) < all {
		got.turns, got.cut, got.stopped = nil, nil, false
	}
	return got, nil
}

// elsewhere drops the steps that an attempt without an end recorded on another branch than the current one.
func (c *capturing) elsewhere(ctx context.Context, steps []store.NewStep) ([]store.NewStep, error) {
	now, err := c.s.Current(ctx)
	if err != nil || c.state.On == "" || c.state.On == now {
		return steps, err
	}
	known := map[string]bool{}
	err = c.s.EachSource(ctx, c.state.On, func(source string) { known[source] = true })
	if err != nil && !errors.Is(err, fail.ErrNotFound) { // the branch may be gone
		return nil, err
	}
	return slices.DeleteFunc(steps, func(step store.NewStep) bool { return known[step.Source] }), nil
}
