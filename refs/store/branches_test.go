package store_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/git-context/git-context/internal/gittest"
	"github.com/git-context/git-context/refs"
	"github.com/git-context/git-context/refs/internal/memtest"
	"github.com/git-context/git-context/refs/merge"
	"github.com/git-context/git-context/refs/store"
	"github.com/google/go-cmp/cmp"
)

// A list is the same whether git is asked for it or the tips are read one by one.
func TestBranchesReadAndAsked(t *testing.T) {
	gittest.NeedRefFiles(t)
	t.Parallel()
	r, m := memtest.NewCommits(t, 2)
	ctx := t.Context()
	check := func(what string, children int) {
		t.Helper()
		for _, status := range []string{"", "active", "merged", "abandoned"} {
			var trace strings.Builder
			s := memtest.OK(refs.Open(ctx, store.Options{Dir: r.Dir, Env: r.Env, Now: time.Now, Trace: &trace}))(t)
			read := memtest.OK(s.Branches(ctx, store.BranchQuery{Status: status}))(t)
			if n := strings.Count(trace.String(), "for-each-ref"); n != children {
				t.Errorf("%s: git was asked %d times, not %d:\n%s", what, n, children, trace.String())
			}
			asked := memtest.OK(s.Branches(ctx, store.BranchQuery{Status: status, Remotes: true}))(t) // of which there are none
			if diff := cmp.Diff(asked, read); diff != "" || status == "active" && len(read) == 0 {
				t.Errorf("%s, '%s' (-asked +read): %s", what, status, diff)
			}
			if err := s.Close(); err != nil {
				t.Fatal(err)
			}
		}
	}
	check("one", 0)
	long := strings.Repeat("many words ", 60)
	memtest.OK(r.Open().CreateBranch(ctx, store.BranchOptions{Name: "side/one", Purpose: "Two lines:\nthis, and " + long}))(t)
	memtest.OK(r.Open().Commit(ctx, store.CommitOptions{Summary: "On the side: " + long[:300], Contribution: "Key: value\n\n---\n\nOther-Key: " + long}))(t)
	memtest.OK(r.Open("main").Record(ctx, []store.NewStep{{Action: "pending"}, {Action: "too"}}))(t)
	memtest.OK(r.Open().CreateBranch(ctx, store.BranchOptions{Name: "gone", From: m[0]}))(t)
	r.Merge("gone", "side/one")
	memtest.OK(r.Open().CreateBranch(ctx, store.BranchOptions{Name: "given-up", NoSwitch: true}))(t)
	memtest.OK(merge.Merge(ctx, r.Open(), store.MergeOptions{Source: "given-up", Abandon: true, Summary: "No"}))(t)
	later := func() time.Time { return time.Now().Add(time.Hour) }
	s := memtest.OK(refs.Open(ctx, store.Options{Dir: r.Dir, Env: r.Env, Now: later, Branch: "side/one"}))(t)
	memtest.OK(s.Commit(ctx, store.CommitOptions{Summary: "Newest of all: " + long}))(t)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	check("loose", 0)
	r.Git("gc", "-q")
	r.Git("pack-refs", "--all")
	check("packed", 0)
	r.Teach("main", "ann", "pool", "newest of all")
	check("both", 0)
	r.Git("update-ref", "refs/context/heads/foreign", r.Git("commit-tree", "-m", "Some subject\n\nNo-Trailer of ours\nContext-Last: x", "refs/context/heads/main^{tree}"))
	r.Git("update-ref", "refs/context/heads/scissors", r.Git("commit-tree", "-p", "refs/context/heads/main", "-m",
		"Subject\n\n# ------------------------ >8 ------------------------\n\nContext-Status: merged\nContext-Last: x", "refs/context/heads/main^{tree}"))
	check("somebody else's", 0)
	r.Git("update-ref", "-d", "refs/context/heads/foreign")
	path := filepath.Join(r.Dir, ".git/refs/context/heads/broken")
	if err := os.WriteFile(path, []byte("rubbish\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	check("broken", 1)
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	for i := range 20 {
		r.Branch(fmt.Sprint("many/", i), "")
	}
	check("many", 1)
}
