package store_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/git-context/git-context/refs/expunge"
	"github.com/git-context/git-context/refs/share"
	"github.com/git-context/git-context/refs/store"
)

// A journal that is made anew, as in a fresh clone, goes on behind the largest number that
// stands, whatever was forgotten: a number is given once.
func TestNumbersGoOnBehindWhatWasForgotten(t *testing.T) {
	r := newRepo(t)
	s, ctx := r.open(), t.Context()
	ok(share.Init(ctx, s, share.InitOptions{}))(t)
	steps := ok(s.Record(ctx, []store.NewStep{{Action: "one"}, {Action: "two"}, {Action: "three"}}))(t)
	ok(s.Commit(ctx, store.CommitOptions{Summary: "Three steps"}))(t)
	r.expunge(expunge.Options{ID: steps[1].ID, Yes: true})
	r.must(os.Remove(filepath.Join(r.dir, ".git", "context", "journal", "main.jsonl")))
	next := ok(r.open().Record(ctx, []store.NewStep{{Action: "four"}}))(t)
	if next[0].Step != 4 {
		t.Errorf("step %d, want 4", next[0].Step)
	}
}
