package store_test

import (
	"testing"

	"github.com/git-context/git-context/notes"
	"github.com/git-context/git-context/refs/internal/memtest"
	"github.com/git-context/git-context/refs/share"
	"github.com/git-context/git-context/refs/store"
)

// A milestone whose note had to wait, because somebody else held the lock, gets it with
// the next one, also where that one is judged at once.
func TestNotesThatWaitedAreFoldedWithAJudgement(t *testing.T) {
	t.Parallel()
	s, ctx := memtest.New(t).Open(), t.Context()
	memtest.OK(share.Init(ctx, s, share.InitOptions{}))(t)
	lock, _, err := s.Repo().TryLock(notes.LockName)
	if err != nil {
		t.Fatal(err)
	}
	waits := memtest.OK(s.Commit(ctx, store.CommitOptions{Summary: "Waits"}))(t)
	if err := lock.Unlock(); err != nil {
		t.Fatal(err)
	}
	score := 0.5
	memtest.OK(s.Commit(ctx, store.CommitOptions{Summary: "Judged", Judging: store.Judgement{Score: &score}}))(t)
	if n := memtest.OK(s.Note(ctx, waits.ID))(t); len(n.Facts) != 1 {
		t.Errorf("the note of the first: %s", n.Facts)
	}
}
