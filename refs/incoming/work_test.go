package incoming_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/git-context/git-context/refs/fail"
	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/incoming"
	"github.com/git-context/git-context/refs/internal/memtest"
	"github.com/git-context/git-context/refs/store"
)

// Of what a remote calls handed over code only what has the form of it is taken.
func TestCheckWork(t *testing.T) {
	t.Parallel()
	r := memtest.New(t)
	r.Git("commit", "-q", "--allow-empty", "-m", "code")
	s := r.Open()
	base := r.Git("rev-parse", "HEAD")
	tree := func(text string) string { return makeTree(r, "100644 f "+r.Blob(text)) }
	commit := func(tree, subject string, parents ...string) string {
		args := []string{"commit-tree", "-m", subject, tree}
		for _, p := range parents {
			args = append(args, "-p", p)
		}
		return r.Git(args...)
	}
	some := tree("some")
	good := "On main" + store.WorkSubject
	nested := func(tree string) string { // 10^16 directories in nine trees
		for range 8 {
			var entries []string
			for i := range 100 {
				entries = append(entries, fmt.Sprintf("040000 %02d %s", i, tree))
			}
			tree = makeTree(r, entries...)
		}
		return tree
	}
	bomb, hollow := nested(some), nested(makeTree(r))
	var entries []string
	file := r.Blob("some")
	for i := range 1000 {
		entries = append(entries, "100644 "+fmt.Sprintf("%03d ", i)+file)
	}
	long := makeTree(r, entries...)
	for range 100 {
		long = makeTree(r, "040000 "+strings.Repeat("d", 250)+" "+long)
	}
	index, alone := commit(some, "index", base), commit(tree("new"), "untracked")
	for _, test := range []struct{ name, id, want string }{
		{"two parents", commit(some, good, base, index), ""},
		{"three parents", commit(some, good, base, index, alone), ""},
		{"memory", r.Git("rev-parse", base), "0 parents"},
		{"one parent", commit(some, good, base), "1 parents"},
		{"four parents", commit(some, good, base, index, alone, commit(tree("x"), "x")), "4 parents"},
		{"another subject", commit(some, "WIP on main: 1234567 code", base, index), "its subject"},
		{"an index of another base", commit(some, good, base, commit(some, "index", index)), "has other parents"},
		{"untracked files with a parent", commit(some, good, base, index, commit(some, "other", base)), "has other parents"},
		{"too large", commit(tree(strings.Repeat("x", store.MaxWork+1)), good, base, index), "at most 10485760"},
		{"too large together", commit(tree(strings.Repeat("x", store.MaxWork-1)), good, base, index, alone), "at most 10485760"},
		{"directories without a file", commit(hollow, good, base, index), "at most 100000 are allowed"},
		{"long paths", commit(long, good, base, index), "at most 100000 are allowed"},
		{"too many files", commit(bomb, good, base, index), "at most 100000 are allowed"},
		{"too many files that go", func() string {
			full := commit(bomb, "code")
			return commit(some, good, full, commit(bomb, "index", full))
		}(), "at most 100000 are allowed"},
		{"too many files that are not tracked", commit(some, good, base, index, commit(bomb, "untracked")), "at most 100000 are allowed"},
		{"many files that stay", func() string {
			full := "040000 full " + bomb
			on := commit(makeTree(r, full), "code")
			return commit(makeTree(r, full, "100644 new "+r.Blob("new")), good, on, commit(makeTree(r, full), "index", on))
		}(), ""},
		{"a blob that is missing", commit(makeTree(r, "100644 f "+strings.Repeat("1", len(base))), good, base, index), "cannot be read"},
		{"a blob", r.Blob("blob"), "not a commit"},
		{"nothing", strings.Repeat("2", len(base)), "cannot be read"},
	} {
		err := incoming.CheckWork(t.Context(), s, git.Ref{Name: "refs/context/remotes/o/work/main", ID: git.ID(test.id)})
		var refused *fail.Error
		switch {
		case test.want == "" && err != nil, test.want != "" && err == nil:
			t.Errorf("%s: %v", test.name, err)
		case test.want == "":
		case !errors.As(err, &refused) || refused.Code != fail.IncomingInvalid || !strings.Contains(err.Error(), test.want):
			t.Errorf("%s: %v", test.name, err)
		}
	}
}
