package search_test

import (
	"cmp"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/git-context/git-context/refs/cache"
	"github.com/git-context/git-context/refs/doc"
	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/index"
	"github.com/git-context/git-context/refs/internal/memtest"
	"github.com/git-context/git-context/refs/search"
	"github.com/git-context/git-context/refs/store"
)

// A cache that is damaged, or is none at all, is as good as none.
func TestSearchTrustsNoCache(t *testing.T) {
	t.Parallel()
	l := newLibrary(t)
	for range 7 {
		l.work(t, "main")
	}
	best := memtest.OK(search.Search(t.Context(), l.Open(), search.Options{Query: "pool", In: search.InCommits}))(t).Hits[0]
	memtest.OK(l.Open().AddNote(t.Context(), store.NoteOptions{Rev: string(*best.Commit), Judgement: store.Judgement{Score: new(0.9)}}))(t)
	memtest.OK(l.Open().Record(t.Context(), []store.NewStep{{Thought: "the pool is pending"}}))(t)
	want, milestones := l.found(t), l.milestonesFound(t)
	names, err := os.ReadDir(l.cache())
	if err != nil || len(names) < 4 {
		t.Fatal(names, err)
	}
	for _, n := range names {
		path := filepath.Join(l.cache(), n.Name())
		if n.Name() == "here" {
			continue // it is what the others are sealed with
		}
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		flipped := slices.Clone(data)
		for at := len(data) / 3; at < len(data); at += max(1, len(data)/50) {
			flipped[at] ^= 0x20
		}
		for what, bad := range map[string][]byte{"empty": nil, "cut": data[:len(data)/2], "flipped": flipped, "text": []byte("x\ny\n")} {
			if err := os.WriteFile(path, bad, 0o666); err != nil {
				t.Fatal(err)
			}
			if got := l.found(t); got != want {
				t.Errorf("%s, %s:\n%s\nwant\n%s", n.Name(), what, got, want)
			}
		}
		if strings.HasSuffix(path, ".shard") {
			l.spoilPostings(t, path, data)
		}
		if got := l.milestonesFound(t); !slices.Equal(got, milestones) {
			t.Errorf("%s: of milestones, %q, want %q", n.Name(), got, milestones)
		}
	}
	if err := errors.Join(os.RemoveAll(filepath.Dir(l.cache())), os.WriteFile(filepath.Dir(l.cache()), nil, 0o666)); err != nil {
		t.Fatal(err)
	}
	if got := l.found(t); got != want { // nowhere to write
		t.Errorf("without a place for a cache:\n%s\nwant\n%s", got, want)
	}
}

// A cache that came with an archive is as good as none, though every file of it is whole: the
// index in it may give false hits and hide others, and the lists may say what no note does.
func TestSearchTrustsNoForeignCache(t *testing.T) {
	t.Parallel()
	l, stranger := newLibrary(t), newLibrary(t)
	for range 7 {
		l.work(t, "main")
		stranger.work(t, "main")
	}
	want := l.found(t)
	if stranger.found(t) == "" {
		t.Fatal("nothing is found")
	}
	b := index.NewBuilder() // of the units of l, without any of its words
	for _, name := range []string{doc.CommitFile, doc.LogFile} {
		id := strings.TrimSpace(l.Git("rev-parse", git.BranchRef("main")+":"+name))
		key := index.Key{Kind: index.Commits}
		if name == doc.LogFile {
			key.Kind = index.Steps
		}
		if _, err := hex.Decode(key.ID[:], []byte(id[:2*len(key.ID)])); err != nil {
			t.Fatal(err)
		}
		b.Unit(key)
	}
	if err := os.WriteFile(filepath.Join(stranger.cache(), "1-00.shard"), b.Bytes(), 0o666); err != nil {
		t.Fatal(err)
	}
	if err := os.RemoveAll(l.cache()); err != nil {
		t.Fatal(err)
	}
	if err := os.CopyFS(l.cache(), os.DirFS(stranger.cache())); err != nil {
		t.Fatal(err)
	}
	if got := l.found(t); got != want {
		t.Errorf("with a foreign cache:\n%s\nwant\n%s", got, want)
	}
	cache.Write(stranger.Open().Repo(), "roadmap", "forged")
	if err := os.WriteFile(filepath.Join(l.cache(), "roadmap"), memtest.OK(os.ReadFile(filepath.Join(stranger.cache(), "roadmap")))(t), 0o666); err != nil {
		t.Fatal(err)
	}
	if text := cache.Read(l.Open().Repo(), "roadmap"); text != "" {
		t.Errorf("a foreign file says '%s'", text)
	}
}

