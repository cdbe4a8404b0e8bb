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

// mostBranches is how many branches of a session are known.
const mostBranches = 8

// attempt notes that steps are being recorded on the current branch.
func (c *capturing) attempt(ctx context.Context) error {
	now, err := c.s.Current(ctx)
	if err != nil {
		return err
	}
	if c.state.Attempt = true; !c.again || c.state.On == "" {
		c.state.On = now
	}
	c.state.Branches = append(slices.DeleteFunc(c.state.Branches, func(name string) bool { return name == now }), now)
	c.state.Branches = c.state.Branches[max(0, len(c.state.Branches)-mostBranches):]
	return c.write()
}

// elsewhere drops the steps of the session that were recorded on other branches than the current one: Record
// compares with that alone, whose log begins empty.
func (c *capturing) elsewhere(ctx context.Context, steps []store.NewStep) ([]store.NewStep, error) {
	now, err := c.s.Current(ctx)
	if err != nil {
		return nil, err
	}
	known := map[string]bool{}
	for _, name := range slices.Compact(slices.Sorted(slices.Values(append(slices.Clone(c.state.Branches), c.state.On)))) {
		if name == now || name == "" {
			continue
		}
		err := c.s.EachSource(ctx, name, func(source string) { known[source] = true })
		if err != nil && !errors.Is(err, fail.ErrNotFound) { // the branch may be gone
			return nil, err
		}
	}
	return slices.DeleteFunc(steps, func(step store.NewStep) bool { return known[step.Source] }), nil
}
