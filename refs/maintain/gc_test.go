package maintain_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/git-context/git-context/refs/fail"
	"github.com/git-context/git-context/refs/internal/memtest"
	"github.com/git-context/git-context/refs/maintain"
	"github.com/git-context/git-context/refs/search"
	"github.com/git-context/git-context/refs/share"
	"github.com/git-context/git-context/refs/store"
)

func TestGCNeedsMemory(t *testing.T) {
	t.Parallel()
	if _, err := maintain.Run(t.Context(), memtest.New(t).Open(), maintain.Options{}); !errors.Is(err, fail.ErrNoMemory) {
		t.Error(err)
	}
}

// Whatever git's object format: what memory's refs reach is packed, deleted branches and
// what remotes have included.
func TestGCPacksAllRefsOfMemory(t *testing.T) {
	t.Parallel()
	for _, format := range []string{"sha1", "sha256"} {
		t.Run(format, func(t *testing.T) {
			t.Parallel()
			r := memtest.New(t, "--object-format="+format)
			s, ctx := r.Open(), t.Context()
			memtest.OK(share.Init(ctx, s, share.InitOptions{Goal: "Pack"}))(t)
			c := memtest.OK(s.Commit(ctx, store.CommitOptions{Summary: "one"}))(t)
			memtest.OK(s.SetTag(ctx, store.Writer{}, "best", string(c.Commit)))(t)
			memtest.OK(s.CreateBranch(ctx, store.BranchOptions{Name: "gone", NoSwitch: true}))(t)
			memtest.OK(s.DeleteBranch(ctx, "gone", true))(t)
			far := memtest.OK(r.Open("main").Commit(ctx, store.CommitOptions{Summary: "far"}))(t)
			r.Git("remote", "add", "hub", "../hub")
			r.Git("update-ref", "refs/context/remotes/hub/heads/main", string(far.Commit))
			res := memtest.OK(maintain.Run(ctx, s, maintain.Options{}))(t)
			if loose := r.Git("count-objects"); res.Packed == 0 || !strings.HasPrefix(loose, "0 objects") {
				t.Errorf("%+v; %s", res, loose)
			}
			if again := memtest.OK(maintain.Run(ctx, s, maintain.Options{}))(t); again.Packed != 0 || again.Dropped != 0 || len(again.Warnings) > 0 {
				t.Errorf("again: %+v", again)
			}
			r.Fsck()
		})
	}
}

// A gc that cannot do one part does the others, and tells what it could not.
func TestGCGoesOn(t *testing.T) {
	t.Parallel()
	r := memtest.New(t)
	s, ctx := r.Open(), t.Context()
	memtest.OK(share.Init(ctx, s, share.InitOptions{Goal: "Pack"}))(t)
	r.Git("config", "context.deletedExpire", "whenever")
	r.Git("update-ref", "refs/context/deleted/x-01JD4Q7X2M8N5P3R6S9T0V1W2X", "refs/context/heads/main")
	res, err := maintain.Run(ctx, r.Open(), maintain.Options{})
	if err == nil || !strings.Contains(err.Error(), "cannot drop deleted branches: context.deletedExpire") || res.Packed == 0 {
		t.Errorf("%+v %v", res, err)
	}
}

// The index of searches loses what no branch has any more.
func TestGCCleansTheIndexOfSearches(t *testing.T) {
	t.Parallel()
	r := memtest.New(t)
	s, ctx := r.Open(), t.Context()
	memtest.OK(share.Init(ctx, s, share.InitOptions{Goal: "Search"}))(t)
	memtest.OK(s.CreateBranch(ctx, store.BranchOptions{Name: "large", NoSwitch: true}))(t)
	large := r.Open("large")
	for i := range 8 {
		steps := make([]store.NewStep, 100)
		for k := range steps {
			steps[k] = store.NewStep{Action: fmt.Sprintf("word%d %s", i*100+k, strings.Repeat("this and that ", 20))}
		}
		if i == 3 {
			steps[0].Thought = "xyzzy"
		}
		memtest.OK(large.Record(ctx, steps))(t)
		memtest.OK(large.Commit(ctx, store.CommitOptions{Summary: fmt.Sprint("part ", i)}))(t)
	}
	found := func(want int) {
		t.Helper()
		res := memtest.OK(search.Search(ctx, r.Open(), search.Options{Query: "xyzzy", All: true}))(t)
		if len(res.Hits) != want {
			t.Errorf("%d hits, want %d", len(res.Hits), want)
		}
	}
	cached := func() (size int64) {
		files := memtest.OK(filepath.Glob(filepath.Join(r.Dir, ".git", "context", "cache", "search", "*.shard")))(t)
		for _, f := range files {
			size += memtest.OK(os.Stat(f))(t).Size()
		}
		return size
	}
	found(1)
	before := cached()
	memtest.OK(maintain.Run(ctx, r.Open(), maintain.Options{}))(t)
	if after := cached(); before == 0 || after != before {
		t.Errorf("%d bytes of what lives, %d before", after, before)
	}
	memtest.OK(s.DeleteBranch(ctx, "large", true))(t)
	memtest.OK(maintain.Run(ctx, r.Open(), maintain.Options{}))(t)
	if after := cached(); after > before/10 {
		t.Errorf("%d bytes of what is dead, of %d", after, before)
	}
	found(0)
}

// The versions of a live file, and the segment that the last of them becomes, are like
// each other and like no other: one is stored whole, the others as what differs.
func TestGCComparesWhatIsAlike(t *testing.T) {
	t.Parallel()
	r := memtest.New(t)
	s, ctx := r.Open(), t.Context()
	memtest.OK(share.Init(ctx, s, share.InitOptions{Goal: "Be small"}))(t)
	for i := range 40 {
		memtest.OK(s.Record(ctx, []store.NewStep{{Observation: noise(uint64(i), 2000)}}))(t)
		memtest.OK(s.Commit(ctx, store.CommitOptions{Summary: "Step on", Contribution: noise(uint64(1000+i), 1500)}))(t)
	}
	memtest.OK(maintain.Run(ctx, s, maintain.Options{}))(t)
	stored := map[string]int{} // whole, by the first entry
	for line := range strings.Lines(r.Git("cat-file", "--batch-all-objects", "--batch-check=%(objectname) %(objecttype) %(deltabase)")) {
		f := strings.Fields(line)
		if f[1] != "blob" {
			continue
		}
		_, text, _ := strings.Cut(r.Git("cat-file", "blob", f[0]), " · ")
		first, _, _ := strings.Cut(text, "\n")
		if first != "" && strings.Trim(f[2], "0") == "" {
			stored[first[len(first)-26:]]++
		}
	}
	if len(stored) < 10 {
		t.Errorf("only %d files were sealed", len(stored))
	}
	for first, n := range stored {
		if n > 1 {
			t.Errorf("what begins with %s is stored whole %d times", first, n)
		}
	}
	r.Fsck()
}

// noise is text that nothing else is like.
func noise(seed uint64, size int) string {
	rng := rand.New(rand.NewPCG(seed, 1))
	var b strings.Builder
	for b.Len() < size {
		fmt.Fprintf(&b, "%x ", rng.Uint32())
	}
	return b.String()
}
