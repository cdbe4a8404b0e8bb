package across_test

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/git-context/git-context/refs"
	"github.com/git-context/git-context/refs/internal/memtest"
	"github.com/git-context/git-context/refs/search"
	"github.com/git-context/git-context/refs/search/across"
	"github.com/git-context/git-context/refs/share"
	"github.com/git-context/git-context/refs/store"
)

// shelf is a repository with memory, at a time that stands still: recency is a part of a score.
func shelf(t testing.TB) *across.Repository {
	t.Helper()
	r := memtest.New(t)
	_, err := share.Init(t.Context(), r.Open(), share.InitOptions{Goal: "Search"})
	r.Must(err)
	return open(t, r)
}

func open(t testing.TB, r *memtest.Repo) *across.Repository {
	t.Helper()
	now := time.Date(2026, 11, 1, 10, 0, 0, 0, time.UTC)
	s, err := refs.Open(t.Context(), store.Options{Dir: r.Dir, Env: r.Env, Now: func() time.Time { return now }})
	r.Must(err)
	t.Cleanup(func() { s.Close() })
	return &across.Repository{Path: r.Dir, Name: r.Dir, Store: s}
}

func record(t testing.TB, r *across.Repository, steps []store.NewStep) {
	t.Helper()
	if len(steps) == 0 {
		return
	}
	if _, err := r.Store.Record(t.Context(), steps); err != nil {
		t.Fatal(err)
	}
}

func find(t testing.TB, repos []*across.Repository, query string, limit int) across.Result {
	t.Helper()
	res, err := across.Search(t.Context(), repos, search.Options{Query: query, Limit: limit})
	if err != nil || len(res.Skipped) > 0 {
		t.Fatal(err, res.Skipped)
	}
	return res
}

// step is one that is not the same lesson as others, if they have at most two words in common: besides
// these it has a dozen of its own.
func step(n int, words ...string) store.NewStep {
	for i := range 12 {
		words = append(words, fmt.Sprintf("q%c%c%c", 'a'+n/26, 'a'+n%26, 'a'+i))
	}
	return store.NewStep{Observation: strings.Join(words, " "), Action: fmt.Sprint("x", n)}
}

