package search_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/git-context/git-context/refs/fail"
	"github.com/git-context/git-context/refs/history"
	"github.com/git-context/git-context/refs/internal/memtest"
	"github.com/git-context/git-context/refs/search"
	"github.com/git-context/git-context/refs/share"
	"github.com/git-context/git-context/refs/store"
)

// library is a repository whose memory is worth a search.
type library struct {
	*memtest.Repo
	n int // milestones so far
}

func newLibrary(t *testing.T) *library {
	l := &library{Repo: memtest.New(t)}
	memtest.OK(share.Init(t.Context(), l.Open(), share.InitOptions{Goal: "Search"}))(t)
	l.Git("config", "context.notes", "lazy")
	return l
}

// work commits a milestone of some steps, 13 KB of them.
func (l *library) work(t *testing.T, branch string) store.CommitResult {
	t.Helper()
	l.n++
	steps := make([]store.NewStep, 6)
	for i := range steps {
		steps[i] = store.NewStep{
			Observation: fmt.Sprintf("run %d.%d: %s", l.n, i, strings.Repeat(fmt.Sprintf("word%d handler%d ", (l.n+i)%17, i), 130)),
			Action:      fmt.Sprintf("go test ./store%d -run TestPool%d", l.n%5, i),
		}
	}
	s := l.Open(branch)
	memtest.OK(s.Record(t.Context(), steps))(t)
	return memtest.OK(s.Commit(t.Context(), store.CommitOptions{Branch: branch, Summary: fmt.Sprintf("Pool %d is up", l.n),
		Contribution: fmt.Sprintf("The connection pool of store%d answers in time", l.n%5)}))(t)
}

func (l *library) cache() string { return filepath.Join(l.Dir, ".git", "context", "cache", "search") }

// found is what some searches find now, as JSON: one that reads all of the cache, and
// one of one branch.
func (l *library) found(t *testing.T) string {
	t.Helper()
	var all []string
	for _, o := range []search.Options{
		{Query: "pool TestPool3 word4", All: true, Limit: 100},
		{Query: "connection pool store3", In: search.InCommits, Filter: history.Filter{MinScore: new(0.5)}},
	} {
		res := memtest.OK(search.Search(t.Context(), l.Open(), o))(t)
		for i := range res.Hits {
			res.Hits[i].Score = 0 // its recency is a moment older
		}
		data, err := json.MarshalIndent(res, "", " ")
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, string(data))
	}
	return strings.Join(all, "\n")
}

// same holds that what the cache says is what git says without it.
func (l *library) same(t *testing.T, when string) {
	t.Helper()
	warm := l.found(t)
	saved := l.cache() + ".saved"
	if err := os.Rename(l.cache(), saved); err != nil {
		t.Fatal(err)
	}
	if cold := l.found(t); cold != warm {
		t.Errorf("%s: with the cache\n%s\nwithout\n%s", when, warm, cold)
	}
	if err := errors.Join(os.RemoveAll(l.cache()), os.Rename(saved, l.cache())); err != nil {
		t.Fatal(err)
	}
}

