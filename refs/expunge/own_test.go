package expunge_test

import (
	"slices"
	"testing"

	"github.com/git-context/git-context/refs/doc"
	"github.com/git-context/git-context/refs/expunge"
	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/internal/memtest"
	"github.com/git-context/git-context/refs/share"
)

// A topic is the same object as a note that somebody made of its text. It is asked about as what it is in each commit, in
// whichever order these are read.
func TestHitsOfSameBytes(t *testing.T) {
	t.Parallel()
	r := memtest.New(t)
	s, ctx := r.Open(), t.Context()
	memtest.OK(share.Init(ctx, s, share.InitOptions{}))(t)
	r.Remember("main", "keep", "{\"a\": 1}\nour words\n")
	topic := git.ID(r.Git("rev-parse", "refs/context/heads/main"))
	r.Git("notes", "--ref=context", "add", "-C", r.Git("rev-parse", "refs/context/heads/main:topics/keep.md"), "refs/context/heads/main")
	note := git.ID(r.Git("rev-parse", "refs/notes/context"))
	var e doc.Expunged
	e.AddText("our words")
	for _, of := range [][]git.ID{{topic, note}, {note, topic}, {topic}} {
		if own := memtest.OK(expunge.HitsOf(ctx, s, e, of))(t); own.Texts() != 1 {
			t.Errorf("%d commits, the topic's at %d: %d texts of ours", len(of), slices.Index(of, topic), own.Texts())
		}
	}
}
