package store_test

import (
	"slices"
	"testing"

	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/internal/memtest"
	"github.com/git-context/git-context/refs/share"
	"github.com/git-context/git-context/refs/store"
)

// A walk for entries passes over commits that change nothing, which anybody may push by the thousand, and keeps the way past them.
func TestEntriesOf(t *testing.T) {
	t.Parallel()
	r := memtest.New(t)
	s, ctx := r.Open(), t.Context()
	memtest.OK(share.Init(ctx, s, share.InitOptions{}))(t)
	first := r.CommitHash("main", "First")
	second := r.CommitHash("main", "Second")
	tip, message := second, r.Git("log", "-1", "--format=%B", second)
	for range 5 {
		tip = r.Git("commit-tree", second+"^{tree}", "-p", tip, "-m", message)
	}
	var listed, parents []string
	err := s.LogIDs(ctx, store.EntriesOf(nil, store.EndOfOptions, tip), func(f [][]byte) error {
		listed, parents = append(listed, string(f[0])), append(parents, string(f[2]))
		return nil
	}, "%P")
	if err != nil || len(listed) < 2 || !slices.Equal(listed[:2], []string{second, first}) || parents[0] != first {
		t.Errorf("%v: %q below %q, want %s and %s", err, listed, git.ID(tip), second, first)
	}
}
