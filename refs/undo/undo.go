package undo

import (
	"context"

	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/store"
)

// Result is what Undo did.
type Result struct {
	Commit  git.ID `json:"commit"` // at which the branch is now
	Branch  string `json:"branch"`
	Undone  Undone `json:"undone"`
	Pending int    `json:"pending"` // steps, now

	Steps    store.StepRange `json:"-"` // those of the commit that was undone
	Revised  bool            `json:"-"` // the commit revised the roadmap, which stays as it is
	Warnings []string        `json:"-"`
}

// Undone is the change that was taken back.
type Undone struct {
	Commit  git.ID  `json:"commit"`
	ID      *string `json:"id"` // of its entry; nil for a change that was no COMMIT
	Summary string  `json:"summary"`
}

// Undo takes back the newest change of the current branch: a COMMIT, whose steps are pending
// again with their ids, numbers, times and texts, or a change of topics or metadata. The
// branch moves to the commit before. The roadmap, which all branches share, stays as it is;
// the note of the commit stays with it.
//
// The error is fail.ErrRefused for a change of another kind, and for one that was shared or
// is needed.
func Undo(ctx context.Context, s *store.Store, w store.Writer) (Result, error) {
	return store.OnBranch(ctx, s, "", func(branch string) (Result, error) { return undoOn(ctx, s, branch, w) })
}

func undoOn(ctx context.Context, s *store.Store, branch string, w store.Writer) (Result, error) {
	tx, err := s.Begin(ctx, w, "undo", branch)
	if err != nil {
		return Result{}, err
	}
	defer tx.Close()
	var l *store.LastChange
	var p store.Pending
	err = tx.Swap(ctx, func(ctx context.Context) (err error) {
		l, p, err = takeBack(ctx, tx, branch)
		return err
	})
	if err != nil {
		return Result{}, err
	}
	res := resultOf(l)
	var mark error
	if len(l.Steps) == 0 {
		mark = tx.Mark(ctx, branch, p.Untouched(), res.Commit, 0, "")
	}
	if p, err = s.Pending(ctx, l.Parent); err != nil {
		return res, err
	}
	res.Pending, res.Warnings = len(p.Lines), tx.LateWarnings(mark, nil)
	return res, nil
}

// takeBack makes one attempt on the present tip.
func takeBack(ctx context.Context, tx *store.Transaction, branch string) (*store.LastChange, store.Pending, error) {
	tip, err := tx.Store.Tip(ctx, branch)
	if err != nil {
		return nil, store.Pending{}, err
	}
	l, err := tx.Store.LastChange(ctx, tip)
	if err != nil {
		return nil, store.Pending{}, err
	}
	if err := check(ctx, tx.Store, l); err != nil {
		return nil, store.Pending{}, err
	}
	p, err := tx.Store.Pending(ctx, tip)
	if err != nil {
		return nil, p, err
	}
	if len(l.Steps) > 0 {
		if err := tx.Restore(ctx, l, p); err != nil {
			return nil, p, err
		}
	}
	tx.Refs.Update(git.BranchRef(branch), l.Parent.Commit().ID, l.Commit.ID)
	return l, p, nil
}

func resultOf(l *store.LastChange) Result {
	res := Result{Commit: l.Parent.Commit().ID, Branch: l.Branch, Revised: l.Revised(),
		Undone: Undone{Commit: l.Commit.ID, Summary: l.Commit.Subject()}}
	if l.Entry != nil {
		res.Undone.ID, res.Undone.Summary = &l.Entry.ID, l.Entry.Summary
		res.Steps = store.StepRange(l.Entry.Steps)
	}
	return res
}
