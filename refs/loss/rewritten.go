package loss

import (
	"context"
	"slices"

	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/store"
)

// rewritten records the entries that this repository's branch has and that the tip, which does not descend from
// it, has with another content. No commit that came has changed them, since none of their parents has them as they
// are here; but the union of both sides keeps the bytewise smaller content, which who pushes can choose. An entry
// that itself came to be as it is here by a change is not kept.
func (b *Branch) rewritten(ctx context.Context, f *finder, commits []git.ID) error {
	if diverged, err := f.diverged(ctx, commits); !diverged || err != nil {
		return err
	}
	now, err := f.tree(ctx, f.Tip)
	if err != nil || now == "" {
		return err
	}
	before, err := f.tree(ctx, f.Have)
	if err != nil || before == "" {
		return err
	}
	var changed [2]int
	for i, k := range kinds() {
		list, err := f.missing(ctx, k, now, before)
		if err != nil {
			return err
		}
		for _, e := range list {
			if !e.changed || f.Gone.HasEntry(string(e.key.ID[:])) {
				continue
			}
			if kept, err := f.defends(ctx, k, e); !kept || err != nil {
				if err != nil {
					return err
				}
				continue
			}
			b.changed[string(e.key.ID[:])] = true
			b.entries[i][e.key.ID] = e
			changed[i]++
		}
	}
	return b.add(ctx, f, f.Tip, f.Have, tally{steps: changed[0], commits: changed[1]}, nil)
}

// defends reports whether the content of an entry here is the one with which it came into the history, and not
// what an expunge that was refused since has left of it.
func (f *finder) defends(ctx context.Context, k store.EntryKind, e lostEntry) (bool, error) {
	if shown, err := f.shown(ctx, k, f.Tip, e); shown || err != nil {
		return false, err
	}
	return f.cameAs(ctx, k, f.Have, e.key)
}

// diverged reports whether this repository's commit has what the tip lacks. Mostly it is a parent of one of the
// commits that came, so that git need not be asked.
func (f *finder) diverged(ctx context.Context, commits []git.ID) (bool, error) {
	if f.Have == "" || f.Have == f.Tip {
		return false, nil
	}
	for _, id := range commits {
		if slices.Contains(f.News[id].Parents, f.Have) {
			return false, nil
		}
	}
	is, err := f.s.Repo().IsAncestor(ctx, f.Have, f.Tip)
	return !is, err
}
