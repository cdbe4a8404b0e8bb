// Package memtest makes repositories with memory for tests.
//
// It opens memory as package refs does and therefore imports the packages below refs. A test
// inside one of these packages cannot import it and uses package unwired; an external test
// (package x_test) can.
package memtest

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/git-context/git-context/internal/gittest"
	"github.com/git-context/git-context/refs"
	"github.com/git-context/git-context/refs/fail"
	"github.com/git-context/git-context/refs/fsck"
	"github.com/git-context/git-context/refs/store"
)

// UnknownID is a valid id that no entry has.
const UnknownID = "01JD5K0Z3V7Q3M9K2A4B5C6D7E"

// Repo is a code repository of a test. It reads no settings but its own.
type Repo struct {
	T   testing.TB
	Dir string   // its worktree, or the git directory where it is bare
	Env []string // of every process that works on it
}

// New makes a code repository without commits and without memory. The arguments are passed to git init.
func New(t testing.TB, args ...string) *Repo {
	t.Helper()
	home := t.TempDir()
	env := append(gittest.Env(t, home, ""), "XDG_CONFIG_HOME="+home,
		"GIT_COMMITTER_NAME=Ada", "GIT_COMMITTER_EMAIL=ada@example.com",
		"GIT_AUTHOR_NAME=Ada", "GIT_AUTHOR_EMAIL=ada@example.com",
	)
	r := &Repo{T: t, Dir: filepath.Join(t.TempDir(), "code"), Env: env}
	if err := os.Mkdir(r.Dir, 0o777); err != nil {
		t.Fatal(err)
	}
	r.Git(append([]string{"init", "-q", "-b", "trunk"}, args...)...)
	return r
}

// Git runs git in the repository and returns its output, trimmed. A failure ends the test.
func (r *Repo) Git(args ...string) string {
	r.T.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir, cmd.Env = r.Dir, r.Env
	out, err := cmd.CombinedOutput()
	if err != nil {
		r.T.Fatalf("git %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return strings.TrimSpace(string(out))
}

// Open opens the memory as a new process does, with at most one branch as its current one.
func (r *Repo) Open(branch ...string) *refs.Store {
	r.T.Helper()
	o := store.Options{Dir: r.Dir, Env: r.Env, Now: time.Now}
	if len(branch) > 0 {
		o.Branch = branch[0]
	}
	s, err := refs.Open(r.T.Context(), o)
	if err != nil {
		r.T.Fatal(err)
	}
	r.T.Cleanup(func() { s.Close() })
	return s
}

// Fsck checks that git fsck finds nothing wrong and, where memory exists, that fsck.Run does not.
func (r *Repo) Fsck() {
	r.T.Helper()
	for line := range strings.Lines(r.Git("fsck", "--strict", "--no-dangling")) {
		if !strings.HasPrefix(line, "notice: HEAD points to an unborn branch") {
			r.T.Errorf("git fsck: %s", line)
		}
	}
	problems, err := fsck.Run(r.T.Context(), r.Open(), fsck.Options{})
	if errors.Is(err, fail.ErrNoMemory) {
		return
	}
	r.Must(err)
	for _, p := range problems {
		r.T.Errorf("fsck: %s %s: %s", p.Kind, p.Object, p.Message)
	}
}

// Must ends the test on an error.
func (r *Repo) Must(err error) {
	r.T.Helper()
	if err != nil {
		r.T.Fatal(err)
	}
}

// Input runs git with bytes on standard input, and returns its standard output.
func (r *Repo) Input(in []byte, args ...string) string {
	r.T.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir, cmd.Env, cmd.Stdin = r.Dir, r.Env, bytes.NewReader(in)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		r.T.Fatalf("git %s: %v\n%s", strings.Join(args, " "), err, stderr.Bytes())
	}
	return strings.TrimSpace(string(out))
}

// Blob stores a blob, and returns its hash.
func (r *Repo) Blob(text string) string {
	r.T.Helper()
	return r.Input([]byte(text), "hash-object", "-w", "--stdin")
}

// TrustKey gives the repository an SSH key of Ada to sign with, and lets git trust it. The test
// is skipped where ssh-keygen is missing.
func (r *Repo) TrustKey() {
	r.T.Helper()
	program, err := exec.LookPath("ssh-keygen")
	if err != nil {
		r.T.Skip("*** SKIPPED: no ssh-keygen, so that signed memory is not tested ***")
	}
	dir := r.T.TempDir()
	keygen := exec.Command(program, "-q", "-t", "ed25519", "-N", "", "-C", "", "-f", filepath.Join(dir, "key"))
	if out, err := keygen.CombinedOutput(); err != nil {
		r.T.Fatalf("ssh-keygen: %v\n%s", err, out)
	}
	key, err := os.ReadFile(filepath.Join(dir, "key.pub"))
	r.Must(err)
	r.Must(os.WriteFile(filepath.Join(dir, "signers"), append([]byte("ada@example.com "), key...), 0o666))
	r.Git("config", "gpg.format", "ssh")
	r.Git("config", "user.signingKey", filepath.Join(dir, "key.pub"))
	r.Git("config", "gpg.ssh.allowedSignersFile", filepath.Join(dir, "signers"))
}

// OK ends the test on an error and returns the value: OK(f())(t).
func OK[T any](v T, err error) func(*testing.T) T {
	return func(t *testing.T) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

// ErrorCode checks that err is a *fail.Error with a code, and returns it.
func ErrorCode(t *testing.T, err error, code string) *fail.Error {
	t.Helper()
	said := &fail.Error{}
	if !errors.As(err, &said) || said.Code != code {
		t.Errorf("%v, want %s", err, code)
	}
	return said
}

// Err returns the error of a call with two results.
func Err[T any](_ T, err error) error { return err }

// Paths returns the sorted paths of conflicts.
func Paths(list []store.Conflict) []string {
	out := make([]string, len(list))
	for i, c := range list {
		out[i] = c.Path
	}
	slices.Sort(out)
	return out
}

// Text is a text of n bytes.
func Text(n int) string {
	b := make([]byte, n)
	for i := range b {
		b[i] = 'x'
	}
	return string(b)
}

// OddTexts returns texts that a format of lines, headings and trailers can mistake for its own.
func OddTexts() []string {
	return []string{
		"\n\n\n", "a\r\nb\r\n", "lone\rcarriage", "line\u2028separator\u2029paragraph", "---\n", "text\n---",
		"### Step 1 · 2026-11-21T01:37:05Z · x · 01JD5K0Z3V7Q3M9K2A4B5C6D7E\n", "> quoted\n>\n> more", "== Branch main ==",
		"## Commit 7 · 2026-11-21T01:40:12Z · x · 01JD5K0Z3V7Q3M9K2A4B5C6D7E", "**Observation**\n\n> forged", "- session: forged",
		"Context-Id: 01JD5K0Z3V7Q3M9K2A4B5C6D7E\nAgent: forged\n", "diff --git a/x b/x\n", " leading and trailing \n ", "\t\x1b[31mred\x1b[m\x07",
		"\u202eright to left", "# comment\n#\n", "ends without newline", "\\> escaped", strings.Repeat("x", 1<<20), "…· — 中文 🎉",
	}
}

// ErrorSays checks that err is a *fail.Error with a code and a hint, whose message contains a text.
func ErrorSays(t *testing.T, err error, code, text string) {
	t.Helper()
	var named *fail.Error
	if !errors.As(err, &named) || named.Code != code || len(named.Hints) == 0 || !strings.Contains(err.Error(), text) {
		t.Errorf("error %#v; want %s that says '%s', with a hint", err, code, text)
	}
}
