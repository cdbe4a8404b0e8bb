package store

import (
	"bytes"
	"cmp"
	"context"
	"fmt"

	"github.com/git-context/git-context/notes"
	"github.com/git-context/git-context/refs/doc"
	"github.com/git-context/git-context/refs/fail"
	"github.com/git-context/git-context/refs/git"
)

// Amend replaces the newest COMMIT of a branch by one with the same parent, with the steps of
// the old one and those that are pending. Texts that o lacks are the old ones. It asks allow
// whether the commit may be replaced, each time that it reads the branch.
//
// The branch, the roadmap if it is revised, and the notes move in one transaction: what was
// noted of the old commit is noted of the new one. The old commit stays in the reflog.
func (s *Store) Amend(ctx context.Context, o CommitOptions, allow func(context.Context, *LastChange) error) (CommitResult, error) {
	listed, err := s.CheckRevision(ctx, o.Roadmap)
	if err != nil {
		return CommitResult{}, err
	}
	judged, err := s.checkJudgement(ctx, &o.Judging)
	if err != nil {
		return CommitResult{}, err
	}
	res, err := OnBranch(ctx, s, o.Branch, func(branch string) (CommitResult, error) {
		return s.amendOn(ctx, branch, o, allow)
	})
	res.Replaced = res.Replaced || listed || judged
	return res, err
}

func (s *Store) amendOn(ctx context.Context, branch string, o CommitOptions,
	allow func(context.Context, *LastChange) error) (CommitResult, error) {
	tx, err := s.Begin(ctx, o.Writer, "commit: amend", branch)
	if err != nil {
		return CommitResult{}, err
	}
	defer tx.Close()
	lock, err := s.repo.Lock(ctx, notes.LockName)
	if err != nil {
		return CommitResult{}, err
	}
	defer lock.Unlock()
	var done committed
	replaced, w := false, tx.Writer
	err = tx.Swap(ctx, func(ctx context.Context) (err error) {
		tx.Writer = w
		done, replaced, err = tx.buildAmended(ctx, branch, o, allow)
		return err
	})
	if err != nil {
		return CommitResult{}, err
	}
	res := done.result(branch)
	mark := tx.Mark(ctx, branch, done.pending, done.Commit.ID, done.lastStep, done.entry.ID)
	res.Warnings, res.Replaced = append(done.warnings, tx.LateWarnings(mark, nil)...), replaced
	return res, nil
}

// buildAmended makes one attempt on the present tip.
func (tx *Transaction) buildAmended(ctx context.Context, branch string, o CommitOptions,
	allow func(context.Context, *LastChange) error) (d committed, replaced bool, err error) {
	tip, err := tx.Store.Tip(ctx, branch)
	if err != nil {
		return d, false, err
	}
	last, err := tx.Store.LastChange(ctx, tip)
	if err != nil {
		return d, false, err
	}
	if last.Entry == nil {
		return d, false, fail.New(fail.ErrRefused, fail.NotUndone, fmt.Sprintf("the newest change of branch '%s' is no commit: %s",
			branch, last.Commit.Subject()), "git context undo", "git context commit -m SUMMARY")
	}
	if err := allow(ctx, last); err != nil {
		return d, false, err
	}
	o.complete(*last.Entry)
	o.Work = WorkOf(last.Commit)
	if replaced, err = tx.Store.CheckEntry(ctx, &o.Summary, &o.Contribution, &o.Progress); err != nil {
		return d, false, err
	}
	w := &tx.Writer
	w.Session, w.Model = cmp.Or(w.Session, last.Entry.Session), cmp.Or(w.Model, last.Entry.Model)
	w.Tokens = cmp.Or(w.Tokens, last.Entry.Tokens)
	p, err := tx.Store.Pending(ctx, tip)
	if err != nil {
		return d, false, err
	}
	if d, err = tx.buildOn(ctx, last.Parent, p, last, o); err != nil {
		return d, false, err
	}
	return d, replaced, tx.carryNote(ctx, last.Commit.ID, d.Commit, o.Judging)
}

// complete takes the texts that o lacks from a former entry. A contribution that only
// repeated the summary does not outlive it.
func (o *CommitOptions) complete(m doc.Commit) {
	if o.Contribution == "" && m.Contribution != m.Summary {
		o.Contribution = m.Contribution
	}
	o.Summary, o.Progress = cmp.Or(o.Summary, m.Summary), cmp.Or(o.Progress, m.Progress)
}

// carryNote queues the note of a commit that replaces another: what was noted of that one,
// and a judgement. The note of the old commit stays with it, for who finds it in a reflog.
// The caller holds the lock of the notes.
func (tx *Transaction) carryNote(ctx context.Context, from git.ID, to *git.Commit, j Judgement) error {
	old, err := notes.Read(ctx, tx.Store.repo, from)
	if err != nil {
		return err
	}
	var carried []byte
	for line := range bytes.Lines(old) {
		if f := notes.Parse(line); len(f) != 1 || f[0].Kind != notes.KindCommit {
			carried = append(append(carried, bytes.TrimSuffix(line, []byte("\n"))...), '\n')
		}
	}
	if lazy, err := tx.Store.LazyNotes(ctx); err != nil || lazy && len(carried) == 0 && j.Empty() {
		return err
	}
	u, _, err := tx.facts(ctx, FoldWalk, to)
	if err != nil {
		return err
	}
	if err := u.Add(ctx, to.ID, carried); err != nil {
		return err
	}
	note, err := tx.judge(ctx, u, to, j)
	if err != nil {
		return err
	}
	tx.tellNote(to.ID, note)
	_, err = tx.QueueNotes(ctx, u, "context: note "+to.ID.Short())
	return err
}
