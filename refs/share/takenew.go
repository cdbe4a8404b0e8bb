package share

import (
	"context"
	"strings"

	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/store"
)

// newBatch is the number of new branches or tags that one transaction makes. A lock is held for each of them, which is
// an open file.
const newBatch = 200

// takeNew makes branches, or tags, that are not here, many in one transaction: git starts once for all of them. It returns
// those that it left to be taken one by one: they exist by now, or the transaction failed, in which case it made
// none of them.
func (ex *exchanger) takeNew(ctx context.Context, steps []*refAction) (made, left []*refAction, err error) {
	prefix, names := git.BranchPrefix, make([]string, len(steps))
	if steps[0].isTag() {
		prefix = git.TagPrefix
	}
	for i, st := range steps {
		names[i] = strings.TrimPrefix(st.ref, prefix)
	}
	var locked []string
	if prefix == git.BranchPrefix {
		locked = names
	}
	ses, err := ex.begin(ctx, locked...)
	if err != nil {
		return nil, nil, err
	}
	defer ses.Close()
	err = ses.Swap(ctx, func(ctx context.Context) error {
		made, left = nil, nil
		free, err := ex.s.NewNames(ctx, prefix, names)
		if err != nil {
			return err
		}
		for i, st := range steps {
			if !free[names[i]] {
				left = append(left, st)
				continue
			}
			if st.branch != "" {
				if err := ex.s.DropLeftovers(ctx, st.branch); err != nil {
					return err
				}
			}
			ses.Refs.Update(st.ref, st.take, "")
			made = append(made, st)
		}
		if len(made) == 0 {
			return store.ErrNothing
		}
		return nil
	})
	if err != nil {
		if ctx.Err() != nil {
			return nil, nil, err
		}
		return nil, steps, nil // the one that git refuses is found when it is taken alone
	}
	for _, st := range made {
		t := takeover{ex: ex, step: st, ses: ses, to: st.take}
		ex.merged(st.ref)
		if st.branch == "" {
			continue
		}
		if err := t.finish(ctx); err != nil {
			return made, nil, err
		}
	}
	return made, left, nil
}

// isNew reports whether the step makes a branch or a tag that is not here.
func (st *refAction) isNew() bool { return (st.branch != "" || st.isTag()) && st.ours == "" }
