//go:build unix

package test

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/git-context/git-context/internal/gittest"
)

// A commit of both that dies leaves both, linked once, or none, whatever command comes
// next and wherever it is run.
func TestKilledCommitCode(t *testing.T) {
	t.Parallel()
	base := newCode(t)
	next := map[string][]string{
		"topic": {"remember", "k", "v"}, "rename": {"branch", "-m", "main", "other"},
		"elsewhere": {"-C", "../linked", "-b", "main", "commit", "-m", "next"},
	}
	for _, c := range []struct{ point, next string }{
		{"after-intent", "elsewhere"}, {"after-code", "elsewhere"}, {"after-code", "rename"}, {"after-link", "topic"},
	} {
		t.Run(c.point+" "+c.next, func(t *testing.T) {
			t.Parallel()
			w := base.copied(t)
			if c.next == "elsewhere" {
				w.git("worktree", "add", "-q", "--detach", "../linked")
			}
			steps := []string{id(t, w.ok("record", "-a", "before", "--json"))}
			w.write("f", "changed\n")
			w.git("add", "f")
			w.killedAt(c.point, "commit", "--code", "-m", "killed", "-m", "why", "--done", "Begin", "--score", "0.5")
			steps = append(steps, id(t, w.ok("record", "-a", "after", "--json")))
			w.ok(next[c.next]...)
			branch := "main"
			if c.next == "rename" {
				branch = "other"
			}
			w.ok("-b", branch, "commit", "-m", "last")
			w.once(branch, steps)
			made := c.point != "after-intent"
			w.together(branch, "killed", made)
			want := "M  f\n"
			if made {
				want = ""
				note := string(w.ok("note", w.hash(branch, "killed")))
				if n := strings.Count(note, "score"); n != 1 {
					t.Errorf("the score was noted %d times:\n%s", n, note)
				}
			}
			if status := w.git("status", "--porcelain"); status != want {
				t.Errorf("the worktree is %q, want %q", status, want)
			}
			if done := strings.Contains(string(w.ok("roadmap")), "[x] Begin"); done != made {
				t.Errorf("the roadmap was revised: %v, want %v", done, made)
			}
			w.sound()
		})
	}
}

// What others add to the roadmap after the death of a rollback of both stays when a later command finishes it.
func TestKilledRollbackKeepsTheRoadmap(t *testing.T) {
	t.Parallel()
	for _, next := range [][]string{{"commit", "-m", "next"}, {"fsck", "--fix"}} {
		t.Run(next[0], func(t *testing.T) {
			t.Parallel()
			w := newCode(t)
			w.ok("commit", "-m", "good")
			good := w.hash("main", "good")
			w.ok("roadmap", "todo", "add", "Taken back")
			w.write("f", "changed\n")
			w.git("add", "f")
			w.ok("commit", "--code", "-m", "wrong")
			w.killedAt("after-code", "rollback", good, "--code")
			w.ok("branch", "other", "--purpose", "Go on", "--no-switch")
			w.ok("roadmap", "decide", "Decided since")
			w.ok("-b", "other", "commit", "-m", "three", "--todo", "Found since", "--done", "Begin")
			w.ok(next...)
			shown := string(w.ok("roadmap"))
			for _, text := range []string{"Decided since", "Found since", "[x] Begin"} {
				if !strings.Contains(shown, text) {
					t.Errorf("the roadmap lacks %q:\n%s", text, shown)
				}
			}
			if strings.Contains(shown, "Taken back") {
				t.Errorf("the roadmap was not rolled back:\n%s", shown)
			}
			w.sound()
		})
	}
}

// hash finds a milestone of a branch by its summary.
func (w *world) hash(branch, summary string) string {
	w.t.Helper()
	return strings.TrimSpace(w.git("log", "-1", "--format=%H", "--grep=^"+summary+"$", "refs/context/heads/"+branch))
}

// Killed while git commits, it has a child that goes on. Whoever comes next waits for
// that, and finds out what came of it.
func TestKilledWhileGitCommits(t *testing.T) {
	t.Parallel()
	for _, refused := range []bool{false, true} {
		t.Run(fmt.Sprint(refused), func(t *testing.T) {
			t.Parallel()
			w := newCode(t)
			w.write("f", "changed\n")
			w.git("add", "f")
			w.hook("pre-commit", fmt.Sprintf("touch .git/begun; while [ ! -e .git/go ]; do sleep 0.02; done; exit %d", map[bool]int{true: 1}[refused]))
			cmd := w.command(nil, w.bin, "commit", "--code", "-m", "killed")
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			w.await(".git/begun")
			if err := cmd.Process.Kill(); err != nil {
				t.Fatal(err)
			}
			_ = cmd.Wait() // killed
			next := w.command(nil, w.bin, "commit", "-m", "next")
			if err := next.Start(); err != nil {
				t.Fatal(err)
			}
			time.Sleep(100 * time.Millisecond)
			w.write(".git/go", "")
			if err := next.Wait(); err != nil {
				t.Fatal(err)
			}
			w.milestones("main", "next", true)
			w.together("main", "killed", !refused)
			w.sound()
		})
	}
}

