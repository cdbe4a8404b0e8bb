package fsck_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/git-context/git-context/internal/gittest"
	"github.com/git-context/git-context/refs/expunge"
	"github.com/git-context/git-context/refs/fsck"
	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/internal/memtest"
	"github.com/git-context/git-context/refs/share"
	"github.com/git-context/git-context/refs/store"
)

// dropNotes writes into the reflog of the notes that they moved away from a commit.
func dropNotes(r *memtest.Repo, from string) {
	r.T.Helper()
	path := filepath.Join(r.Dir, ".git", "logs", filepath.FromSlash(git.NotesRef))
	f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY|os.O_CREATE, 0o666)
	r.Must(err)
	_, err = fmt.Fprintf(f, "%s %s A <a@example.com> 1800000000 +0000\tnotes: somebody's\n", from, r.Git("rev-parse", git.NotesRef))
	r.Must(err)
	r.Must(f.Close())
}

func kinds(r *memtest.Repo, fix bool) []string {
	r.T.Helper()
	problems, err := fsck.Run(r.T.Context(), r.Open(), fsck.Options{Fix: fix})
	r.Must(err)
	kinds := make([]string, len(problems))
	for i, p := range problems {
		kinds[i] = p.Kind
	}
	return kinds
}

// Notes that somebody overwrote come back, but not what was to be forgotten, wherever git
// still has it.
func TestLostNotesComeBackButNothingForgotten(t *testing.T) {
	gittest.NeedRefFiles(t)
	r := memtest.New(t)
	s, ctx := r.Open(), t.Context()
	memtest.OK(share.Init(ctx, s, share.InitOptions{}))(t)
	memtest.OK(s.Commit(ctx, store.CommitOptions{Summary: "One"}))(t)
	before := r.Git("rev-parse", git.NotesRef)
	note := func(text string) string {
		memtest.OK(s.AddNote(ctx, store.NoteOptions{Rev: "main", Judgement: store.Judgement{Review: text}}))(t)
		defer r.Git("update-ref", git.NotesRef, before)
		return r.Git("rev-parse", git.NotesRef)
	}
	plain, hidden := note("a good one"), note("it was hunter2")
	r.Git("update-ref", "refs/keep/plain", plain)
	r.Git("update-ref", "refs/keep/hidden", hidden)
	memtest.OK(s.Remember(ctx, store.TopicOptions{Key: "pool", Text: "it was hunter2\n"}))(t)
	r.Expunge(expunge.Options{Match: "it was hunter2", Yes: true})
	if kinds := kinds(r, false); len(kinds) > 0 {
		t.Errorf("what was forgotten is missed: %v", kinds)
	}
	dropNotes(r, hidden)
	if kinds := kinds(r, true); len(kinds) > 0 {
		t.Errorf("what was forgotten comes back: %v", kinds)
	}
	dropNotes(r, plain)
	if kinds := kinds(r, true); len(kinds) != 1 || kinds[0] != "notes-lost" {
		t.Errorf("found %v", kinds)
	}
	got := memtest.OK(s.Note(ctx, "main"))(t)
	if len(got.Facts) != 2 {
		t.Errorf("the note says %s", got.Facts)
	}
	if kinds := kinds(r, false); len(kinds) > 0 {
		t.Errorf("once restored: %v", kinds)
	}
}
