package store

import (
	"context"
	"fmt"

	"github.com/git-context/git-context/refs/fail"
	"github.com/git-context/git-context/refs/journal"
)

// Unrecord takes back the last pending step of the current branch, whoever recorded it, and
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
		"git context --log")
}
