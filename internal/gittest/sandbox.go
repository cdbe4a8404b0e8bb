package gittest

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// sandboxConfig is in the global configuration of a sandbox, after what all tests have.
const sandboxConfig = `[init]
	defaultBranch = trunk
[protocol "file"]
	allow = always
`

// Sandbox is a directory with its own HOME. Paths given to its methods are relative to
// it. It may be used by several goroutines of one test.
type Sandbox struct {
	T   *testing.T
	Dir string   // absolute, without symbolic links
	Env []string // of git, as "key=value"
}

// NewSandbox makes a sandbox that is removed when the test ends, with more environment.
func NewSandbox(t *testing.T, more ...string) *Sandbox {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	env := append(Env(t, filepath.Join(dir, "home"), sandboxConfig),
		"GIT_COMMITTER_NAME=A Committer", "GIT_COMMITTER_EMAIL=c@example.com",
		"GIT_AUTHOR_NAME=An Author", "GIT_AUTHOR_EMAIL=a@example.com")
	return &Sandbox{T: t, Dir: dir, Env: append(env, more...)}
}

// Path returns an absolute path in the sandbox.
func (s *Sandbox) Path(elem ...string) string {
	return filepath.Join(append([]string{s.Dir}, elem...)...)
}

// Write writes a file and makes its directories.
func (s *Sandbox) Write(name, content string) {
	s.T.Helper()
	path := s.Path(name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		s.T.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
		s.T.Fatal(err)
	}
}

// Exists reports whether a file exists.
func (s *Sandbox) Exists(name string) bool {
	_, err := os.Stat(s.Path(name))
	return err == nil
}

// Try runs git in a directory and returns what it printed on both streams, without the
// last newline.
func (s *Sandbox) Try(dir string, args ...string) (string, error) {
	cmd := exec.Command("git", args...)
	cmd.Dir, cmd.Env = s.Path(dir), s.Env
	out, err := cmd.CombinedOutput()
	return strings.TrimSuffix(string(out), "\n"), err
}

// Git is Try for a command that must succeed.
func (s *Sandbox) Git(dir string, args ...string) string {
	s.T.Helper()
	out, err := s.Try(dir, args...)
	if err != nil {
		s.T.Fatalf("git %v: %v\n%s", args, err, out)
	}
	return out
}

// Must ends the test at an error.
func Must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// OK takes the results of a call and returns a function that ends the test at the error,
// else returns the value: OK(f())(t).
func OK[T any](value T, err error) func(*testing.T) T {
	return func(t *testing.T) T {
		t.Helper()
		Must(t, err)
		return value
	}
}

// WantErr checks the kind of an error, and that its text contains text.
func WantErr(t *testing.T, err, kind error, text string) {
	t.Helper()
	if !errors.Is(err, kind) || !strings.Contains(err.Error(), text) {
		t.Errorf("error = %v; want a %v that says %q", err, kind, text)
	}
}

// Time is the date of test commits.
func Time() time.Time {
	return time.Date(2026, 11, 21, 1, 37, 5, 0, time.FixedZone("", 5400))
}