// What is costly to read is cached, however little of it is found by; and the same memory
// gives the same cache.
func TestSearchCachesWhatItRead(t *testing.T) {
	t.Parallel()
	l := newLibrary(t)
	steps := make([]store.NewStep, 500) // of 200 bytes each, six of them text
	for i := range steps {
		steps[i] = store.NewStep{Action: "gofmt", Session: strings.Repeat("s", 80)}
	}
	memtest.OK(l.Open().Record(t.Context(), steps))(t)
	memtest.OK(l.Open().Commit(t.Context(), store.CommitOptions{Summary: "Tidy"}))(t)
	for i := range 40 { // so many files that several goroutines index them
		key := fmt.Sprintf("topic%d", i)
		memtest.OK(l.Open().Remember(t.Context(), store.TopicOptions{Key: key, Text: "what " + key + " is about"}))(t)
	}
	var first string
	for range 3 {
		memtest.OK(search.Search(t.Context(), l.Open(), search.Options{Query: "gofmt"}))(t)
		names := memtest.OK(filepath.Glob(filepath.Join(l.cache(), "*.shard")))(t)
		if len(names) == 0 {
			t.Fatal("nothing is cached")
		}
		all := ""
		for _, name := range names {
			unsealed := filepath.Base(name)
			all += unsealed[:strings.LastIndex(unsealed, "-")] + " " + string(memtest.OK(os.ReadFile(name))(t))
		}
		if first = cmp.Or(first, all); all != first {
			t.Errorf("the same memory has two caches")
		}
		if err := os.RemoveAll(l.cache()); err != nil {
			t.Fatal(err)
		}
	}
}

// spoilPostings damages all of a shard that is read only when it is searched; see package
// index for the numbers.
func (l *library) spoilPostings(t *testing.T, path string, data []byte) {
	t.Helper()
	number := func(at int) int { return int(binary.LittleEndian.Uint32(data[at:])) }
	bad := slices.Clone(data)
	for i := 40 + 28*number(8) + 20*number(12) + 12<<number(16) + 4; i < len(bad); i++ {
		bad[i] ^= 0x20
	}
	if err := os.WriteFile(path, bad, 0o666); err != nil {
		t.Fatal(err)
	}
}

// milestonesFound is what a search of milestones alone finds.
func (l *library) milestonesFound(t *testing.T) (found []string) {
	t.Helper()
	for _, h := range memtest.OK(search.Search(t.Context(), l.Open(), search.Options{Query: "pool", In: search.InCommits}))(t).Hits {
		found = append(found, h.Kind+" "+h.Title)
	}
	return found
}

// Searches at once wait for none and agree; the cache keeps its bounds.
func TestSearchesAtOnce(t *testing.T) {
	t.Parallel()
	l := newLibrary(t)
	for range 7 {
		l.work(t, "main")
	}
	want := l.found(t)
	if err := os.RemoveAll(l.cache()); err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			if got := l.found(t); got != want {
				t.Errorf("at once:\n%s\nwant\n%s", got, want)
			}
		})
	}
	wg.Wait()
	l.Git("config", "context.search.cacheLimit", "60k")
	for range 2 {
		for range 6 {
			l.work(t, "main")
		}
		l.same(t, "with a small cache")
		if n := l.shardBytes(t); n > 60<<10 {
			t.Errorf("the cache has %d bytes", n)
		}
	}
}

