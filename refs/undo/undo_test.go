package undo_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"

	"github.com/git-context/git-context/refs/fail"
	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/history"
	"github.com/git-context/git-context/refs/internal/memtest"
	"github.com/git-context/git-context/refs/share"
	"github.com/git-context/git-context/refs/store"
	"github.com/git-context/git-context/refs/undo"
)

func begin(t *testing.T) (*memtest.Repo, *store.Store) {
	t.Helper()
	r := memtest.New(t)
	s := r.Open()
	memtest.OK(share.Init(t.Context(), s, share.InitOptions{}))(t)
	return r, s
}

func record(t *testing.T, s *store.Store, steps ...store.NewStep) []store.Recorded {
	t.Helper()
	return memtest.OK(s.Record(t.Context(), steps))(t)
}

// stands compares how many steps stand on main, and how many of them are pending.
func stands(t *testing.T, s *store.Store, total, pending int) {
	t.Helper()
	tip := memtest.OK(s.Tip(t.Context(), "main"))(t)
	_, n, err := history.Steps(t.Context(), s, tip, 0, 1000)
	if err != nil || n != total {
		t.Errorf("%d steps, want %d; %v", n, total, err)
	}
	if p := memtest.OK(s.Pending(t.Context(), tip))(t); len(p.Lines) != pending {
		t.Errorf("%d steps are pending, want %d", len(p.Lines), pending)
	}
}

// A kill between the journal and the ref leaves the commit as it was, whatever comes next.
func TestRestoredAndNotMoved(t *testing.T) {
	t.Parallel()
	for name, next := range map[string]func(*testing.T, *memtest.Repo, *store.Store){
		"nothing": func(*testing.T, *memtest.Repo, *store.Store) {},
		"a topic": func(_ *testing.T, r *memtest.Repo, _ *store.Store) { r.Remember("main", "k", "v") },
		"the undo": func(t *testing.T, r *memtest.Repo, s *store.Store) {
			memtest.OK(undo.Undo(t.Context(), s, store.Writer{}))(t)
			stands(t, s, 3, 3)
			r.Commit("main", "Again")
			record(t, s, store.NewStep{Action: "three"})
			memtest.OK(s.Unrecord(t.Context(), store.Writer{}))(t)
			record(t, s, store.NewStep{Action: "three"})
			memtest.OK(undo.Amend(t.Context(), s, store.CommitOptions{}))(t)
			memtest.OK(undo.Undo(t.Context(), s, store.Writer{}))(t)
			r.Commit("main", "And again")
			stands(t, s, 4, 0)
			record(t, s, store.NewStep{Action: "four"})
			memtest.OK(s.Unrecord(t.Context(), store.Writer{}))(t)
			memtest.OK(undo.Undo(t.Context(), s, store.Writer{}))(t)
			memtest.OK(s.Unrecord(t.Context(), store.Writer{}))(t)
			memtest.OK(s.Unrecord(t.Context(), store.Writer{}))(t)
			r.Commit("main", "Two of them")
			record(t, s, store.NewStep{Action: "three"})
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r, s := begin(t)
			record(t, s, store.NewStep{Action: "one"}, store.NewStep{Action: "two"})
			r.Commit("main", "Taken")
			record(t, s, store.NewStep{Action: "pending"})
			restoreOnly(t, s)
			stands(t, s, 3, 1)
			next(t, r, s)
			stands(t, s, 3, 1)
			r.Commit("main", "Next")
			stands(t, s, 3, 0)
			r.Fsck()
		})
	}
}

// restoreOnly is an undo that is killed before the ref moves.
func restoreOnly(t *testing.T, s *store.Store) {
	t.Helper()
	ctx := t.Context()
	tx := memtest.OK(s.Begin(ctx, store.Writer{}, "undo", "main"))(t)
	defer tx.Close()
	tip := memtest.OK(s.Tip(ctx, "main"))(t)
	l := memtest.OK(s.LastChange(ctx, tip))(t)
	p := memtest.OK(s.Pending(ctx, tip))(t)
	if err := tx.Restore(ctx, l, p); err != nil {
		t.Fatal(err)
	}
}

