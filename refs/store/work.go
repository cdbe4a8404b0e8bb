package store

import (
	"context"
	"errors"
	"strings"

	"github.com/git-context/git-context/refs/git"
)

// Uncommitted code is handed over as a commit in the form of an entry of git stash, see
// [git.Stash]. The trailer Context-Work of a COMMIT names it, and every commit without an entry
// repeats the trailer, so that the tip alone says whether the newest COMMIT handed code over. The ref
// [git.WorkRef] of the branch keeps it. The next COMMIT has no such trailer: then nothing is on offer.

// MaxWork is the most bytes that handed over code may have, uncompressed.
const MaxWork = 10 << 20

// WorkSubject ends the subject of a commit of handed over code.
const WorkSubject = ": git context handover"

// WorkMessage is what git stash makes such a subject of.
func WorkMessage() string { return strings.TrimPrefix(WorkSubject, ": ") }

// WorkOf returns the code that was handed over with the newest COMMIT of a branch, by its tip; "" for none.
func WorkOf(tip *git.Commit) git.ID {
	if id := tip.Trailer(TrailerWork); git.IsID(id) {
		return git.ID(id)
	}
	return ""
}

// queueWork queues the ref of handed over code. A branch has one.
func (tx *Transaction) queueWork(ctx context.Context, branch string, work git.ID) error {
	ref := git.WorkRef(branch)
	old, err := tx.Store.repo.Ref(ctx, ref)
	if err != nil && !errors.Is(err, git.ErrNotFound) {
		return err
	}
	if old != work {
		tx.Refs.Update(ref, work, old)
	}
	return nil
}

// queueMoveWork queues that the code handed over with a branch is kept under another name, or "": no more.
func (tx *Transaction) queueMoveWork(ctx context.Context, branch, to string) error {
	id, err := tx.Store.repo.Ref(ctx, git.WorkRef(branch))
	if errors.Is(err, git.ErrNotFound) {
		return nil
	}
	if err == nil && to != "" {
		err = tx.queueWork(ctx, to, id)
	}
	if err == nil {
		tx.Refs.Delete(git.WorkRef(branch), id)
	}
	return err
}

// OffersWork reports whether the newest COMMIT of a branch handed code over; false for a branch that does not exist.
func (s *Store) OffersWork(ctx context.Context, branch string, work git.ID) (bool, error) {
	tip, err := s.repo.Ref(ctx, git.BranchRef(branch))
	if errors.Is(err, git.ErrNotFound) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	c, err := s.repo.Commit(ctx, tip)
	return err == nil && WorkOf(c) == work, err
}
