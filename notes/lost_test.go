package notes_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/git-context/git-context/notes"
	"github.com/git-context/git-context/refs/git"
)

// What git notes overwrites is found, whichever fan-out it leaves the tree in; what somebody
// removed is not.
func TestLostLinesComeBack(t *testing.T) {
	w := newWorld(t)
	ctx := t.Context()
	one, two := git.ID(w.git("rev-parse", "HEAD~1")), git.ID(w.git("rev-parse", "HEAD"))
	w.add(one, `{"a":1}`)
	w.add(two, `{"b":1}`)
	before := w.git("rev-parse", git.NotesRef)
	w.add(one, `{"a":2}`)
	dropped := git.ID(w.git("rev-parse", git.NotesRef))
	w.git("update-ref", git.NotesRef, before)
	w.git("notes", "--ref=context", "append", "-m", "somebody's", string(one))
	after := git.ID(w.git("rev-parse", git.NotesRef))
	w.git("notes", "--ref=context", "remove", string(two))

	u, err := notes.Begin(ctx, w.repo)
	if err != nil {
		t.Fatal(err)
	}
	lost, err := u.Lost(ctx, dropped, after)
	if err != nil || len(lost) != 1 || string(lost[one]) != "{\"a\":2}\n" {
		t.Fatalf("lost %q, %v", lost, err)
	}
	if err := u.Restore(ctx, lost, dropped); err != nil {
		t.Fatal(err)
	}
	w.queue(u)
	if got := w.git("notes", "--ref=context", "show", string(one)); !strings.Contains(got, `{"a":2}`) || !strings.Contains(got, "somebody's") {
		t.Errorf("note of one: %q", got)
	}
	if got := w.git("notes", "--ref=context", "list"); strings.Contains(got, string(two)) {
		t.Error("a note that was removed came back")
	}
	w.git("merge-base", "--is-ancestor", string(dropped), git.NotesRef)
	if u, err = notes.Begin(ctx, w.repo); err != nil {
		t.Fatal(err)
	}
	if lost, err := u.Lost(ctx, dropped, after); err != nil || len(lost) != 0 {
		t.Errorf("once restored: %q, %v", lost, err)
	}
}

// Two notes of one object become one.
func TestJoin(t *testing.T) {
	w := newWorld(t)
	ctx := t.Context()
	one := git.ID(w.git("rev-parse", "HEAD"))
	w.add(one, `{"a":1}`)
	w.git("read-tree", git.NotesRef)
	if err := os.WriteFile(filepath.Join(w.dir, "line"), []byte("somebody's\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	w.git("update-index", "--add", "--cacheinfo", "100644,"+w.git("hash-object", "-w", "line")+","+string(one))
	w.git("update-ref", git.NotesRef, w.git("commit-tree", "-p", git.NotesRef, "-m", "by hand", w.git("write-tree")))
	u, err := notes.Begin(ctx, w.repo)
	if err != nil {
		t.Fatal(err)
	}
	if err := u.Join(ctx, one, []string{string(one), string(one[:2] + "/" + one[2:])}); err != nil {
		t.Fatal(err)
	}
	w.queue(u)
	if got := w.git("ls-tree", "-r", "--name-only", git.NotesRef); got != string(one[:2]+"/"+one[2:]) {
		t.Errorf("the tree holds %q", got)
	}
	if got := w.git("notes", "--ref=context", "show", string(one)); got != "{\"a\":1}\nsomebody's" {
		t.Errorf("the note says %q", got)
	}
}
