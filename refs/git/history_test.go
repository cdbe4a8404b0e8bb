package git

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/git-context/git-context/internal/gittest"
)

// What remotes have is not known for being there; what is ours is, in whatever
// kind of ref.
func TestNewCommits(t *testing.T) {
	t.Parallel()
	gittest.NeedSHA1(t)
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
	gittest.NeedSHA1(t)
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

// git's own fsck takes commits that were promised for unreachable.
func TestUnreachablePartialClone(t *testing.T) {
	t.Parallel()
	s, r := newRepo(t)
	one := commit(t, r, "one")
	two := commit(t, r, "two", one)
	must(t, move(t, r, "refs/heads/trunk", two, ""))
	s.Git("r", "config", "uploadpack.allowFilter", "true")
	s.Git("", "clone", "-q", "--bare", "--filter=tree:0", "file://"+s.Path("r"), "c")
	must(t, os.Rename(s.Path("r"), s.Path("away"))) // a fetch would fail
	c := s.open("c")
	three := commit(t, c, "three", two)
	must(t, move(t, c, "refs/heads/trunk", three, two))
	must(t, move(t, c, "refs/heads/trunk", two, three))
	ids := ok(c.Unreachable(t.Context()))(t)
	if !slices.Contains(ids, three) || slices.Contains(ids, two) || slices.Contains(ids, one) {
		t.Errorf("unreachable: %v; want %s, not %s or %s", ids, three, two, one)
	}
}

// newPartial has a repository 'origin', and its clone 'partial' that lacks the one blob.
func newPartial(t *testing.T) *sandbox {
	t.Helper()
	s := newSandbox(t)
	s.Git("", "init", "-q", "origin")
	s.Write("origin/f", "promised")
	s.Git("origin", "add", "f")
	s.Git("origin", "commit", "-qm", "one")
	s.Git("origin", "config", "uploadpack.allowFilter", "true")
	s.Git("", "clone", "-q", "--no-checkout", "--filter=blob:none", "file://"+s.Path("origin"), "partial")
	return s
}

func TestPromisedObjects(t *testing.T) {
	s := newPartial(t)
	r := s.open("partial")
	if got := string(ok(r.Object(t.Context(), "HEAD:f"))(t).Data); got != "promised" {
		t.Errorf("got %q", got)
	}
}

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

// What was made here is not promised: it is lost, unless something from the remote leads to it.
func TestTellLost(t *testing.T) {
	s := newPartial(t)
	promised, r := ID(s.Git("origin", "rev-parse", "HEAD:f")), s.open("partial")
	r.TellLost()
	s.Write("partial/own", "own")
	s.Git("partial", "add", "own")
	s.Git("partial", "commit", "-q", "-m", "own")
	tip, own, tree := ID(s.Git("partial", "rev-parse", "HEAD")), ID(s.Git("partial", "rev-parse", "HEAD:own")), ID(s.Git("partial", "rev-parse", "HEAD^{tree}"))
	for _, c := range []struct {
		remove ID
		absent []ID
	}{{own, []ID{promised}}, {tree, []ID{promised}}, {tip, nil}} {
		if err := os.Remove(r.LoosePath(c.remove)); err != nil {
			t.Fatal(err)
		}
		if got := ok(r.NotPromised(t.Context(), []ID{promised, c.remove}))(t); len(got) != 1 || !got[c.remove] {
			t.Errorf("NotPromised = %v, want %s", got, c.remove)
		}
		if _, err := r.Object(t.Context(), string(c.remove)); !errors.Is(err, ErrMissing) || errors.Is(err, ErrNotFetched) {
			t.Errorf("of a lost object: %v", err)
		}
		if got := ok(r.Absent(t.Context(), []ID{tip}))(t); len(got) != len(c.absent) || len(got) > 0 && !got[promised] {
			t.Errorf("Absent = %v, want %v", got, c.absent)
		}
	}
	if got := ok(r.InfosHere(t.Context(), []ID{promised, tip}))(t); got[0].Type != "" || got[1].Type != "" {
		t.Errorf("InfosHere = %v", got)
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
		want = append(want, RefMove{old, id, "test"})
		old = id
	}
	if got := ok(r.Moves(ctx, NotesRef))(t); !slices.Equal(got, want) {
		t.Errorf("Moves = %v, want %v", got, want)
	}
	if got := ok(r.askRefMoves(ctx, NotesRef))(t); !slices.Equal(got, want) {
		t.Errorf("as git tells it: %v, want %v", got, want)
	}
}

// What may stand in borrowed objects is not absent while these are away.
func TestBorrowedIsNotAbsent(t *testing.T) {
	t.Parallel()
	gittest.NeedSHA1(t)
	s, r := newRepo(t)
	id := commit(t, r, "one")
	must(t, move(t, r, "refs/heads/trunk", id, ""))
	s.Git("", "clone", "-q", "--shared", "--bare", "r", "c")
	must(t, os.Rename(s.Path("r"), s.Path("away")))
	c := s.open("c")
	away := func(what string, err error) {
		t.Helper()
		if err == nil || errors.Is(err, ErrNotFound) || !strings.Contains(err.Error(), s.Path("r")) {
			t.Errorf("%s: error = %v", what, err)
		}
	}
	_, err := c.Commit(t.Context(), id)
	away("Commit", err)
	_, err = c.Infos(t.Context(), []ID{id})
	away("Infos", err)
	away("ReadAll", c.ReadAll(t.Context(), []ID{id}, func(Object) error { return nil }))

	must(t, os.Rename(s.Path("away"), s.Path("r")))
	c = s.open("c")
	_ = ok(c.Commit(t.Context(), id))(t)
	none := ID(strings.Repeat("1", 40))
	if infos := ok(c.Infos(t.Context(), []ID{none}))(t); infos[0].Type != "" {
		t.Errorf("there is no such object: %v", infos)
	}
	_, err = c.Commit(t.Context(), none)
	wantErr(t, err, ErrNotFound, "")
}
