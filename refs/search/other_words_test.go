package search_test

import (
	"path/filepath"
	"slices"
	"testing"

	"github.com/git-context/git-context/refs"
	"github.com/git-context/git-context/refs/internal/memtest"
	"github.com/git-context/git-context/refs/search"
	"github.com/git-context/git-context/refs/share"
	"github.com/git-context/git-context/refs/store"
)

// asked counts what is found of problems told in words that their case does not contain.
type asked struct {
	texts   int
	related int // the case is among the hits of recall
	ten     int // it is among the first ten hits of search
	noise   int // hits of recall that are another case
}

// Recall and Search compare words, so they find a problem told in wholly other words only by
// chance. The floors are a little below that: a tokeniser or a ranking that falls through
// them has lost even this. No other case may count as met before, neither for these texts
// nor for those about what the memory does not know.
func TestOtherWordsAreNotMetBefore(t *testing.T) {
	t.Parallel()
	r, ctx := memtest.New(t), t.Context()
	s := r.Open()
	r.Git("config", "context.notes", "lazy")
	memtest.OK(share.Init(ctx, s, share.InitOptions{Goal: "Measure"}))(t)
	heldOut := filepath.Join("other-words", "held-out")
	entry := rememberCases(t, s, "calibration", "held-out", filepath.Join("other-words", "tuning"), heldOut)
	memtest.OK(s.Commit(ctx, store.CommitOptions{Summary: "End"}))(t)
	found := askOtherWords(t, s, heldOut, entry)
	for class, a := range found {
		t.Logf("memory of %d cases, %d texts (%s): the case of %d is related, the case of %d is among the first ten of search; recall shows %d other hits",
			len(entry), a.texts, class, a.related, a.ten, a.noise)
	}
	a, unknown := found["other-words"], found["unknown"]
	if a.texts < 30 || unknown.texts == 0 || len(entry) < 200 {
		t.Errorf("%d and %d texts of %d cases are too few to tell anything", a.texts, unknown.texts, len(entry))
	}
	if a.related < 1 || a.ten < 4 {
		t.Errorf("of %d cases only %d are related, and %d among the first ten", a.texts, a.related, a.ten)
	}
}

// askOtherWords asks for each text of a part, and returns what was found by class.
func askOtherWords(t *testing.T, s *refs.Store, part string, entry map[string]string) map[string]asked {
	t.Helper()
	found := map[string]asked{}
	for _, p := range rankingLines[struct{ ID, Class, Case, Text string }](t, filepath.Join("..", "index", "testdata", "recall", part, "pairs.jsonl")) {
		a, want := found[p.Class], entry[part+p.Case]
		if (want == "") != (p.Class == "unknown") {
			t.Fatalf("pair %s names no case", p.ID)
		}
		a.texts++
		for _, h := range memtest.OK(search.Recall(t.Context(), s, search.RecallOptions{Text: p.Text}))(t).Hits {
			switch {
			case h.ID == want:
				a.related++
			case !*h.Related:
				t.Errorf("'%s' was met before in '%s'", p.Text, h.Title)
			default:
				a.noise++
			}
		}
		hits := memtest.OK(search.Search(t.Context(), s, search.Options{Query: p.Text}))(t).Hits
		if slices.ContainsFunc(hits, func(h search.Hit) bool { return h.ID == want }) {
			a.ten++
		}
		found[p.Class] = a
	}
	return found
}