// What was undone and comes back, as from a bundle, is committed again and not twice.
func TestUndoneComesBack(t *testing.T) {
	t.Parallel()
	r, s := begin(t)
	record(t, s, store.NewStep{Action: "one"}, store.NewStep{Action: "two"})
	was := r.CommitHash("main", "Taken")
	memtest.OK(undo.Undo(t.Context(), s, store.Writer{}))(t)
	record(t, s, store.NewStep{Action: "three"})
	stands(t, s, 3, 3)
	r.Git("update-ref", git.BranchRef("main"), was)
	stands(t, s, 3, 1)
	r.Commit("main", "Three")
	stands(t, s, 3, 0)
	r.Fsck()
}

// A source that was taken back is recorded again, also by a process that knew it.
func TestSourceThatWasTakenBack(t *testing.T) {
	t.Parallel()
	_, s := begin(t)
	step := store.NewStep{Action: "a", Source: "run:1"}
	first := record(t, s, step)
	record(t, s, step) // now it is known
	memtest.OK(s.Unrecord(t.Context(), store.Writer{}))(t)
	again := record(t, s, step)
	if again[0].Known || again[0].ID == first[0].ID || again[0].Step != 1 {
		t.Errorf("recorded %+v after %+v", again[0], first[0])
	}
	if known := record(t, s, step); !known[0].Known || known[0].ID != again[0].ID {
		t.Errorf("recorded twice: %+v", known[0])
	}
}

// Writers beside one another lose and double no step.
func TestUndoBesideOthers(t *testing.T) {
	t.Parallel()
	r, s := begin(t)
	ctx := t.Context()
	r.Commit("main", "First")
	var wg sync.WaitGroup
	loop := func(n int, do func(context.Context, *store.Store, int) error) {
		own := r.Open()
		wg.Go(func() {
			for i := range n {
				if err := do(ctx, own, i); err != nil && !errors.Is(err, fail.ErrRefused) {
					t.Error(err)
				}
			}
		})
	}
	for range 2 {
		loop(40, func(ctx context.Context, s *store.Store, i int) error {
			_, err := s.Record(ctx, []store.NewStep{{Action: fmt.Sprint(i)}})
			return err
		})
	}
	for range 2 {
		loop(12, func(ctx context.Context, s *store.Store, i int) error {
			_, err := s.Commit(ctx, store.CommitOptions{Summary: fmt.Sprint("commit ", i)})
			return err
		})
	}
	loop(12, func(ctx context.Context, s *store.Store, _ int) error {
		_, err := undo.Undo(ctx, s, store.Writer{})
		return err
	})
	loop(12, func(ctx context.Context, s *store.Store, i int) error {
		_, err := undo.Amend(ctx, s, store.CommitOptions{Summary: fmt.Sprint("amended ", i)})
		return err
	})
	wg.Wait()
	r.Commit("main", "Last")
	stands(t, s, 80, 0)
	r.Fsck()
}

// A remote that maps memory to branches has a commit like any other, and so does what git
// itself fetched of it.
func TestSharedIsRefused(t *testing.T) {
	t.Parallel()
	for name, ref := range map[string]string{
		"a remote":        git.RemoteTracking("hub").Of(git.BranchRef("main")),
		"a mapped remote": git.MappedTracking("hub") + "heads/main",
		"a former remote": git.RemoteTracking("gone").Of(git.BranchRef("main")),
		"a bundle":        git.BundleTracking().Of(git.BranchRef("main")),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r, s := begin(t)
			r.Git("remote", "add", "hub", "../hub")
			r.Git("update-ref", ref, r.CommitHash("main", "Shared"))
			_, err := undo.Undo(t.Context(), r.Open(), store.Writer{})
			memtest.ErrorCode(t, err, fail.CommitShared)
			_, err = undo.Amend(t.Context(), r.Open(), store.CommitOptions{Summary: "x"})
			memtest.ErrorCode(t, err, fail.CommitShared)
			r.Commit("main", "Mine")
			memtest.OK(undo.Undo(t.Context(), s, store.Writer{}))(t)
		})
	}
}
