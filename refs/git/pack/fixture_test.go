package pack

import (
	"os"
	"testing"

	"github.com/git-context/git-context/internal/gittest"
	"github.com/git-context/git-context/refs/git"
)

// sandbox is a directory with its own HOME, in which real git runs.
type sandbox struct{ *gittest.Sandbox }

// open opens the repository at a directory, with state of ours in it.
func (s *sandbox) open(dir string) *git.Repo {
	s.T.Helper()
	r := ok(git.Open(s.T.Context(), git.Options{Dir: s.Path(dir), Env: s.Env}))(s.T)
	s.T.Cleanup(func() { r.Close() })
	must(s.T, os.MkdirAll(r.StateDir(), 0o777))
	return r
}

// newRepo makes a repository and opens it.
func newRepo(t *testing.T, args ...string) (*sandbox, *git.Repo) {
	t.Helper()
	s := &sandbox{gittest.NewSandbox(t)}
	s.Git("", append([]string{"init", "-q", "r"}, args...)...)
	return s, s.open("r")
}

func must(t *testing.T, err error) {
	t.Helper()
	gittest.Must(t, err)
}

func ok[T any](value T, err error) func(*testing.T) T { return gittest.OK(value, err) }

// commit makes a commit with one file and a message.
func commit(t *testing.T, r *git.Repo, message string, parents ...git.ID) git.ID {
	t.Helper()
	ctx := t.Context()
	blob := ok(r.WriteBlob(ctx, []byte(message)))(t)
	tree := ok(r.WriteTree(ctx, []git.TreeEntry{{Mode: git.ModeBlob, Name: "log.md", ID: blob}}))(t)
	who := agent()
	return ok(r.WriteCommit(ctx, &git.Commit{Tree: tree, Parents: parents, Author: who, Committer: who, Message: message}))(t)
}

func agent() git.Signature {
	return git.Signature{Name: "An Agent", Email: "agent@example.com", When: gittest.Time()}
}

// set moves one ref, which must succeed.
func set(t *testing.T, r *git.Repo, ref string, to, from git.ID) {
	t.Helper()
	tx := ok(r.Begin(t.Context(), git.TxOptions{Message: "test"}))(t)
	defer tx.Close()
	tx.Update(ref, to, from)
	must(t, tx.Commit(t.Context()))
}
