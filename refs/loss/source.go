package loss

import (
	"context"
	"slices"

	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/store"
)

// OfSource finds what a branch has lost that is to be merged into another one, r.Have. The commits of the range are those that
// the target lacks. Topics and keys are followed through the first commits of branches, too: what was lost below
// one would leave the target. What is not clear is decided, see Range.Judge.
func OfSource(ctx context.Context, s *store.Store, r Range) (*Branch, error) {
	r.Judge = true
	f := newFinder(s, r)
	b := newBranch()
	all, err := f.order(ctx, func(context.Context, git.ID) (bool, error) { return true, nil })
	if err != nil {
		return nil, err
	}
	kept, err := b.follow(ctx, f, all)
	if err != nil {
		return nil, err
	}
	own := map[git.ID]bool{} // not below a birth
	list, err := f.order(ctx, func(ctx context.Context, id git.ID) (bool, error) {
		birth, err := f.isBirth(ctx, id)
		return !birth, err
	})
	if err != nil {
		return nil, err
	}
	for _, id := range list {
		own[id] = true
	}
	for _, id := range all {
		for _, p := range r.News[id].Parents {
			if own[id] {
				_, err = b.compare(ctx, f, kept, id, p)
			} else {
				at := [2]git.ID{id, p}
				err = b.add(ctx, f, id, p, tally{keys: len(kept.keys.lost[at])}, slices.Clone(kept.topics.lost[at]))
			}
			if err != nil {
				return nil, err
			}
		}
	}
	slices.Reverse(b.Causes)
	if err := b.settle(ctx, f); err != nil {
		return nil, err
	}
	return b, b.dropPresent(ctx, f)
}
