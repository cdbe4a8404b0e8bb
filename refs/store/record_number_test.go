package store_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/git-context/git-context/refs/expunge"
	"github.com/git-context/git-context/refs/internal/memtest"
	"github.com/git-context/git-context/refs/share"
	"github.com/git-context/git-context/refs/store"
)

// A journal that is made anew, as in a fresh clone, goes on behind the largest number that
// stands, whatever was forgotten: a number is given once.
func TestNumbersGoOnBehindWhatWasForgotten(t *testing.T) {
	r := memtest.New(t)
	s, ctx := r.Open(), t.Context()
	memtest.OK(share.Init(ctx, s, share.InitOptions{}))(t)
	steps := memtest.OK(s.Record(ctx, []store.NewStep{{Action: "one"}, {Action: "two"}, {Action: "three"}}))(t)
	memtest.OK(s.Commit(ctx, store.CommitOptions{Summary: "Three steps"}))(t)
	r.Expunge(expunge.Options{ID: steps[1].ID, Yes: true})
	r.Must(os.Remove(filepath.Join(r.Dir, ".git", "context", "journal", "main.jsonl")))
	next := memtest.OK(r.Open().Record(ctx, []store.NewStep{{Action: "four"}}))(t)
	if next[0].Step != 4 {
		t.Errorf("step %d, want 4", next[0].Step)
	}
}
