package search_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/git-context/git-context/internal/gittest"
	"github.com/git-context/git-context/refs"
	"github.com/git-context/git-context/refs/fail"
	"github.com/git-context/git-context/refs/internal/memtest"
	"github.com/git-context/git-context/refs/merge"
	"github.com/git-context/git-context/refs/search"
	"github.com/git-context/git-context/refs/share"
	"github.com/git-context/git-context/refs/store"
)

// readLines reads a file of the labelled set; package index says what it holds.
func readLines[T any](t *testing.T, name string) (list []T) {
	t.Helper()
	f, err := os.Open(filepath.Join("..", "index", "testdata", "recall", "held-out", name))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for sc := bufio.NewScanner(f); sc.Scan(); {
		var v T
		if err := json.Unmarshal(sc.Bytes(), &v); err != nil {
			t.Fatal(err)
		}
		list = append(list, v)
	}
	return list
}

// recall asks as a process of its own does.
func recall(r *memtest.Repo, o search.RecallOptions) []search.Hit {
	r.T.Helper()
	s := r.Open()
	defer s.Close()
	res, err := search.Recall(r.T.Context(), s, o)
	if err != nil {
		r.T.Fatal(err)
	}
	return res.Hits
}

// A memory of many cases gives the one that a text repeats, and no other.
func TestRecallFindsTheCaseAmongOthers(t *testing.T) {
	t.Parallel()
	r := memtest.New(t)
	s, ctx := r.Open(), t.Context()
	memtest.OK(share.Init(ctx, s, share.InitOptions{}))(t)
	ids := map[string]string{}
	for _, c := range readLines[struct{ ID, Kind, Summary, Contribution string }](t, "cases.jsonl") {
		if c.Kind == "commit" && len(ids) < 12 {
			done := memtest.OK(s.Commit(ctx, store.CommitOptions{Summary: c.Summary, Contribution: c.Contribution}))(t)
			ids[c.ID] = done.ID
		}
	}
	asked := 0
	for _, p := range readLines[struct{ Class, Case, Text string }](t, "pairs.jsonl") {
		if p.Class != "duplicate" || ids[p.Case] == "" {
			continue
		}
		asked++
		hits := recall(r, search.RecallOptions{Text: p.Text})
		if len(hits) != 1 || hits[0].ID != ids[p.Case] || !*hits[0].Duplicate {
			t.Errorf("'%s' recalls %+v, not %s alone", p.Text, hits, p.Case)
		}
	}
	if asked < 10 {
		t.Fatalf("only %d cases were asked for", asked)
	}
}

// A user waits for the recall of each prompt, so one without a hit starts a single process of git.
func TestStrictRecallWithoutAHitAsksGitOnce(t *testing.T) {
	t.Parallel()
	gittest.NeedRefFiles(t) // else git reads them
	r, ctx := memtest.New(t), t.Context()
	s := r.Open()
	memtest.OK(share.Init(ctx, s, share.InitOptions{}))(t)
	for _, name := range []string{"parser", "lexer"} {
		memtest.OK(s.Record(ctx, []store.NewStep{{Observation: "the " + name + " loses the last line"}}))(t)
		memtest.OK(s.Commit(ctx, store.CommitOptions{Summary: "The " + name + " reads to the end"}))(t)
	}
	recall(r, search.RecallOptions{Text: leak}) // makes the cache
	var trace bytes.Buffer
	asking := memtest.OK(refs.Open(ctx, store.Options{Dir: r.Dir, Env: r.Env, Now: time.Now, Trace: &trace}))(t)
	hits := memtest.OK(search.Recall(ctx, asking, search.RecallOptions{Text: "the parser reads dates", Strict: true}))(t).Hits
	if err := asking.Close(); err != nil || len(hits) > 0 {
		t.Fatalf("recalled %v, %v", hits, err)
	}
	for line := range strings.Lines(trace.String()) {
		// The configuration is read by git once after each change.
		if !strings.Contains(line, " git cat-file") && !strings.Contains(line, " git config") {
			t.Errorf("it runs %s", line)
		}
	}
}

