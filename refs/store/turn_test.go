package store_test

import (
	"context"
	"testing"
	"time"

	"github.com/git-context/git-context/refs"
	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/internal/memtest"
	"github.com/git-context/git-context/refs/share"
	"github.com/git-context/git-context/refs/store"
)

// A writer that loses every race takes the turn. If another process keeps the turn, the writer
// goes on without it.
func TestLoserOfRacesTakesTheTurn(t *testing.T) {
	r := memtest.New(t)
	ctx := t.Context()
	memtest.OK(share.Init(ctx, r.Open(), share.InitOptions{}))(t)
	s := memtest.OK(refs.Open(ctx, store.Options{Dir: r.Dir, Env: r.Env, Now: time.Now, LockWait: time.Millisecond}))(t)
	t.Cleanup(func() { s.Close() })
	repo := r.Open().Repo()
	race := func(lost func(try int) bool) error {
		tx := memtest.OK(s.Begin(ctx, store.Writer{}, "race"))(t)
		defer tx.Close()
		try := 0
		return tx.Swap(ctx, func(context.Context) error {
			if try++; lost(try) {
				return git.ErrStale
			}
			return store.ErrNothing
		})
	}
	free := func(int) bool {
		turn, free, err := repo.TryLock(store.TurnLock)
		r.Must(err)
		if free {
			r.Must(turn.Unlock())
		}
		return free
	}
	if err := race(free); err != nil {
		t.Errorf("beside a rival that waits for the turn: %v", err)
	}
	if !free(0) {
		t.Error("the turn is kept")
	}
	held, _, err := repo.TryLock(store.TurnLock)
	r.Must(err)
	if err := race(func(try int) bool { return try < 20 }); err != nil {
		t.Errorf("behind a turn that does not end: %v", err)
	}
	r.Must(held.Unlock())
}
