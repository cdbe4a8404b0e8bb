package store_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/git-context/git-context/refs/expunge"
	"github.com/git-context/git-context/refs/fsck"
	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/share"
	"github.com/git-context/git-context/refs/store"
)

// dropped writes into the reflog of the notes that they moved away from a commit.
func (r *repo) dropped(from string) {
	r.t.Helper()
	path := filepath.Join(r.dir, ".git", "logs", filepath.FromSlash(git.NotesRef))
	f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY|os.O_CREATE, 0o666)
	r.must(err)
	_, err = fmt.Fprintf(f, "%s %s A <a@example.com> 1800000000 +0000\tnotes: somebody's\n", from, r.git("rev-parse", git.NotesRef))
	r.must(err)
	r.must(f.Close())
}

func (r *repo) kinds(fix bool) []string {
	r.t.Helper()
	problems, err := fsck.Run(r.t.Context(), r.open(), fsck.Options{Fix: fix})
	r.must(err)
	kinds := make([]string, len(problems))
	for i, p := range problems {
		kinds[i] = p.Kind
	}
	return kinds
}

// Notes that somebody overwrote come back, but not what was to be forgotten, wherever git
// still has it.
func TestLostNotesComeBackButNothingForgotten(t *testing.T) {
	r := newRepo(t)
	s, ctx := r.open(), t.Context()
	ok(share.Init(ctx, s, share.InitOptions{}))(t)
	ok(s.Commit(ctx, store.CommitOptions{Summary: "One"}))(t)
	before := r.git("rev-parse", git.NotesRef)
	note := func(text string) string {
		ok(s.AddNote(ctx, store.NoteOptions{Rev: "main", Judging: store.Judging{Review: text}}))(t)
		defer r.git("update-ref", git.NotesRef, before)
		return r.git("rev-parse", git.NotesRef)
	}
	plain, hidden := note("a good one"), note("it was hunter2")
	r.git("update-ref", "refs/keep/plain", plain)
	r.git("update-ref", "refs/keep/hidden", hidden)
	ok(s.Remember(ctx, store.TopicOptions{Key: "pool", Text: "it was hunter2\n"}))(t)
	r.expunge(expunge.Options{Match: "it was hunter2", Yes: true})
	if kinds := r.kinds(false); len(kinds) > 0 {
		t.Errorf("what was forgotten is missed: %v", kinds)
	}
	r.dropped(hidden)
	if kinds := r.kinds(true); len(kinds) > 0 {
		t.Errorf("what was forgotten comes back: %v", kinds)
	}
	r.dropped(plain)
	if kinds := r.kinds(true); len(kinds) != 1 || kinds[0] != "notes-lost" {
		t.Errorf("found %v", kinds)
	}
	got := ok(s.Note(ctx, "main"))(t)
	if len(got.Facts) != 2 {
		t.Errorf("the note says %s", got.Facts)
	}
	if kinds := r.kinds(false); len(kinds) > 0 {
		t.Errorf("once restored: %v", kinds)
	}
}
