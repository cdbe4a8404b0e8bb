package search_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/git-context/git-context/refs"
	"github.com/git-context/git-context/refs/internal/memtest"
	"github.com/git-context/git-context/refs/search"
	"github.com/git-context/git-context/refs/share"
	"github.com/git-context/git-context/refs/store"
	"github.com/google/go-cmp/cmp"
)

// A search that finds the index far behind says so, and finds in the texts what the index
// would find.
func TestSearchWithoutAnIndex(t *testing.T) {
	t.Parallel()
	r, ctx := memtest.New(t), t.Context()
	s := r.Open()
	memtest.OK(share.Init(ctx, s, share.InitOptions{Goal: "Scan"}))(t)
	subjects := []string{"OpenPool retries the connection", "the router times out", "store.Open returns null",
		"Retry of a closed idle connection", "deadlocks of two mutexes", "日本語の検索"}
	for i := range 12 {
		step := store.NewStep{Observation: fmt.Sprintf("%s, case %d", subjects[i%6], i), Action: manual(300 + i)}
		memtest.OK(s.Record(ctx, []store.NewStep{step, step}))(t)
		memtest.OK(s.Commit(ctx, store.CommitOptions{Summary: subjects[(i+1)%6], Contribution: manual(200 + 20*i)}))(t)
	}
	var topics strings.Builder
	fmt.Fprintf(&topics, "commit refs/context/heads/main\ncommitter A <a@b> 1800000000 +0000\ndata 1\nx\nfrom refs/context/heads/main^0\n")
	for i := range 1200 {
		text := fmt.Sprintf("%s\n", manual(50+i%100))
		if i%50 == 0 {
			text = fmt.Sprintf("%s, topic %d, %s\n", subjects[i/50%6], i, manual(i/2))
		}
		fmt.Fprintf(&topics, "M 100644 inline topics/t%d.md\ndata %d\n%s\n", i, len(text), text)
	}
	r.Input([]byte(topics.String()), "fast-import", "--quiet", "--force")
	r.Git("config", "context.gcAuto", "1000")
	r.Git("config", "gc.auto", "6700")
	r.Git("config", "maintenance.auto", "true")

	cache := filepath.Join(r.Dir, ".git", "context", "cache")
	find := func(query, program string, limit int) (hits []search.Hit, said string) {
		t.Helper()
		if err := os.RemoveAll(cache); err != nil {
			t.Fatal(err)
		}
		s := memtest.OK(refs.Open(ctx, store.Options{Dir: r.Dir, Env: r.Env, Now: time.Now, Program: program,
			Warn: func(message string) { said += message }}))(t)
		defer s.Close()
		hits = memtest.OK(search.Search(ctx, s, search.Options{Query: query, Limit: limit}))(t).Hits
		for i := range hits {
			hits[i].Score = 0 // the average length of a text is estimated
		}
		return hits, said
	}
	for _, query := range []string{"retry connection", "store.Open null", "deadlock mutex", "router timeout", "OpenPool", "検索"} {
		indexed, quiet := find(query, "", 20)
		scanned, said := find(query, "true", 10)
		first := 0 // hits that both show first
		for _, hit := range scanned {
			i := slices.IndexFunc(indexed, func(h search.Hit) bool { return h.ID == hit.ID })
			if i < 0 {
				t.Errorf("'%s': the index does not find %+v", query, hit)
				continue
			}
			if diff := cmp.Diff(indexed[i], hit); diff != "" {
				t.Errorf("'%s': -index +scan:\n%s", query, diff)
			}
			if i < 10 {
				first++
			}
		}
		if first < min(len(indexed), 10)*7/10 || first == 0 {
			t.Errorf("'%s': %d of the first hits are the same, of %d", query, first, len(indexed))
		}
		if quiet != "" || !strings.Contains(said, "is being built in the background") {
			t.Errorf("said is '%s', and '%s' by the scan", quiet, said)
		}
	}
}
