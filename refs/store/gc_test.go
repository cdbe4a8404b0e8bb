package store_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/git-context/git-context/refs/fail"
	"github.com/git-context/git-context/refs/maintain"
	"github.com/git-context/git-context/refs/search"
	"github.com/git-context/git-context/refs/share"
	"github.com/git-context/git-context/refs/store"
)

func TestGCNeedsMemory(t *testing.T) {
	t.Parallel()
	if _, err := maintain.Run(t.Context(), newRepo(t).open(), maintain.Options{}); !errors.Is(err, fail.ErrNoMemory) {
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
			r := newRepo(t, "--object-format="+format)
			s, ctx := r.open(), t.Context()
			ok(share.Init(ctx, s, share.InitOptions{Goal: "Pack"}))(t)
			c := ok(s.Commit(ctx, store.CommitOptions{Summary: "one"}))(t)
			ok(s.SetTag(ctx, store.Writer{}, "best", string(c.Commit)))(t)
			ok(s.CreateBranch(ctx, store.BranchOptions{Name: "gone", NoSwitch: true}))(t)
			ok(s.DeleteBranch(ctx, "gone", true))(t)
			far := ok(r.open("main").Commit(ctx, store.CommitOptions{Summary: "far"}))(t)
			r.git("remote", "add", "hub", "../hub")
			r.git("update-ref", "refs/context/remotes/hub/heads/main", string(far.Commit))
			res := ok(maintain.Run(ctx, s, maintain.Options{}))(t)
			if loose := r.git("count-objects"); res.Packed == 0 || !strings.HasPrefix(loose, "0 objects") {
				t.Errorf("%+v; %s", res, loose)
			}
			if again := ok(maintain.Run(ctx, s, maintain.Options{}))(t); again.Packed != 0 || again.Dropped != 0 || len(again.Warnings) > 0 {
				t.Errorf("again: %+v", again)
			}
			r.fsck()
		})
	}
}

// A gc that cannot do one part does the others, and tells what it could not.
func TestGCGoesOn(t *testing.T) {
	t.Parallel()
	r := newRepo(t)
	s, ctx := r.open(), t.Context()
	ok(share.Init(ctx, s, share.InitOptions{Goal: "Pack"}))(t)
	r.git("config", "context.deletedExpire", "whenever")
	r.git("update-ref", "refs/context/deleted/x-01JD4Q7X2M8N5P3R6S9T0V1W2X", "refs/context/heads/main")
	res, err := maintain.Run(ctx, r.open(), maintain.Options{})
	if err == nil || !strings.Contains(err.Error(), "cannot drop deleted branches: context.deletedExpire") || res.Packed == 0 {
		t.Errorf("%+v %v", res, err)
	}
}

// The index of searches loses what no branch has any more.
func TestGCCleansTheIndexOfSearches(t *testing.T) {
	t.Parallel()
	r := newRepo(t)
	s, ctx := r.open(), t.Context()
	ok(share.Init(ctx, s, share.InitOptions{Goal: "Search"}))(t)
	ok(s.CreateBranch(ctx, store.BranchOptions{Name: "large", NoSwitch: true}))(t)
	large := r.open("large")
	for i := range 8 {
		steps := make([]store.NewStep, 100)
		for k := range steps {
			steps[k] = store.NewStep{Action: fmt.Sprintf("word%d %s", i*100+k, strings.Repeat("this and that ", 20))}
		}
		if i == 3 {
			steps[0].Thought = "xyzzy"
		}
		ok(large.Record(ctx, steps))(t)
		ok(large.Commit(ctx, store.CommitOptions{Summary: fmt.Sprint("part ", i)}))(t)
	}
	found := func(want int) {
		t.Helper()
		res := ok(search.Search(ctx, r.open(), search.Options{Query: "xyzzy", All: true}))(t)
		if len(res.Hits) != want {
			t.Errorf("%d hits, want %d", len(res.Hits), want)
		}
	}
	cached := func() (size int64) {
		files := ok(filepath.Glob(filepath.Join(r.dir, ".git", "context", "cache", "search", "*.shard")))(t)
		for _, f := range files {
			size += ok(os.Stat(f))(t).Size()
		}
		return size
	}
	found(1)
	before := cached()
	ok(maintain.Run(ctx, r.open(), maintain.Options{}))(t)
	if after := cached(); before == 0 || after != before {
		t.Errorf("%d bytes of what lives, %d before", after, before)
	}
	ok(s.DeleteBranch(ctx, "large", true))(t)
	ok(maintain.Run(ctx, r.open(), maintain.Options{}))(t)
	if after := cached(); after > before/10 {
		t.Errorf("%d bytes of what is dead, of %d", after, before)
	}
	found(0)
}

// The versions of a live file, and the segment that the last of them becomes, are like
// each other and like no other: one is stored whole, the others as what differs.
func TestGCComparesWhatIsAlike(t *testing.T) {
	t.Parallel()
	r := newRepo(t)
	s, ctx := r.open(), t.Context()
	ok(share.Init(ctx, s, share.InitOptions{Goal: "Be small"}))(t)
	for i := range 40 {
		ok(s.Record(ctx, []store.NewStep{{Observation: noise(uint64(i), 2000)}}))(t)
		ok(s.Commit(ctx, store.CommitOptions{Summary: "Step on", Contribution: noise(uint64(1000+i), 1500)}))(t)
	}
	ok(maintain.Run(ctx, s, maintain.Options{}))(t)
	stored := map[string]int{} // whole, by the first entry
	for line := range strings.Lines(r.git("cat-file", "--batch-all-objects", "--batch-check=%(objectname) %(objecttype) %(deltabase)")) {
		f := strings.Fields(line)
		if f[1] != "blob" {
			continue
		}
		_, text, _ := strings.Cut(r.git("cat-file", "blob", f[0]), " · ")
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
	r.fsck()
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
