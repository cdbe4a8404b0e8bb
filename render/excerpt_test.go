package render

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/git-context/git-context/refs"
	"github.com/git-context/git-context/refs/doc"
	"github.com/git-context/git-context/refs/expunge"
	"github.com/git-context/git-context/refs/share"
	"github.com/git-context/git-context/refs/store"
)

// briefOf returns the brief in at most tokens; with whole, it is made from the whole roadmap.
func briefOf(t *testing.T, s *refs.Store, tokens int, whole bool) string {
	t.Helper()
	o := SnapshotOptions{Newest: 1, Branches: 20, Budget: tokens}
	if whole {
		o.Budget = 0
	}
	v := must[Snapshot](t)(NewSnapshot(t.Context(), s, Where{}, o))
	v.Limit(tokens)
	var b bytes.Buffer
	v.Text(&Printer{W: &b, Now: now, Self: "git context"})
	return b.String()
}

// fillRoadmap replaces a roadmap by one that has 5,000 items in each list, of every kind.
func fillRoadmap(r *doc.Roadmap) error {
	var b strings.Builder
	list := func(name string, item func(int) string) {
		fmt.Fprintf(&b, "## %s\n\n", name)
		for i := range 5000 {
			fmt.Fprintf(&b, "%s %d\n", item(i), i)
		}
	}
	list("Milestones", func(i int) string { return []string{"- [ ] m", "- [x] m", "- [x] m\n  Outcome: o"}[i%3] })
	list("To-Do", func(i int) string {
		return []string{"- [x] t\n  Outcome: p", "- [x] t", "- [x] t\n  Outcome: q"}[i%3]
	})
	for i := range 3 {
		fmt.Fprintf(&b, "- [ ] u %d\n- [ ] %sv %d\n", i, doc.TellPrefix, i)
	}
	for _, name := range []string{"Decisions", "Open Questions", "Branch Outcomes"} {
		list(name, func(int) string { return "- " + strings.ToLower(name) })
	}
	*r = *doc.ParseRoadmap([]byte(b.String()))
	return nil
}

// The brief of a large roadmap is that of the whole roadmap: the first time, from the cache, from a damaged
// cache and after a revision. Only a budget that has room for more items than the cache has reads it whole.
func TestBriefOfALargeRoadmap(t *testing.T) {
	t.Parallel()
	s, ctx := open(t), t.Context()
	must[share.InitResult](t)(share.Init(ctx, s, share.InitOptions{Goal: "A goal"}))
	cached := filepath.Join(s.Repo().StateDir(), "cache", "search", "roadmap")
	same := func(when string) {
		t.Helper()
		for _, tokens := range []int{100, 1500, 2047, 2048, 20000} {
			if got, want := briefOf(t, s, tokens, false), briefOf(t, s, tokens, true); got != want {
				t.Errorf("%s, %d tokens: %d bytes, want %d:\n%s\n---\n%s", when, tokens, len(got), len(want), got, want)
			}
		}
	}
	same("small")
	if _, err := os.Stat(cached); err == nil {
		t.Error("a small roadmap is cached")
	}
	must[store.RoadmapView](t)(s.EditRoadmap(ctx, store.Writer{}, "grow", fillRoadmap))
	if _, err := os.Stat(cached); err != nil {
		t.Errorf("who writes a large roadmap does not cache its excerpt: %v", err)
	}
	same("written")
	if err := os.Remove(cached); err != nil {
		t.Fatal(err)
	}
	same("without a cache")
	if err := os.WriteFile(cached, []byte("damaged"), 0o666); err != nil {
		t.Fatal(err)
	}
	same("damaged")
	must[store.RoadmapView](t)(s.EditRoadmap(ctx, store.Writer{}, "more", func(r *doc.Roadmap) error {
		*r = *doc.ParseRoadmap([]byte(strings.Replace(string(r.Bytes()), "- [ ] u 2\n", strings.Repeat("- [ ] w\n", 9000), 1)))
		return nil
	}))
	same("revised")
	must[expunge.Result](t)(expunge.Run(ctx, s, expunge.Options{Match: "open questions 4999", Yes: true}))
	if data, err := os.ReadFile(cached); err == nil && bytes.Contains(data, []byte("open questions 4999")) {
		t.Error("the cache contains what was expunged")
	}
	same("expunged")
	must[store.RoadmapView](t)(s.EditRoadmap(ctx, store.Writer{}, "less", func(r *doc.Roadmap) error {
		*r = *doc.ParseRoadmap([]byte("## To-Do\n\n- [ ] the last\n"))
		return nil
	}))
	same("small again")
}
