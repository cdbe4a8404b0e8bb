package store

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/git-context/git-context/refs/doc"
	"github.com/git-context/git-context/refs/fail"
	"github.com/git-context/git-context/refs/journal"
)

// Unrecord takes back the last pending step of the current branch, of any agent, and
// returns it. The other steps keep their ids and numbers. Its text is gone: nothing but the
// journal contained it. fail.ErrRefused where nothing is pending.
func (s *Store) Unrecord(ctx context.Context, w Writer) (Recorded, error) {
	return OnBranch(ctx, s, "", func(branch string) (Recorded, error) { return s.unrecordOn(ctx, branch, w) })
}

// unrecordOn holds the branch's lock, because a COMMIT that is under way has read the journal.
func (s *Store) unrecordOn(ctx context.Context, branch string, w Writer) (Recorded, error) {
	tx, err := s.Begin(ctx, w, "record: undo", branch)
	if err != nil {
		return Recorded{}, err
	}
	defer tx.Close()
	tip, err := s.Tip(ctx, branch)
	if err != nil {
		return Recorded{}, err
	}
	p, err := s.Pending(ctx, tip)
	if err != nil {
		return Recorded{}, err
	}
	if len(p.Lines) == 0 {
		return Recorded{}, nothingPending(branch)
	}
	j, err := journal.Open(ctx, s.JournalPath(branch), s.JournalOptions())
	if err != nil {
		return Recorded{}, err
	}
	defer j.Close()
	head := journal.Head{Committed: string(tip.commit.ID)}
	if head.Journal, err = s.NewID(""); err != nil {
		return Recorded{}, err
	}
	line, err := j.TakeBack(head, p.from)
	if err != nil {
		return Recorded{}, err
	}
	return Recorded{ID: line.ID, Step: line.Step, Branch: branch}, nil
}

func nothingPending(branch string) error {
	return fail.New(fail.ErrRefused, fail.NothingPending, fmt.Sprintf("no step is pending on branch '%s'", branch),
		"git context undo", "git context --log")
}

// Restore makes the steps of a branch's newest commit pending for the commit before it, in
// front of those that are pending now. The branch is to move there next; until it does, and
// if it never does, the steps count as committed.
func (tx *Transaction) Restore(ctx context.Context, l *LastChange, p Pending) (err error) {
	staged, err := tx.Store.restage(ctx, tx.Store.TipOf(l.Branch, l.Commit), l.Steps)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, staged()) }()
	var lines [][]byte
	for i := range l.Steps {
		line, err := json.Marshal(lineOf(&l.Steps[i]))
		if err != nil {
			return err
		}
		lines = append(lines, line)
	}
	s := tx.Store
	j, err := journal.Open(ctx, s.JournalPath(l.Branch), s.JournalOptions())
	if errors.Is(err, journal.ErrMissing) {
		if err := s.MakeJournal(ctx, l.Branch); err != nil {
			return err
		}
		j, err = journal.Open(ctx, s.JournalPath(l.Branch), s.JournalOptions())
	}
	if err != nil {
		return err
	}
	defer j.Close()
	head := journal.Head{Committed: string(l.Parent.commit.ID)}
	if head.Journal, err = s.NewID(""); err != nil {
		return err
	}
	return j.Restore(head, string(l.Commit.ID), lines, p.from)
}

// lineOf returns a step of a document as a line of the journal, which AsStep reads back.
func lineOf(s *doc.Step) EntryLine {
	return EntryLine{
		Time: s.Time, Agent: s.Agent, Session: s.Session, Model: s.Model, Tokens: s.Tokens, Source: s.Source,
		Observation: s.Observation, Thought: s.Thought, Action: s.Action, Attachments: s.Attachments, Step: s.Number, ID: s.ID,
	}
}