const (
	leak     = "TestShutdown leaks goroutines because the pool is drained while idle connections are still open"
	solution = "Pool.drain closes every idle connection under the lock and waits for the active ones."
)

// An entry that a merge left on two branches is one hit; a damaged or missing cache
// changes no answer.
func TestRecallIsTheSameEveryTime(t *testing.T) {
	t.Parallel()
	r := memtest.New(t)
	s, ctx := r.Open(), t.Context()
	memtest.OK(share.Init(ctx, s, share.InitOptions{}))(t)
	memtest.OK(s.CreateBranch(ctx, store.BranchOptions{Name: "try"}))(t)
	memtest.OK(s.Commit(ctx, store.CommitOptions{Summary: "Close idle connections", Contribution: leak + ". " + solution}))(t)
	// Enough text for the cache to be written.
	memtest.OK(s.Commit(ctx, store.CommitOptions{Summary: "Read a manual", Contribution: manual(80 << 10)}))(t)
	memtest.OK(merge.Merge(ctx, s, store.MergeOptions{Source: "try", Into: "main", Keep: true}))(t)

	ask := func(when string) {
		t.Helper()
		hits := recall(r, search.RecallOptions{Text: leak + "; " + solution})
		if len(hits) != 1 || hits[0].Title != "Close idle connections" || hits[0].Commit == nil {
			t.Errorf("%s: %+v", when, hits)
		}
	}
	ask("without a cache")
	files, err := filepath.Glob(filepath.Join(r.Dir, ".git", "context", "cache", "search", "*"))
	if err != nil || !slices.ContainsFunc(files, func(f string) bool { return strings.HasSuffix(f, ".shard") }) {
		t.Fatalf("the cache holds %v, %v", files, err)
	}
	ask("with a cache")
	for _, f := range files {
		data := memtest.OK(os.ReadFile(f))(t)
		for i := len(data) / 2; i < len(data); i += 7 {
			data[i] ^= 0x55
		}
		if err := os.WriteFile(f, data, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	ask("with a damaged cache")
	if err := os.RemoveAll(filepath.Dir(files[0])); err != nil {
		t.Fatal(err)
	}
	ask("after its deletion")
}

// manual is a text of many words, none of them the leak's.
func manual(size int) string {
	var b strings.Builder
	for i := 0; b.Len() < size; i++ {
		b.WriteString([]string{"press ", "lever ", "turn ", "knob ", "until ", "lamp ", "glows "}[i%7])
		if i%500 == 0 {
			b.WriteString("\n\n")
		}
	}
	return b.String()
}

// What waits to be committed is not in the way, however often it says the same.
func TestRecallBehindPendingSteps(t *testing.T) {
	t.Parallel()
	r := memtest.New(t)
	s, ctx := r.Open(), t.Context()
	memtest.OK(share.Init(ctx, s, share.InitOptions{}))(t)
	memtest.OK(s.Commit(ctx, store.CommitOptions{Summary: "Close idle connections", Contribution: leak}))(t)
	var steps []store.NewStep
	for range 70 {
		steps = append(steps, store.NewStep{Observation: leak})
	}
	memtest.OK(s.Record(ctx, steps))(t)
	hits := recall(r, search.RecallOptions{Text: leak})
	if len(hits) != 1 || hits[0].Kind != "commit" {
		t.Errorf("behind 70 pending steps: %+v", hits)
	}
}

func TestRecallRefuses(t *testing.T) {
	t.Parallel()
	r := memtest.New(t)
	s, ctx := r.Open(), t.Context()
	if _, err := search.Recall(ctx, s, search.RecallOptions{Text: "pool"}); !errors.Is(err, fail.ErrNoMemory) {
		t.Errorf("without memory: %v", err)
	}
	memtest.OK(share.Init(ctx, s, share.InitOptions{}))(t)
	number := func(x float64) *float64 { return &x }
	for _, c := range []struct {
		code string
		kind error
		o    search.RecallOptions
	}{
		{"recall-empty", fail.ErrInvalid, search.RecallOptions{}},
		{"recall-empty", fail.ErrInvalid, search.RecallOptions{Text: " \n\t"}},
		{"recall-empty", fail.ErrInvalid, search.RecallOptions{Text: "?! ... — ()"}},
		{"recall-empty", fail.ErrInvalid, search.RecallOptions{Text: "the of and it is"}},
		{"recall-too-large", fail.ErrInvalid, search.RecallOptions{Text: strings.Repeat("pool ", 14_000)}},
		{"similarity-invalid", fail.ErrInvalid, search.RecallOptions{Text: "pool", MinSimilarity: number(1.01)}},
		{"similarity-invalid", fail.ErrInvalid, search.RecallOptions{Text: "pool", MinSimilarity: number(-0.01)}},
		{"recall-limit", fail.ErrInvalid, search.RecallOptions{Text: "pool", Limit: 101}},
		{"recall-limit", fail.ErrInvalid, search.RecallOptions{Text: "pool", Limit: -1}},
		{"branch-not-found", fail.ErrNotFound, search.RecallOptions{Text: "pool", Branch: "nope"}},
	} {
		_, err := search.Recall(ctx, s, c.o)
		var failure *fail.Error
		if !errors.As(err, &failure) || failure.Code != c.code || !errors.Is(err, c.kind) {
			t.Errorf("%.40q: %v, not %s", c.o.Text, err, c.code)
		}
	}
	// A memory without a case, and a text as long as may be, are no errors.
	for _, text := range []string{"pool", strings.Repeat("pool ", 13_000), "\xff\xfe pool", "0", "日"} {
		if hits := recall(r, search.RecallOptions{Text: text, MinSimilarity: number(0)}); len(hits) != 0 {
			t.Errorf("%.40q: %+v", text, hits)
		}
	}
}

// What became of a case stands in its note, or in the name of its tag.
func TestRecallSaysWhatBecameOfIt(t *testing.T) {
	t.Parallel()
	r := memtest.New(t)
	s, ctx := r.Open(), t.Context()
	memtest.OK(share.Init(ctx, s, share.InitOptions{}))(t)
	done := memtest.OK(s.Commit(ctx, store.CommitOptions{Summary: "Sleep in Pool.Close", Contribution: leak}))(t)
	outcome := func() string {
		t.Helper()
		hits := recall(r, search.RecallOptions{Text: leak})
		if len(hits) != 1 {
			t.Fatalf("%+v", hits)
		}
		if hits[0].Outcome == nil {
			return ""
		}
		return *hits[0].Outcome
	}
	if got := outcome(); got != "" {
		t.Errorf("nothing was said, and it is '%s'", got)
	}
	memtest.OK(s.SetTag(ctx, store.Writer{}, "success/sleep", done.ID))(t)
	if got := outcome(); got != "success" {
		t.Errorf("tagged success/sleep, it is '%s'", got)
	}
	memtest.OK(s.AddNote(ctx, store.NoteOptions{Rev: done.ID, Judgement: store.Judgement{Outcome: "failed"}}))(t)
	if got := outcome(); got != "failed" {
		t.Errorf("noted failed, it is '%s'", got)
	}
}

// Nearly every problem in other words finds its past case, as met before or as related.
func TestRecallRelatesParaphrases(t *testing.T) {
	t.Parallel()
	r, ctx := memtest.New(t), t.Context()
	s := r.Open()
	r.Git("config", "context.notes", "lazy")
	memtest.OK(share.Init(ctx, s, share.InitOptions{Goal: "Measure"}))(t)
	entry := rememberCases(t, s, "calibration", "held-out")
	memtest.OK(s.Commit(ctx, store.CommitOptions{Summary: "End"}))(t)
	asked, met, related := 0, 0, 0
	for _, p := range readLines[struct{ Class, Case, Text string }](t, "pairs.jsonl") {
		if p.Class != "paraphrase" {
			continue
		}
		asked++
		for _, h := range recall(r, search.RecallOptions{Text: p.Text}) {
			switch {
			case h.ID != entry["held-out"+p.Case]:
			case *h.Related:
				related++
			default:
				met++
			}
		}
	}
	t.Logf("of %d paraphrases, %d were met before and %d are related", asked, met, related)
	if asked == 0 || met+related < asked*95/100 {
		t.Errorf("of %d paraphrases only %d were found", asked, met+related)
	}
}
