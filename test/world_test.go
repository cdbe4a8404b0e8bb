//go:build unix

package test

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/git-context/git-context/internal/gittest"
)

// tags are those of the released binary.
const tags = "urfave_cli_no_docs,urfave_cli_no_suggest"

// tidy takes the binary away that all tests share, when the last one is done.
type tidy struct{ m *testing.M }

func (t tidy) Run() int {
	defer func() { _ = os.RemoveAll(faultDir) }() // what is left of it is the system's to clear
	return t.m.Run()
}

// faultDir is where faultBinary built, if it did.
var faultDir string

// faultBinary builds git-context with its fault points, once for all tests; with the flags
// of the released one, so that its packages are compiled once.
var faultBinary = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "git-context-faults")
	if err != nil {
		return "", err
	}
	faultDir = dir
	path := filepath.Join(dir, "git-context")
	out, err := exec.Command("go", "build", "-trimpath", "-buildvcs=false", "-tags", tags+",faults", "-o", path, "../cmd/git-context").CombinedOutput()
	if err != nil {
		return "", errors.Join(err, errors.New(string(out)))
	}
	return path, nil
})

// world is a repository with memory, and the real command beside real git.
type world struct {
	t   testing.TB
	dir string
	env []string
	bin string
}

// newWorld makes a repository with one code commit and an initialised memory.
func newWorld(t testing.TB) *world {
	t.Helper()
	w := newHome(t)
	w.git("init", "-q")
	w.git("commit", "-q", "--allow-empty", "-m", "code")
	w.ok("init", "--goal", "Keep every step")
	return w
}

// newHome makes an empty directory, and the settings of one user.
func newHome(t testing.TB) *world {
	t.Helper()
	bin, err := faultBinary()
	if err != nil {
		t.Fatal(err)
	}
	home := t.TempDir()
	env := append(gittest.Env(t, home, gitConfig), "LC_ALL=C", "TZ=UTC", "TMPDIR="+t.TempDir())
	env[0] = "PATH=" + filepath.Dir(bin) + string(os.PathListSeparator) + os.Getenv("PATH")
	w := &world{t: t, dir: filepath.Join(t.TempDir(), "code"), bin: bin, env: env}
	if err := os.Mkdir(w.dir, 0o777); err != nil {
		t.Fatal(err)
	}
	return w
}

func (w *world) command(env []string, name string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(w.t.Context(), name, args...)
	cmd.Dir, cmd.Env = w.dir, append(w.env[:len(w.env):len(w.env)], env...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	return cmd
}

// git runs git, which must succeed.
func (w *world) git(args ...string) string {
	w.t.Helper()
	out, err := w.command(nil, "git", args...).CombinedOutput()
	if err != nil {
		w.t.Fatalf("git %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return string(out)
}

// ok runs git-context, which must succeed, and returns its standard output.
func (w *world) ok(args ...string) []byte {
	w.t.Helper()
	var out, errs bytes.Buffer
	cmd := w.command(nil, w.bin, args...)
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil {
		w.t.Fatalf("git-context %s: %v\n%s", strings.Join(args, " "), err, &errs)
	}
	return out.Bytes()
}

// killedAt runs git-context with a fault point, at which it must be killed.
func (w *world) killedAt(point string, args ...string) []byte {
	w.t.Helper()
	out, err := w.command([]string{"GIT_CONTEXT_FAULT=" + point}, w.bin, args...).Output()
	var exit *exec.ExitError
	if !errors.As(err, &exit) || exit.Sys().(syscall.WaitStatus).Signal() != syscall.SIGKILL {
		w.t.Fatalf("git-context %s was not killed at '%s': %v", strings.Join(args, " "), point, err)
	}
	return out
}

type traceStep struct {
	ID      string
	Step    int
	Action  string
	Pending bool
}

// steps reads a branch's whole trace.
func (w *world) steps(branch string) []traceStep {
	w.t.Helper()
	var v struct {
		Total int
		Steps []traceStep
	}
	if err := json.Unmarshal(w.ok("--log", "-b", branch, "--steps", "1000000", "--json"), &v); err != nil {
		w.t.Fatal(err)
	}
	if v.Total != len(v.Steps) {
		w.t.Errorf("%s: total says %d, %d steps are there", branch, v.Total, len(v.Steps))
	}
	return v.Steps
}

// once holds that every acknowledged id stands in the branch exactly once.
func (w *world) once(branch string, acknowledged []string) {
	w.t.Helper()
	count := map[string]int{}
	for _, s := range w.steps(branch) {
		count[s.ID]++
	}
	for _, id := range acknowledged {
		if count[id] != 1 {
			w.t.Errorf("acknowledged step %s stands %d times", id, count[id])
		}
	}
	for id, n := range count {
		if n != 1 {
			w.t.Errorf("step %s stands %d times", id, n)
		}
	}
}

// sound holds that git finds nothing wrong, and that no lock was left.
func (w *world) sound() {
	w.t.Helper()
	for line := range strings.Lines(w.git("fsck", "--strict", "--no-dangling")) {
		w.t.Errorf("git fsck: %s", line)
	}
	for line := range strings.Lines(w.git("for-each-ref", "--format=%(refname)", "refs/context", "refs/notes")) {
		lock := filepath.Join(w.dir, ".git", strings.TrimSpace(line)+".lock")
		if _, err := os.Stat(lock); err == nil {
			w.t.Errorf("%s was left", lock)
		}
	}
}

// removeStaleLocks takes away what git's own update-ref leaves when it is killed
// between locking a ref and moving it.
func (w *world) removeStaleLocks() {
	for _, ref := range []string{"refs/context/heads/main", "refs/context/roadmap", "refs/notes/context"} {
		if err := os.Remove(filepath.Join(w.dir, ".git", ref+".lock")); err == nil {
			w.t.Logf("%s.lock was left by a killed update-ref", ref)
		}
	}
}

// id is the "id" of a command's JSON.
func id(t testing.TB, out []byte) string {
	t.Helper()
	var v struct{ ID string }
	if err := json.Unmarshal(out, &v); err != nil || v.ID == "" {
		t.Fatalf("no id in %q: %v", out, err)
	}
	return v.ID
}