// A memory that is larger than its cache may be is cached as far as it fits, and then let be.
func TestSearchCachesWhatFits(t *testing.T) {
	t.Parallel()
	l := newLibrary(t)
	for i := range 20 {
		var steps []store.NewStep
		for j := range 8 {
			text := strings.Repeat(fmt.Sprintf("word%d handler%d pool%d ", 8*i+j, i%7, 24*i+3*j), 150)
			steps = append(steps, store.NewStep{Observation: text, Action: fmt.Sprintf("x%d y%d", 7*i+j, 9*i+j)})
		}
		memtest.OK(l.Open().Record(t.Context(), steps))(t)
		memtest.OK(l.Open().Commit(t.Context(), store.CommitOptions{Summary: fmt.Sprintf("Milestone %d", i)}))(t)
	}
	l.found(t)
	whole := l.shardBytes(t)
	limit := whole / 2
	l.Git("config", "context.search.cacheLimit", fmt.Sprint(limit))
	if err := os.RemoveAll(l.cache()); err != nil {
		t.Fatal(err)
	}
	var first string
	for i := range 5 {
		l.found(t)
		if i < 2 {
			continue // as much as fits is taken in twice
		}
		now := strings.Join(memtest.OK(filepath.Glob(filepath.Join(l.cache(), "*.shard")))(t), " ")
		if first = cmp.Or(first, now); now != first {
			t.Errorf("what was cached is cached anew: %s, was %s", now, first)
		}
		if n := l.shardBytes(t); n > limit || n < limit/2 {
			t.Errorf("of %d bytes, %d are cached; %d may be", whole, n, limit)
		}
	}
	l.same(t, "with half of a cache")
}

// The cache stays a few files, obeys a new limit, and makes room of what is dead.
func TestSearchCacheIsTidy(t *testing.T) {
	t.Parallel()
	l := newLibrary(t)
	grow := func(branch string) int64 { // by more than cacheFrom
		t.Helper()
		l.n++
		text := strings.Repeat("- ", 35000)
		for i := range 300 {
			text += fmt.Sprintf("pool%d ", 300*l.n+i)
		}
		memtest.OK(l.Open(branch).Record(t.Context(), []store.NewStep{{Observation: text}}))(t)
		memtest.OK(l.Open(branch).Commit(t.Context(), store.CommitOptions{Branch: branch, Summary: fmt.Sprintf("Milestone %d", l.n)}))(t)
		memtest.OK(search.Search(t.Context(), l.Open(), search.Options{Query: "pool", All: true, Limit: 1}))(t)
		return l.shardBytes(t)
	}
	files := func() []string { return memtest.OK(filepath.Glob(filepath.Join(l.cache(), "*.shard")))(t) }
	for range 10 {
		grow("main")
		if n := len(files()); n == 0 || n > 8 {
			t.Fatalf("the cache has %d files", n)
		}
	}
	l.same(t, "after a join")
	l.Branch("gone", "main")
	for range 4 {
		grow("gone")
	}
	before := grow("main")
	memtest.OK(l.Open().DeleteBranch(t.Context(), "gone", true))(t)
	l.Git("config", "context.search.cacheLimit", fmt.Sprint(before))
	if after := grow("main"); after > before || after < before/4 {
		t.Errorf("of what is dead, %d bytes became %d", before, after)
	}
	l.same(t, "after the dead went")
	l.work(t, "main")
	l.found(t)
	if text := string(memtest.OK(os.ReadFile(filepath.Join(l.cache(), "commits")))(t)); strings.Count(text, "\ntip ") != 1 {
		t.Errorf("the cache remembers more than one branch:\n%s", text)
	}
	l.Git("config", "context.search.cacheLimit", fmt.Sprint(before/4))
	if after := grow("main"); after > before/4 {
		t.Errorf("%d bytes are cached; %d may be", after, before/4)
	}
	l.same(t, "with a smaller limit")
}

func (l *library) shardBytes(t *testing.T) (sum int64) {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(l.cache(), "*.shard"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		sum += memtest.OK(os.Stat(name))(t).Size()
	}
	return sum
}
