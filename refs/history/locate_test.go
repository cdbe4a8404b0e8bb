package history_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/git-context/git-context/refs"
	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/history"
	"github.com/git-context/git-context/refs/internal/memtest"
	"github.com/git-context/git-context/refs/store"
)

// The list of a branch comes from one git log over its ref: also if there are few commits, and if many
// topics lie between them.
func TestBranchIsListedByOneGitLog(t *testing.T) {
	t.Parallel()
	r, ids := memtest.NewCommits(t, 2)
	for i := range 20 {
		r.Remember("main", fmt.Sprint("t", i), "text")
	}
	ids = append(ids, string(r.Commit("main", "last").Commit))
	for _, n := range []int{1, 3, 10} {
		var trace strings.Builder
		s := memtest.OK(refs.Open(t.Context(), store.Options{Dir: r.Dir, Env: r.Env, Now: time.Now, Trace: &trace}))(t)
		tip := memtest.OK(s.Tip(t.Context(), "main"))(t)
		v := memtest.OK(history.ReadBranch(t.Context(), s, tip, 0, n))(t)
		r.Must(s.Close())
		want := min(n, 3)
		if logs := strings.Count(trace.String(), " log "); logs != 1 || len(v.Commits) != want || v.Total != 3 {
			t.Errorf("%d of %d commits by %d git logs:\n%s", len(v.Commits), v.Total, logs, trace.String())
		}
		for i, c := range v.Commits {
			if *c.Hash != git.ID(ids[2-i]) {
				t.Errorf("commit %d is %s, want %s", i, *c.Hash, ids[2-i])
			}
		}
	}
}
