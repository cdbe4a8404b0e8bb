package share

import (
	"context"
	"errors"
	"strings"

	"github.com/git-context/git-context/refs/fail"
	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/remote"
	"github.com/git-context/git-context/refs/replica"
	"github.com/git-context/git-context/refs/store"
)

// takeAll moves the local refs as planned. A merge that lost a race is not taken but made
// again; one that the remote refused is. again is set if a branch moved meanwhile, so that the
// remote does not have all of it.
func (ex *exchanger) takeAll(ctx context.Context, plan []*refAction, ours *remote.RefSet, again *bool) error {
	if !ex.merge {
		return nil
	}
	for next := 0; next < len(plan); {
		st := plan[next]
		var batch []*refAction
		for ; next < len(plan) && len(batch) < newBatch && plan[next].isNew() && plan[next].isTag() == st.isTag(); next++ {
			if !plan[next].isLeft() {
				batch = append(batch, plan[next])
			}
		}
		if len(batch) > 1 {
			made, left, err := ex.takeNew(ctx, batch)
			for _, st := range made {
				set(ours, git.Ref{Name: st.ref, ID: st.take})
			}
			if err != nil {
				return err
			}
			batch = left
		} else if len(batch) == 0 {
			if !st.isNew() {
				next++
			}
			if !st.isLeft() {
				batch = []*refAction{st}
			}
		}
		for _, st := range batch {
			if err := ex.takeOne(ctx, st, ours, again); err != nil {
				return err
			}
		}
	}
	return nil
}

// isLeft reports whether nothing is to be taken, or what is to be taken did not reach the remote.
func (st *refAction) isLeft() bool {
	return st.take == "" || st.late || st.of != nil && st.of.late
}

func (ex *exchanger) takeOne(ctx context.Context, st *refAction, ours *remote.RefSet, again *bool) error {
	t := takeover{ex: ex, step: st}
	if err := t.run(ctx); err != nil {
		return err
	}
	*again = *again || t.again
	if t.to != "" {
		set(ours, git.Ref{Name: st.ref, ID: t.to})
	}
	return nil
}

// takeover moves one local ref.
type takeover struct {
	ex    *exchanger
	step  *refAction
	ses   *store.Transaction
	have  git.ID // its present commit
	to    git.ID // its new commit; "" for no move
	again bool
	wait  store.Pending
}

func (t *takeover) run(ctx context.Context) error {
	st := t.step
	var lock []string
	if st.branch != "" {
		lock = append(lock, st.branch)
	}
	var err error
	if t.ses, err = t.ex.begin(ctx, lock...); err != nil {
		return err
	}
	defer t.ses.Close()
	if err := t.ses.Swap(ctx, t.build); err != nil || t.to == "" {
		return err
	}
	t.ex.merged(st.ref)
	if st.branch == "" {
		return nil
	}
	return t.finish(ctx)
}

// build makes one try:
//
//  1. the ref does not exist: make it, unless it was deleted meanwhile;
//  2. it is where the merge began: take the merge;
//  3. it moved: compare and merge again. That must be pushed again; a conflict is left to the next round.
func (t *takeover) build(ctx context.Context) error {
	s, st := t.ex.s, t.step
	t.to, t.again, t.have = "", false, ""
	var err error
	t.have, err = s.Repo().Ref(ctx, st.ref)
	switch {
	case errors.Is(err, git.ErrNotFound):
		return t.create(ctx)
	case err != nil:
		return err
	case (st.isWork() || st.isTag()) && t.have == st.ours:
		t.to = st.take
	case !t.ex.merge || st.isTag() || st.isWork(): // made meanwhile by another process; a tag never moves
		return store.ErrNothing
	case t.have == st.ours && st.merged != nil:
		t.to = st.merged.ID
	default:
		if err := t.compare(ctx); err != nil {
			return err
		}
	}
	if t.to == "" {
		return store.ErrNothing
	}
	if st.branch != "" {
		tip, err := s.TipAt(ctx, st.branch, t.have)
		if err != nil {
			return err
		}
		if t.wait, err = s.Pending(ctx, tip); err != nil {
			return err
		}
	}
	t.ses.Refs.Update(st.ref, t.to, t.have)
	return nil
}

func (t *takeover) create(ctx context.Context) error {
	st := t.step
	if st.ours != "" {
		return store.ErrNothing
	}
	if err := t.checkName(ctx); err != nil {
		if errors.Is(err, fail.ErrExists) {
			t.ex.warn("left alone: " + err.Error())
			return store.ErrNothing
		}
		return err
	}
	if st.branch != "" {
		if err := t.ex.s.DropLeftovers(ctx, st.branch); err != nil {
			return err
		}
	}
	t.to = st.take
	t.ses.Refs.Update(st.ref, t.to, "")
	return nil
}

// checkName returns fail.ErrExists for a name that clashes with a local one.
func (t *takeover) checkName(ctx context.Context) error {
	switch {
	case t.step.branch != "":
		return t.ex.s.CheckNewName(ctx, t.step.branch)
	case t.step.isTag():
		return t.ex.s.CheckNewTag(ctx, strings.TrimPrefix(t.step.ref, git.TagPrefix))
	}
	return nil
}

// compare decides about a ref that has moved since the plan, or is only behind.
func (t *takeover) compare(ctx context.Context) error {
	st := t.step
	how, bases, err := t.ex.relation(ctx, st.ref, t.have, st.take)
	if err == nil && how == replica.Diverged && st.push == "" {
		how, err = t.ex.reconcile(ctx, t.have, st.take)
	}
	switch {
	case err != nil:
		return err
	case how == replica.Behind:
		t.to = st.take
	case how == replica.Diverged:
		t.again = true
		now := &refAction{ref: st.ref, branch: st.branch, ours: t.have}
		roadmap, err := t.ex.s.RoadmapTip(ctx)
		if err != nil {
			return err
		}
		if err := t.ex.mergeRef(ctx, t.ses, now, st.take, bases, roadmap); err != nil {
			return err
		}
		t.to = now.take
	case how == replica.Ahead && t.ex.push:
		t.again = true
	}
	return nil
}

// finish makes a new branch's journal, and marks the journal of one that moved.
func (t *takeover) finish(ctx context.Context) error {
	s, branch := t.ex.s, t.step.branch
	tip, err := s.TipAt(ctx, branch, t.to)
	if err != nil {
		return err
	}
	meta, err := tip.Metadata(ctx)
	if err != nil {
		return err
	}
	t.ex.res.Steps += meta.Totals().Steps
	if t.have == "" {
		return s.MakeJournal(ctx, branch)
	}
	old, err := s.TipAt(ctx, branch, t.have)
	if err != nil {
		return err
	}
	if meta, err = old.Metadata(ctx); err != nil {
		return err
	}
	t.ex.res.Steps -= meta.Totals().Steps
	newest, err := tip.NewestEntry(ctx)
	if err != nil {
		return err
	}
	if t.wait, err = s.Arrived(ctx, t.wait, old, tip); err != nil {
		return err
	}
	mark := t.ses.Mark(ctx, branch, t.wait.Untouched(), t.to, 0, newest)
	t.ex.res.Warnings = append(t.ex.res.Warnings, t.ses.LateWarnings(mark, nil)...)
	return nil
}

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
