package git

import (
	"context"
	"os"
	"testing"

	"github.com/git-context/git-context/internal/gittest"
)

// sandbox is a directory with its own HOME, in which real git runs.
type sandbox struct{ *gittest.Sandbox }

func newSandbox(t *testing.T, more ...string) *sandbox {
	t.Helper()
	return &sandbox{gittest.NewSandbox(t, more...)}
}

// open opens the repository at a directory, with more environment.
func (s *sandbox) open(dir string, env ...string) *Repo {
	s.T.Helper()
	return ok(s.tryOpen(dir, env...))(s.T)
}

func (s *sandbox) tryOpen(dir string, env ...string) (*Repo, error) {
	r, err := Open(s.T.Context(), Options{Dir: s.Path(dir), Env: append(s.Env[:len(s.Env):len(s.Env)], env...)})
	if err == nil {
		s.T.Cleanup(func() { r.Close() })
	}
	return r, err
}

// newRepo makes a repository with state of ours in it, and opens it.
func newRepo(t *testing.T, args ...string) (*sandbox, *Repo) {
	t.Helper()
	s := newSandbox(t)
	s.Git("", append([]string{"init", "-q", "r"}, args...)...)
	r := s.open("r")
	must(t, os.MkdirAll(r.StateDir(), 0o777))
	return s, r
}

func must(t *testing.T, err error) {
	t.Helper()
	gittest.Must(t, err)
}

func ok[T any](value T, err error) func(*testing.T) T { return gittest.OK(value, err) }

func wantErr(t *testing.T, err, kind error, text string) {
	t.Helper()
	gittest.WantErr(t, err, kind, text)
}

// commit makes a commit with one file and a message.
func commit(t *testing.T, r *Repo, message string, parents ...ID) ID {
	t.Helper()
	ctx := t.Context()
	blob := ok(r.WriteBlob(ctx, []byte(message)))(t)
	tree := ok(r.WriteTree(ctx, []TreeEntry{{ModeBlob, "log.md", blob}}))(t)
	who := Signature{"An Agent", "agent@example.com", gittest.Time()}
	return ok(r.WriteCommit(ctx, &Commit{Tree: tree, Parents: parents, Author: who, Committer: who, Message: message}))(t)
}

// move moves one ref.
func move(t *testing.T, r *Repo, ref string, to, from ID) error {
	t.Helper()
	tx := ok(r.Begin(context.Background(), TxOptions{Message: "test"}))(t)
	defer tx.Close()
	tx.Update(ref, to, from)
	return tx.Commit(t.Context())
}

// set moves one ref, which must succeed.
func set(t *testing.T, r *Repo, ref string, to, from ID) {
	t.Helper()
	must(t, move(t, r, ref, to, from))
}
