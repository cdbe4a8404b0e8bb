package git

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/git-context/git-context/internal/gittest"
)

// sandbox is a directory with its own HOME, in which real git runs.
type sandbox struct {
	t   *testing.T
	dir string
	env []string
}

func newSandbox(t *testing.T, more ...string) *sandbox {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	env := append(gittest.Env(t, filepath.Join(dir, "home"), "[init]\n\tdefaultBranch = trunk\n[protocol \"file\"]\n\tallow = always\n"),
		"GIT_COMMITTER_NAME=A Committer", "GIT_COMMITTER_EMAIL=c@example.com",
		"GIT_AUTHOR_NAME=An Author", "GIT_AUTHOR_EMAIL=a@example.com")
	return &sandbox{t: t, dir: dir, env: append(env, more...)}
}

// path is a path in the sandbox.
func (s *sandbox) path(elem ...string) string {
	return filepath.Join(append([]string{s.dir}, elem...)...)
}

func (s *sandbox) write(name, content string) {
	s.t.Helper()
	path := s.path(name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		s.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
		s.t.Fatal(err)
	}
}

func (s *sandbox) exists(name string) bool {
	_, err := os.Stat(s.path(name))
	return err == nil
}

// try runs git in a directory of the sandbox.
func (s *sandbox) try(dir string, args ...string) (string, error) {
	cmd := exec.Command("git", args...)
	cmd.Dir, cmd.Env = s.path(dir), s.env
	out, err := cmd.CombinedOutput()
	return strings.TrimSuffix(string(out), "\n"), err
}

// git runs git, which must succeed.
func (s *sandbox) git(dir string, args ...string) string {
	s.t.Helper()
	out, err := s.try(dir, args...)
	if err != nil {
		s.t.Fatalf("git %v: %v\n%s", args, err, out)
	}
	return out
}

// open opens the repository at a directory, with more environment.
func (s *sandbox) open(dir string, env ...string) *Repo {
	s.t.Helper()
	r, err := s.tryOpen(dir, env...)
	if err != nil {
		s.t.Fatal(err)
	}
	return r
}

func (s *sandbox) tryOpen(dir string, env ...string) (*Repo, error) {
	r, err := Open(s.t.Context(), Options{Dir: s.path(dir), Env: append(s.env[:len(s.env):len(s.env)], env...)})
	if err == nil {
		s.t.Cleanup(func() { r.Close() })
	}
	return r, err
}

// newRepo makes a repository with state of ours in it, and opens it.
func newRepo(t *testing.T, args ...string) (*sandbox, *Repo) {
	t.Helper()
	s := newSandbox(t)
	s.git("", append([]string{"init", "-q", "r"}, args...)...)
	r := s.open("r")
	must(t, os.MkdirAll(r.StateDir(), 0o777))
	return s, r
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func ok[T any](value T, err error) func(*testing.T) T {
	return func(t *testing.T) T {
		t.Helper()
		must(t, err)
		return value
	}
}

// wantErr checks an error's kind, and that it says something about text.
func wantErr(t *testing.T, err, kind error, text string) {
	t.Helper()
	if !errors.Is(err, kind) || !strings.Contains(err.Error(), text) {
		t.Errorf("error = %v; want a %v that says %q", err, kind, text)
	}
}

var testTime = time.Date(2026, 11, 21, 1, 37, 5, 0, time.FixedZone("", 5400))

// commit makes a commit with one file and a message.
func commit(t *testing.T, r *Repo, message string, parents ...ID) ID {
	t.Helper()
	ctx := t.Context()
	blob := ok(r.WriteBlob(ctx, []byte(message)))(t)
	tree := ok(r.WriteTree(ctx, []TreeEntry{{ModeBlob, "log.md", blob}}))(t)
	who := Signature{"An Agent", "agent@example.com", testTime}
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