// A signal ends git commit and what its hooks started, and nothing is left.
func TestCommitCodeIsInterrupted(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, hook string
		signal     syscall.Signal
		exit       int
	}{
		{"INT", "touch .git/begun; sleep 600", syscall.SIGINT, 130},
		{"TERM", "(trap '' TERM; touch .git/begun; sleep 600; sleep 600) & wait", syscall.SIGTERM, 143},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w := newCode(t)
			w.write("f", "changed\n")
			w.git("add", "f")
			w.hook("pre-commit", c.hook)
			mark := w.dir
			cmd := w.command([]string{"TEST_MARK=" + mark}, w.bin, "commit", "--code", "-m", "killed")
			var said strings.Builder
			cmd.Stderr = &said
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			w.await(".git/begun")
			if err := cmd.Process.Signal(c.signal); err != nil {
				t.Fatal(err)
			}
			_ = cmd.Wait() // its exit code is looked at below
			if code := cmd.ProcessState.ExitCode(); code != c.exit || said.Len() > 0 {
				t.Errorf("%s, want exit code %d; it said %q", cmd.ProcessState, c.exit, &said)
			}
			w.noIntent()
			nothingRuns(t, "TEST_MARK="+mark)
			w.hook("pre-commit", "exit 0")
			w.together("main", "killed", false)
			w.ok("commit", "--code", "-m", "again")
			w.together("main", "again", true)
			w.sound()
		})
	}
}

// newCode makes a world with a file in its code, and a milestone 'good' that is tagged
// so.
func newCode(t testing.TB) *world {
	t.Helper()
	w := newWorld(t)
	w.write("f", "first\n")
	w.git("add", ".")
	w.ok("roadmap", "milestone", "add", "Begin")
	w.ok("commit", "--code", "-m", "good")
	w.ok("tag", "good")
	return w
}

// copied is a world of its own with the same repository.
func (w *world) copied(t testing.TB) *world {
	t.Helper()
	c := *w
	c.t, c.dir = t, filepath.Join(t.TempDir(), "code")
	if err := os.CopyFS(c.dir, os.DirFS(w.dir)); err != nil {
		t.Fatal(err)
	}
	return &c
}

func (w *world) write(name, text string) {
	w.t.Helper()
	if err := os.WriteFile(filepath.Join(w.dir, name), []byte(text), 0o666); err != nil {
		w.t.Fatal(err)
	}
}

// read gives a file's text, "" where there is none.
func (w *world) read(name string) string {
	w.t.Helper()
	data, err := os.ReadFile(filepath.Join(w.dir, name))
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		w.t.Fatal(err)
	}
	return string(data)
}

func (w *world) hook(name, script string) {
	w.t.Helper()
	path := filepath.Join(w.dir, ".git/hooks", name)
	if err := os.WriteFile(path, []byte("#!/bin/sh\n"+script+"\n"), 0o777); err != nil {
		w.t.Fatal(err)
	}
}

// await waits until a file is there.
func (w *world) await(name string) {
	w.t.Helper()
	gittest.Wait(w.t, "'"+name+"'", func() bool { return exists(filepath.Join(w.dir, name)) })
}

func (w *world) noIntent() {
	w.t.Helper()
	left, err := filepath.Glob(filepath.Join(w.dir, ".git/context/intent/*.json"))
	if err != nil || len(left) > 0 {
		w.t.Errorf("left: %v, %v", left, err)
	}
}

// milestones finds the one of a branch that has a summary: one, or none.
func (w *world) milestones(branch, summary string, want bool) (code string) {
	w.t.Helper()
	var v struct {
		Commits []struct{ Summary, Code string }
	}
	if err := json.Unmarshal(w.ok("--branch", branch, "--limit", "100", "--json"), &v); err != nil {
		w.t.Fatal(err)
	}
	n := 0
	for _, c := range v.Commits {
		if c.Summary == summary {
			n, code = n+1, c.Code
		}
	}
	if n > 1 || (n == 1) != want {
		w.t.Errorf("'%s' is %d milestones, want %v", summary, n, want)
	}
	return code
}

// together holds that a commit of the code and a milestone were made and are linked,
// once, or that none was made; and that no intent is left.
func (w *world) together(branch, summary string, want bool) {
	w.t.Helper()
	w.noIntent()
	code := w.milestones(branch, summary, want)
	subjects := w.git("log", "--all", "--format=%s", "HEAD", "--", "f")
	if !want {
		if strings.Contains(subjects, summary+"\n") {
			w.t.Errorf("the code has '%s':\n%s", summary, subjects)
		}
		return
	}
	note, err := w.command(nil, "git", "notes", "--ref=context", "show", code).Output()
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
		w.t.Fatalf("code commit %s of '%s' has no note: %s", code, summary, exit.Stderr)
	}
	if n := strings.Count(string(note), `"kind":"link"`); n != 1 {
		w.t.Errorf("'%s' is linked %d times:\n%s", summary, n, note)
	}
	if summary != "killed" || !strings.Contains(subjects, "killed") {
		return
	}
	if head := strings.TrimSpace(w.git("rev-parse", "HEAD")); head != code {
		w.t.Errorf("HEAD is %s, '%s' was made on %s", head, summary, code)
	}
}