// The cache is never stale, whatever became of the branches since it was written.
func TestSearchIsNeverStale(t *testing.T) {
	t.Parallel()
	l, ctx := newLibrary(t), t.Context()
	for range 7 {
		l.work(t, "main")
	}
	l.same(t, "at first")
	l.Branch("exp", "main")
	l.Branch("gone", "main")
	for i := range 6 {
		l.work(t, []string{"main", "exp", "gone"}[i%3])
	}
	l.same(t, "after more work")
	memtest.OK(l.Open().Remember(ctx, store.TopicOptions{Key: "pool-size", Text: "the pool has ten connections"}))(t)
	memtest.OK(l.Open("exp").Record(ctx, []store.NewStep{{Thought: "TestPool3 word4 is pending"}, {Action: "and so is the pool"}}))(t)
	l.same(t, "after a topic and pending steps")
	noted := memtest.OK(search.Search(ctx, l.Open(), search.Options{Query: "pool", In: search.InCommits}))(t).Hits[0]
	memtest.OK(l.Open().AddNote(ctx, store.NoteOptions{Rev: string(*noted.Commit), Judgement: store.Judgement{Score: new(0.9)}}))(t)
	l.same(t, "after a note")
	l.Merge("exp", "main")
	l.same(t, "after a merge")
	memtest.OK(l.Open().Remember(ctx, store.TopicOptions{Key: "pool-size", Text: "the pool has twenty connections"}))(t)
	memtest.OK(l.Open().DeleteBranch(ctx, "gone", true))(t)
	l.same(t, "after a deletion")
	l.Git("gc", "-q", "--prune=now")
	for range 6 {
		l.work(t, "main")
	}
	l.same(t, "after gc")
	memtest.OK(l.Open().Commit(ctx, store.CommitOptions{Branch: "exp", Summary: "a pool of xylophones"}))(t)
	l.same(t, "before all that one branch had is lost")
	memtest.OK(l.Open().DeleteBranch(ctx, "exp", true))(t)
	l.Git("update-ref", "-d", "refs/notes/context")
	l.forgetDeleted()
	l.Branch("exp", "main")
	memtest.OK(l.Open().Commit(ctx, store.CommitOptions{Branch: "exp", Summary: "a pool of zebras"}))(t)
	other := memtest.OK(search.Search(ctx, l.Open(), search.Options{Query: "pool", In: search.InCommits, Limit: 20}))(t).Hits[10]
	memtest.OK(l.Open().AddNote(ctx, store.NoteOptions{Rev: string(*other.Commit), Judgement: store.Judgement{Score: new(0.9)}}))(t)
	l.same(t, "after a gc took trees that the cache speaks of")
}

// forgetDeleted has git throw away what no branch holds any more.
func (l *library) forgetDeleted() {
	for ref := range strings.Lines(l.Git("for-each-ref", "--format=%(refname)", "refs/context/deleted/")) {
		l.Git("update-ref", "-d", strings.TrimSpace(ref))
	}
	l.Git("reflog", "expire", "--expire=now", "--all")
	l.Git("gc", "-q", "--prune=now")
}

// The command that a hit gives shows what was hit.
func TestSearchOpens(t *testing.T) {
	t.Parallel()
	l, ctx := newLibrary(t), t.Context()
	for range 4 {
		l.work(t, "main")
	}
	l.Branch("exp", "main")
	for i := range 4 {
		l.work(t, []string{"main", "exp"}[i%2])
	}
	l.Merge("exp", "main")
	l.Branch("later", "main")
	l.work(t, "later")
	for _, b := range []string{"main", "later"} {
		memtest.OK(l.Open(b).Record(ctx, []store.NewStep{{Thought: "pool pending on " + b}, {Action: "pool again"}}))(t)
	}
	hits := memtest.OK(search.Search(ctx, l.Open(), search.Options{Query: "pool go test", All: true, Limit: 200}))(t).Hits
	kinds, seen := map[string]int{}, map[string]bool{}
	for _, h := range hits {
		kinds[h.Kind]++
		if seen[h.ID] {
			t.Errorf("%s is found twice", h.ID)
		}
		seen[h.ID] = true
		f := strings.Fields(h.Open)
		switch h.Kind {
		case "step": // git context -b NAME --log --steps 1 --skip N
			s := l.Open(f[3])
			skip, err := strconv.Atoi(f[8])
			if err != nil {
				t.Fatal(h.Open)
			}
			steps, _, err := history.Steps(ctx, s, memtest.OK(s.Tip(ctx, f[3]))(t), skip, 1)
			if err != nil || len(steps) != 1 || steps[0].ID != h.ID {
				t.Errorf("'%s' shows %v, want %s: %v", h.Open, steps, h.ID, err)
			}
		case "commit": // git context --commit ID
			if c := memtest.OK(history.Find(ctx, l.Open(), f[3]))(t); c.ID != h.ID || *c.Hash != *h.Commit || c.Summary != h.Title {
				t.Errorf("'%s' shows %+v, want %+v", h.Open, c, h)
			}
		}
	}
	if kinds["step"] != 9*6+4 || kinds["commit"] < 9 {
		t.Errorf("found %v", kinds)
	}
}

