//go:build unix

package agents

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/git-context/git-context/internal/gittest"
	"github.com/git-context/git-context/test/agents/model"
)

// world is a client with a home and a repository.
type world struct {
	*testing.T
	client client
	all    string // where clients and the program are
	home   string
	dir    string // the repository
	calls  string // what the hooks were given, a file for each
	env    []string
	model  *model.Server
	wrote  []string // files of the code, by the agent
}

const goal = "Greet everybody"

// newWorld makes a repository with memory and one commit of code.
func newWorld(t *testing.T, c client, all string) *world {
	t.Helper()
	top := gittest.OK(filepath.EvalSymlinks(t.TempDir()))(t)
	w := &world{T: t, client: c, all: all,
		home: filepath.Join(top, "home"), dir: filepath.Join(top, "project"), calls: filepath.Join(top, "calls")}
	bin, tmp := filepath.Join(top, "bin"), filepath.Join(top, "tmp")
	for _, dir := range []string{w.dir, w.calls, bin, tmp} {
		gittest.Must(t, os.MkdirAll(dir, 0o777))
	}
	w.model = gittest.OK(model.Start(filepath.Join(top, "asked")))(t)
	t.Cleanup(func() {
		w.sweep()
		if err := w.model.Close(); err != nil {
			t.Error(err)
		}
		w.keep(top)
	})
	w.writeFile(filepath.Join(bin, "git-context"), fmt.Sprintf(recorder, w.calls, program(all)))
	gittest.Must(t, os.Chmod(filepath.Join(bin, "git-context"), 0o777))
	gittest.Must(t, os.Symlink(c.path(all), filepath.Join(bin, c.program))) // import asks OpenCode for its sessions
	w.env = gittest.Env(t, w.home, "[user]\n\tname = Ann\n\temail = ann@example.com\n[init]\n\tdefaultBranch = trunk\n")
	w.env[0] = "PATH=" + bin + string(filepath.ListSeparator) + os.Getenv("PATH")
	w.env = append(w.env, "TMPDIR="+tmp, "TERM=xterm", "LANG=C.UTF-8", "CI=1")
	w.env = append(w.env, c.env(w)...)
	if c.home != nil {
		for name, text := range c.home(w) {
			w.writeFile(filepath.Join(w.home, name), text)
		}
	}
	w.run("git", "init", "-q")
	w.writeFile(w.path("notes.txt"), "Greetings are in hello.txt\n")
	if c.before != "" {
		w.writeFile(w.path(c.settings), c.before)
	}
	if c.serverBefore != "" {
		w.writeFile(w.path(c.server), c.serverBefore)
	}
	w.run("git", "add", "-A")
	w.run("git", "commit", "-q", "-m", "Notes")
	w.run("git-context", "init", "-q", "--goal", goal)
	return w
}

// recorder is the git-context of the clients: it keeps what a hook was given.
const recorder = `#!/bin/sh
if [ "$1" = hook ]; then
	call=$(mktemp '%[1]s/XXXXXXXX') || exit 1
	cat >"$call"
	echo "$2 $3" >"$call.event"
	exec '%[2]s' "$@" <"$call"
fi
exec '%[2]s' "$@"
`

func (w *world) path(name string) string { return filepath.Join(w.dir, name) }

func (w *world) writeFile(path, text string) {
	w.Helper()
	gittest.Must(w.T, os.MkdirAll(filepath.Dir(path), 0o777))
	gittest.Must(w.T, os.WriteFile(path, []byte(text), 0o666))
}

// command is one in the repository.
func (w *world) command(name string, args ...string) *exec.Cmd {
	if name == "git-context" {
		name = program(w.all) // what the test asks is no call of a client
	}
	c := exec.Command(name, args...)
	c.Dir, c.Env, c.WaitDelay = w.dir, w.env, 5*time.Second
	return c
}

// run runs a program that must succeed and returns what it printed.
func (w *world) run(name string, args ...string) string {
	w.Helper()
	c := w.command(name, args...)
	var out, says bytes.Buffer
	c.Stdout, c.Stderr = &out, &says
	if err := c.Run(); err != nil {
		w.Fatalf("%s %s: %v\n%s%s", name, strings.Join(args, " "), err, out.String(), says.String())
	}
	return out.String()
}

// call is one of a hook.
type call struct {
	client, event string
	payload       []byte
	at            time.Time
}

// hookCalls returns what the hooks were given, oldest first.
func (w *world) hookCalls() (calls []call) {
	w.Helper()
	names := gittest.OK(filepath.Glob(filepath.Join(w.calls, "*.event")))(w.T)
	for _, name := range names {
		info := gittest.OK(os.Stat(name))(w.T)
		text := gittest.OK(os.ReadFile(name))(w.T)
		payload := gittest.OK(os.ReadFile(strings.TrimSuffix(name, ".event")))(w.T)
		words := strings.Fields(string(text))
		if len(words) != 2 {
			continue // it was killed just then
		}
		calls = append(calls, call{words[0], words[1], payload, info.ModTime()})
	}
	slices.SortFunc(calls, func(a, b call) int { return a.at.Compare(b.at) })
	return calls
}

// step is a step in `git context --log --json`.
type step struct {
	Observation, Thought, Action string
	Agent, Session, Source       string
	Pending                      bool
}

func (w *world) steps() []step {
	w.Helper()
	var log struct{ Steps []step }
	gittest.Must(w.T, json.Unmarshal([]byte(w.run("git-context", "--log", "--json", "--steps", "1000")), &log))
	return log.Steps
}

// commit is a commit in `git context --json`.
type commit struct{ ID, Agent, Summary, Contribution string }

// commits returns the commits of the memory branch, newest first.
func (w *world) commits() []commit {
	w.Helper()
	var snapshot struct{ Commits []commit }
	gittest.Must(w.T, json.Unmarshal([]byte(w.run("git-context", "--json", "-k", "100")), &snapshot))
	return snapshot.Commits
}

// age lets all transcripts look as if their sessions had ended long ago.
func (w *world) age() {
	w.Helper()
	then := time.Now().Add(-time.Hour)
	for _, dir := range []string{w.home, w.path(".git/context")} { // our hooks write those of OpenCode
		gittest.Must(w.T, filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
			if errors.Is(err, os.ErrNotExist) {
				return nil
			}
			if err != nil || d.IsDir() || !strings.HasSuffix(path, ".jsonl") {
				return err
			}
			return os.Chtimes(path, then, then)
		}))
	}
}

// keep copies what a failed test left to the folder of the clients, and says where.
func (w *world) keep(top string) {
	to := filepath.Join(w.all, "failed", w.client.name)
	_ = os.RemoveAll(to) // of an earlier run
	if !w.Failed() {
		return
	}
	if out, err := exec.Command("mkdir", "-p", filepath.Dir(to)).CombinedOutput(); err != nil {
		w.Logf("%v\n%s", err, out)
	}
	if out, err := exec.Command("cp", "-Rp", top, to).CombinedOutput(); err != nil {
		w.Logf("%v\n%s", err, out)
	}
	w.Logf("what the client left is in %s", to)
}