// A hit has the score that it has if one repository contains everything, and as much is found with a
// limit as the beginning of what is found without.
func TestRanksAsOne(t *testing.T) {
	t.Parallel()
	vocabulary := []string{"pool", "idle", "drain", "leak", "socket", "basket"}
	memtest.Check(t, 6, func(tb testing.TB, rt *rapid.T) {
		whole, repos, n := shelf(tb), []*across.Repository{}, 0
		for range rapid.IntRange(2, 4).Draw(rt, "repositories") {
			r, steps := shelf(tb), []store.NewStep{}
			for range rapid.IntRange(0, 15).Draw(rt, "steps") {
				two := rapid.SliceOfN(rapid.SampledFrom(vocabulary), 2, 2).Draw(rt, "two")
				steps = append(steps, step(n, rapid.SliceOfN(rapid.SampledFrom(two), 0, 9).Draw(rt, "words")...))
				n++
			}
			record(tb, r, steps)
			record(tb, whole, steps)
			repos = append(repos, r)
		}
		query := strings.Join(rapid.SliceOfN(rapid.SampledFrom(vocabulary), 1, 3).Draw(rt, "query"), " ")
		one, err := search.Search(tb.Context(), whole.Store, search.Options{Query: query, All: true, Limit: 100})
		if err != nil {
			tb.Fatal(err)
		}
		all := find(tb, repos, query, 100)
		got := make([]search.Hit, len(all.Hits))
		for i, h := range all.Hits {
			got[i] = h.Hit
			if len(h.Also) > 0 {
				tb.Errorf("%q is a lesson of several: %+v", h.Title, h.Also)
			}
		}
		if got, want := scored(got), scored(one.Hits); !slices.Equal(got, want) {
			tb.Errorf("%q finds\n%s\nand in one repository\n%s", query, strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
		limit := rapid.IntRange(1, 5).Draw(rt, "limit")
		first := scored(hits(find(tb, repos, query, limit)))
		if want := scored(hits(all)[:min(limit, len(all.Hits))]); !slices.Equal(first, want) {
			tb.Errorf("the first %d are\n%s\nwant\n%s", limit, strings.Join(first, "\n"), strings.Join(want, "\n"))
		}
	})
}

func hits(res across.Result) (list []search.Hit) {
	for _, h := range res.Hits {
		list = append(list, h.Hit)
	}
	return list
}

// scored is what was found, equal scores in the order of titles: in one index they have the order of units.
func scored(list []search.Hit) (lines []string) {
	list = slices.Clone(list)
	slices.SortStableFunc(list, func(a, b search.Hit) int {
		if a.Score != b.Score {
			return 0
		}
		return cmp.Compare(a.Title, b.Title)
	})
	for _, h := range list {
		lines = append(lines, fmt.Sprintf("%.3f %s", h.Score, h.Title))
	}
	return lines
}

// Equal scores have the order of the repositories, each time.
func TestTies(t *testing.T) {
	t.Parallel()
	var repos []*across.Repository
	var want []string
	for i := range 5 {
		r := shelf(t)
		record(t, r, []store.NewStep{step(i, "pool", "idle")})
		repos, want = append(repos, r), append(want, r.Path)
	}
	for range 2 {
		for range 5 {
			for limit := 1; limit <= len(repos); limit++ {
				var got []string
				for _, h := range find(t, repos, "idle pool", limit).Hits {
					got = append(got, h.Repository)
				}
				if !slices.Equal(got, want[:limit]) {
					t.Fatalf("%d of equal score are in %q, want %q", limit, got, want[:limit])
				}
			}
		}
		slices.Reverse(repos)
		slices.Reverse(want)
	}
}

// A copy that comes after the last lesson that is shown belongs to its lesson, too.
func TestFoldsBelowTheLimit(t *testing.T) {
	t.Parallel()
	var repos []*across.Repository
	for _, n := range []int{1, 2, 1} { // the same score
		r := shelf(t)
		record(t, r, []store.NewStep{step(n, "pool", "idle")})
		repos = append(repos, r)
	}
	found := find(t, repos, "idle pool", 1).Hits
	if len(found) != 1 || len(found[0].Also) != 1 || found[0].Also[0].Repository != repos[2].Path {
		t.Errorf("%+v", found)
	}
}

// The same lesson is one hit however many repositories have it, and the next lesson has the next place.
// Its confidence is (s + 1) / (n + 2), where copies of one commit count once.
func TestFoldsAndTrusts(t *testing.T) {
	t.Parallel()
	const title, body = "Close idle connections before the pool is drained",
		"TestShutdown leaks goroutines because the pool is drained while idle connections are still open."
	var repos []*across.Repository
	for _, outcome := range []string{"success", "failed", "success", ""} {
		r := shelf(t)
		commit(t, r, title, body, outcome)
		repos = append(repos, r)
	}
	other := shelf(t)
	commit(t, other, "Center the basket",
		"The pool was not the reason, and it is far below other hits in a list of what a pool does.", "failed")
	repos = append(repos, other)
	is := func(when string, limit, lessons, also, succeeded, judged int, confidence float64) {
		t.Helper()
		res := find(t, repos, "idle connections drained pool", limit)
		if len(res.Hits) != lessons {
			t.Fatalf("%s: %d lessons: %+v", when, len(res.Hits), res.Hits)
		}
		h := res.Hits[0]
		if h.Title != title || len(h.Also) != also || h.Succeeded != succeeded || h.Judged != judged {
			t.Fatalf("%s: %q is also in %d, %d of %d succeeded", when, h.Title, len(h.Also), h.Succeeded, h.Judged)
		}
		if h.Confidence == nil || *h.Confidence != confidence {
			t.Errorf("%s: confidence %v, want %v", when, h.Confidence, confidence)
		}
		if lessons == 1 {
			return
		}
		if h = res.Hits[1]; h.Title != "Center the basket" || h.Confidence == nil || *h.Confidence != 0.333 {
			t.Errorf("%s: the second is %+v", when, h)
		}
	}
	is("a limit of one", 1, 1, 3, 2, 3, 0.6)
	is("a limit of two", 2, 2, 3, 2, 3, 0.6)

	clone := memtest.New(t)
	clone.Git("fetch", "-q", repos[0].Path, "refs/context/heads/*:refs/context/heads/*", "refs/notes/*:refs/notes/*")
	repos = append(repos, open(t, clone))
	is("a clone", 2, 2, 4, 2, 3, 0.6)
	o := store.NoteOptions{Rev: "main", Judgement: store.Judgement{Outcome: "failed"}}
	if _, err := repos[5].Store.AddNote(t.Context(), o); err != nil {
		t.Fatal(err)
	}
	is("a clone that has it fail", 2, 2, 4, 1, 3, 0.4)
}

func commit(t *testing.T, r *across.Repository, title, body, outcome string) {
	t.Helper()
	_, err := r.Store.Commit(t.Context(), store.CommitOptions{Summary: title, Contribution: body,
		Judging: store.Judgement{Outcome: outcome}})
	if err != nil {
		t.Fatal(err)
	}
}
