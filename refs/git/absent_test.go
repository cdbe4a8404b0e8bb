package git

import (
	"path/filepath"
	"slices"
	"testing"
)

// What a partial clone lacks is told without being fetched; elsewhere nothing is absent.
func TestAbsent(t *testing.T) {
	s := newPartial(t)
	tip, blob := ID(s.Git("origin", "rev-parse", "HEAD")), ID(s.Git("origin", "rev-parse", "HEAD:f"))
	packs := func() []string { return ok(filepath.Glob(s.Path("partial", ".git", "objects", "pack", "*.pack")))(t) }
	before := packs()
	if got := ok(s.open("partial").Absent(t.Context(), []ID{tip}))(t); len(got) != 1 || !got[blob] {
		t.Errorf("Absent = %v, want %s", got, blob)
	}
	if after := packs(); !slices.Equal(after, before) {
		t.Errorf("%v was fetched", after)
	}
	if got := ok(s.open("origin").Absent(t.Context(), []ID{tip}))(t); got != nil {
		t.Errorf("of a whole repository: %v", got)
	}
}

func TestShallow(t *testing.T) {
	s := newSandbox(t)
	s.Git("", "init", "-q", "origin")
	s.Git("origin", "commit", "-q", "--allow-empty", "-m", "one")
	s.Git("origin", "commit", "-q", "--allow-empty", "-m", "two")
	s.Git("", "clone", "-q", "--depth=1", "file://"+s.Path("origin"), "shallow")
	if got := ok(s.open("shallow").Shallow())(t); len(got) != 1 || !got[ID(s.Git("origin", "rev-parse", "HEAD"))] {
		t.Errorf("Shallow = %v", got)
	}
	if got := ok(s.open("origin").Shallow())(t); len(got) != 0 {
		t.Errorf("of a whole repository: %v", got)
	}
}

// A reflog is told alike by its file and by git, oldest first.
func TestMoves(t *testing.T) {
	s := newSandbox(t)
	s.Git("", "init", "-q", "r")
	r, ctx := s.open("r"), t.Context()
	if got := ok(r.Moves(ctx, NotesRef))(t); len(got) != 0 {
		t.Errorf("without a ref: %v", got)
	}
	if got := ok(r.askRefMoves(ctx, NotesRef))(t); len(got) != 0 {
		t.Errorf("without a ref: %v", got)
	}
	s.Git("r", "commit", "-q", "--allow-empty", "-m", "one")
	want := []RefMove{}
	old := r.ZeroID()
	for range 3 {
		s.Git("r", "commit", "-q", "--allow-empty", "-m", "more")
		id := ID(s.Git("r", "rev-parse", "HEAD"))
		s.Git("r", "update-ref", "--create-reflog", "-m", "test", NotesRef, string(id))
		want = append(want, RefMove{old, id})
		old = id
	}
	if got := ok(r.Moves(ctx, NotesRef))(t); !slices.Equal(got, want) {
		t.Errorf("Moves = %v, want %v", got, want)
	}
	if got := ok(r.askRefMoves(ctx, NotesRef))(t); !slices.Equal(got, want) {
		t.Errorf("as git tells it: %v, want %v", got, want)
	}
}
