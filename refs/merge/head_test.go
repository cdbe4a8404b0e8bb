package merge_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/git-context/git-context/refs/internal/memtest"
	"github.com/git-context/git-context/refs/merge"
	"github.com/git-context/git-context/refs/store"
)

// A merge that fails when its refs are to move leaves the branch current that was.
func TestFailedMergeStaysOnItsBranch(t *testing.T) {
	t.Parallel()
	r, _ := memtest.NewCommits(t, 1)
	r.Branch("side", "main")
	r.Branch("third", "main")
	r.Remember("side", "k", "text")
	hook := filepath.Join(r.Dir, ".git", "hooks", "reference-transaction")
	memtest.OK(0, os.MkdirAll(filepath.Dir(hook), 0o777))(t)
	script := "#!/bin/sh\n[ \"$1\" != prepared ] || ! grep -q refs/context/heads/main\n"
	for _, current := range []string{"side", "third", "main"} {
		r.Switch(current)
		memtest.OK(0, os.WriteFile(hook, []byte(script), 0o777))(t)
		before := r.AllRefs()
		if _, err := merge.Merge(t.Context(), r.Open(), store.MergeOptions{Source: "side", Into: "main"}); err == nil {
			t.Fatal("the hook refused nothing")
		}
		memtest.OK(0, os.Remove(hook))(t)
		if after := r.AllRefs(); after != before {
			t.Errorf("on %s: %s\nbefore %s", current, after, before)
		}
		if got := r.Git("symbolic-ref", "CONTEXT_HEAD"); got != "refs/context/heads/"+current {
			t.Errorf("CONTEXT_HEAD is %s, want %s", got, current)
		}
	}
}