// A milestone whose commit a shallow clone lacks is opened by its place.
func TestSearchOpensWithoutCommits(t *testing.T) {
	t.Parallel()
	l, ctx := newLibrary(t), t.Context()
	for range 5 {
		l.work(t, "main")
	}
	far := memtest.New(t)
	far.Git("fetch", "-q", "--depth", "2", "file://"+l.Dir, "+refs/context/*:refs/context/*")
	lacking := 0
	for _, h := range memtest.OK(search.Search(ctx, far.Open(), search.Options{Query: "pool", Branch: "main", In: search.InCommits}))(t).Hits {
		if h.Commit != nil {
			continue
		}
		lacking++
		s, f := far.Open("main"), strings.Fields(h.Open) // git context -b NAME --limit 1 --skip N
		skip, err := strconv.Atoi(f[len(f)-1])
		if err != nil {
			t.Fatal(h.Open)
		}
		list, _, err := history.Commits(ctx, s, memtest.OK(s.Tip(ctx, f[3]))(t), skip, 1)
		if err != nil || len(list) != 1 || list[0].ID != h.ID {
			t.Errorf("'%s' shows %v, want %s: %v", h.Open, list, h.ID, err)
		}
	}
	if lacking != 3 {
		t.Errorf("%d milestones without a commit, want 3", lacking)
	}
}

// What was noted moves what is about as good, and nothing else.
func TestSearchWeighs(t *testing.T) {
	t.Parallel()
	l, ctx := newLibrary(t), t.Context()
	texts := []string{"The mutex guards the map", "The mutex guards the list", "A mutex, a mutex, a mutex: the mutex held twice", "Nothing of the kind"}
	var made []store.CommitResult
	for _, text := range texts {
		made = append(made, memtest.OK(l.Open().Commit(ctx, store.CommitOptions{Summary: text}))(t))
	}
	first := func(o search.Options) string {
		t.Helper()
		o.Query = "mutex guards"
		if hits := memtest.OK(search.Search(ctx, l.Open(), o))(t).Hits; len(hits) > 0 {
			return hits[0].Title
		}
		return ""
	}
	note := func(i int, score float64, outcome string) {
		t.Helper()
		memtest.OK(l.Open().AddNote(ctx, store.NoteOptions{Rev: string(made[i].Commit), Judgement: store.Judgement{Score: &score, Outcome: outcome}}))(t)
	}
	note(0, 0.9, "success")
	note(1, 0.1, "failed")
	note(3, 1, "success")
	if got := first(search.Options{}); got != texts[0] {
		t.Errorf("first is %q", got)
	}
	note(0, 0, "failed")
	note(1, 1, "success")
	if got := first(search.Options{}); got != texts[1] {
		t.Errorf("after new notes, first is %q", got)
	}
	if got := first(search.Options{Filter: history.Filter{Outcome: "failed"}}); got != texts[0] {
		t.Errorf("first of the failed is %q", got)
	}
	l.Git("config", "context.search.scoreWeight", "much")
	if _, err := search.Search(ctx, l.Open(), search.Options{Query: "mutex"}); !errors.Is(err, fail.ErrInvalid) {
		t.Errorf("a weight that is no number: %v", err)
	}
}

func TestSearchRefuses(t *testing.T) {
	t.Parallel()
	l := newLibrary(t)
	big := 2.0
	for _, o := range []search.Options{
		{}, {Query: "  "}, {Query: "?! --"}, {Query: "the of"}, {Query: strings.Repeat("x ", 5000)},
		{Query: "x", In: "notes"}, {Query: "x", Limit: -1}, {Query: "x", Limit: 5000}, {Query: "x", All: true, Branch: "main"},
		{Query: "x", Filter: history.Filter{MinScore: &big}}, {Query: "x", Filter: history.Filter{Outcome: "fine"}},
		{Query: "x", In: search.InSteps, Filter: history.Filter{Outcome: "failed"}},
	} {
		if _, err := search.Search(t.Context(), l.Open(), o); !errors.Is(err, fail.ErrInvalid) {
			t.Errorf("%+v: %v", o, err)
		}
	}
	if _, err := search.Search(t.Context(), l.Open(), search.Options{Query: "x", Branch: "nope"}); !errors.Is(err, fail.ErrNotFound) {
		t.Errorf("a branch that is not there: %v", err)
	}
	if _, err := search.Search(t.Context(), memtest.New(t).Open(), search.Options{Query: "x", All: true}); !errors.Is(err, fail.ErrNoMemory) {
		t.Errorf("no memory: %v", err)
	}
}
