package search_test

import (
	"strings"
	"testing"

	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/internal/memtest"
	"github.com/git-context/git-context/refs/search"
)

// spoil gives a branch another document.
func spoil(r *memtest.Repo, branch, name, text string) {
	r.T.Helper()
	ref := git.BranchPrefix + branch
	var entries strings.Builder
	for line := range strings.Lines(r.Git("ls-tree", ref) + "\n") {
		if !strings.HasSuffix(line, "\t"+name+"\n") {
			entries.WriteString(line)
		}
	}
	entries.WriteString("100644 blob " + r.Blob(text) + "\t" + name + "\n")
	tree := r.Input([]byte(entries.String()), "mktree")
	r.Git("update-ref", ref, r.Git("commit-tree", "-p", ref, "-m", "spoilt", tree))
}

// A document that is none is no document in which nothing was found.
func TestSearchSaysWhatIsDamaged(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ file, text, want string }{
		{"log.md", "== Branch main ==\n\n### Step x\n", "log.md of branch 'main'"},
		{"commit.md", "== Branch main ==\n\n## Commit x\n", "commit.md of branch 'main'"},
		{"log.md", "garbage, not a log\n", "line 1: 'garbage, not a log'"},
		{"commit.md", "garbage, no milestones\n", "line 1: 'garbage, no milestones'"},
		{"log.md", "== Branch main ==\n\n### Step 1 · 2026-01-01T00:00:00Z · a · 01M7YYKHHJ24FS1S0B8CKK7ZCZ\n\n**Thought**\n\nunquoted\n", "line 7"},
	} {
		l := newLibrary(t)
		l.work(t, "main")
		spoil(l.Repo, "main", c.file, c.text)
		for range 2 { // a cache must not hide it
			res, err := search.Search(t.Context(), l.Open(), search.Options{Query: "pool"})
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%q: %v, %+v", c.text, err, res)
			}
		}
	}
}
