package git

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
)

// What remotes have is not known for being there; what is ours is, in whatever
// kind of ref.
func TestNewCommits(t *testing.T) {
	t.Parallel()
	s := newSandbox(t)
	s.Git("", "init", "-q", "r")
	r := s.open("r")
	var ids []ID
	for i := range 5 {
		args := []string{"commit-tree", "-m", fmt.Sprint(i), string(r.EmptyTree())}
		if i > 0 {
			args = append(args, "-p", string(ids[i-1]))
		}
		if i == 0 {
			s.Git("r", "hash-object", "-t", "tree", "-w", "/dev/null")
		}
		ids = append(ids, ID(s.Git("r", args...)))
	}
	s.Git("r", "update-ref", RemoteTracking("origin").Of(BranchRef("main")), string(ids[4]))
	list := func(most int, tips ...ID) []NewCommit {
		t.Helper()
		got, err := r.NewCommits(t.Context(), tips, most)
		if err != nil {
			t.Fatal(err)
		}
		return got
	}
	if got := list(10, ids[4], ids[1]); len(got) != 5 || got[0].ID != ids[4] || got[0].Parents[0] != ids[3] || len(got[4].Parents) != 0 {
		t.Errorf("all: %v", got)
	}
	if got := list(2, ids[4]); len(got) != 2 {
		t.Errorf("two at most: %v", got)
	}
	for i, ref := range []string{BranchRef("a/b"), RoadmapRef, TagRef("t"), DeletedRef("d", "1"), NotesRef} {
		s.Git("r", "update-ref", ref, string(ids[3]))
		if got := list(10, ids[4]); len(got) != 1 || got[0].ID != ids[4] || got[0].Parents[0] != ids[3] {
			t.Errorf("%d: beyond %s: %v", i, ref, got)
		}
		s.Git("r", "update-ref", "-d", ref)
	}
	if got := list(10); len(got) != 0 {
		t.Errorf("of nothing: %v", got)
	}
	if _, err := r.NewCommits(t.Context(), []ID{"--all"}, 1); err == nil {
		t.Error("an option passed for an id")
	}
	var failed *Error
	if _, err := r.NewCommits(t.Context(), []ID{ID(strings.Repeat("ab", 20))}, 1); !errors.As(err, &failed) {
		t.Errorf("missing tip: %v", err)
	}
}

// Thousands of questions and large answers do not block each other, and an answer
// that nobody reads does not become that to another question.
func TestManyObjects(t *testing.T) {
	t.Parallel()
	s := newSandbox(t)
	s.Git("", "init", "-q", "r")
	r := s.open("r")
	ctx := t.Context()
	big, err := r.WriteBlob(ctx, []byte(strings.Repeat("0123456789abcdef", 1<<16)))
	if err != nil {
		t.Fatal(err)
	}
	small, err := r.WriteBlob(ctx, []byte("small"))
	if err != nil {
		t.Fatal(err)
	}
	gone := ID(strings.Repeat("ab", 20))
	var ids []ID
	for range 5000 {
		ids = append(ids, small)
	}
	ids[2500] = big
	infos, err := r.Infos(ctx, append(ids, gone))
	if err != nil || len(infos) != 5001 || infos[2500] != (ObjectInfo{big, "blob", 1 << 20}) || infos[5000] != (ObjectInfo{ID: gone}) {
		t.Errorf("Infos: %d, %v", len(infos), err)
	}
	n := 0
	count := func(o Object) error {
		if o.ID != ids[n] {
			t.Fatalf("object %d is %s", n, o.ID)
		}
		n++
		return nil
	}
	if err := r.ReadAll(ctx, ids, count); err != nil || n != 5000 {
		t.Errorf("ReadAll: %d, %v", n, err)
	}
	enough := errors.New("enough")
	if err := r.ReadAll(ctx, ids, func(Object) error { return enough }); err != enough {
		t.Errorf("ReadAll, stopped: %v", err)
	}
	if err := r.ReadAll(ctx, []ID{small, gone, small}, func(Object) error { return nil }); !errors.Is(err, ErrNotFound) {
		t.Errorf("ReadAll of what is gone: %v", err)
	}
	if o, err := r.cat.contents(ctx, string(small)); err != nil || string(o.Data) != "small" {
		t.Errorf("afterwards: %q, %v", o.Data, err)
	}
	over, cancel := context.WithCancel(ctx)
	err = r.ReadAll(over, ids, func(Object) error { cancel(); return nil })
	if !errors.Is(err, context.Canceled) {
		t.Errorf("ReadAll, cancelled: %v", err)
	}
	if err := r.ReadAll(ctx, ids[:1], func(Object) error { return nil }); err != nil {
		t.Errorf("afterwards: %v", err)
	}
}

// The order is that in which git itself writes a tree.
func TestCompareEntries(t *testing.T) {
	t.Parallel()
	entries := []TreeEntry{{Mode: ModeBlob, Name: "a"}, {Mode: ModeBlob, Name: "a-b"}, {Mode: ModeTree, Name: "a"},
		{Mode: ModeBlob, Name: "a0"}, {Mode: ModeTree, Name: "a0"}, {Mode: ModeBlob, Name: "a00"}}
	for i, a := range entries {
		for j, b := range entries {
			got, want := CompareEntries(a, b), strings.Compare(a.sortName(), b.sortName())
			if got != want || got != cmp.Compare(i, j) {
				t.Errorf("CompareEntries(%v, %v) = %d, want %d", a, b, got, want)
			}
		}
	}
}
