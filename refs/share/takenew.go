package share

import (
	"context"

	"github.com/git-context/git-context/refs/prose"
	"github.com/git-context/git-context/refs/store"
)

// newBatch is the number of new branches that one transaction makes. A lock is held for each of them, which is
// an open file.
const newBatch = 200

// takeNew makes branches that are not here, many in one transaction: git starts once for all of them. It returns
// those that it left to be taken one by one: they exist by now, or the transaction failed, in which case it made
// none of them.
func (ex *exchanger) takeNew(ctx context.Context, steps []*refAction) (made, left []*refAction, err error) {
	names := make([]string, len(steps))
	for i, st := range steps {
		names[i] = st.branch
	}
	ses, err := ex.s.Begin(ctx, ex.o.Writer, "sync: "+prose.OneLine(ex.peer.Name, 100), names...)
	if err != nil {
		return nil, nil, err
	}
	defer ses.Close()
	err = ses.Swap(ctx, func(ctx context.Context) error {
		made, left = nil, nil
		free, err := ex.s.NewNames(ctx, names)
		if err != nil {
			return err
		}
		for _, st := range steps {
			if !free[st.branch] {
				left = append(left, st)
				continue
			}
			if err := ex.s.DropLeftovers(ctx, st.branch); err != nil {
				return err
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
		if err := t.finish(ctx); err != nil {
			return made, nil, err
		}
	}
	return made, left, nil
}

// isNewBranch reports whether the step makes a branch that is not here.
func (st *refAction) isNewBranch() bool { return st.branch != "" && st.ours == "" }
