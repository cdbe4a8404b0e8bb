package store_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/git-context/git-context/refs/internal/memtest"
	"github.com/git-context/git-context/refs/share"
	"github.com/git-context/git-context/refs/store"
)

// A list of what remotes have leaves out a commit that is too large to be one of memory, and reads the others.
func TestBranchesWithoutLargeCommits(t *testing.T) {
	t.Parallel()
	r := memtest.New(t)
	s, ctx := r.Open(), t.Context()
	memtest.OK(share.Init(ctx, s, share.InitOptions{}))(t)
	tip := r.CommitHash("main", "First")
	file := filepath.Join(t.TempDir(), "message")
	if err := os.WriteFile(file, []byte("Large\n\n"+strings.Repeat("y", 5<<20)), 0o600); err != nil {
		t.Fatal(err)
	}
	large := r.Git("commit-tree", tip+"^{tree}", "-p", tip, "-F", file)
	r.Git("update-ref", "refs/context/remotes/origin/heads/large", large)
	r.Git("update-ref", "refs/context/remotes/origin/heads/small", tip)
	var names []string
	for _, b := range memtest.OK(s.Branches(ctx, store.BranchQuery{Remotes: true}))(t) {
		names = append(names, b.Name)
	}
	if got := strings.Join(names, " "); got != "main origin/small" && got != "origin/small main" {
		t.Errorf("listed: %s", got)
	}
}
