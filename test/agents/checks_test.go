//go:build unix

package agents

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"slices"
	"strings"

	"github.com/git-context/git-context/internal/gittest"
	"github.com/git-context/git-context/test/agents/model"
)

// install installs the hooks of the client.
func (w *world) install() {
	w.Helper()
	w.run("git-context", "hooks", "install", w.client.name)
	if out := w.run("git-context", "hooks", "status", w.client.name); !strings.Contains(out, "installed") {
		w.Fatalf("hooks status: %s", out)
	}
}

// briefed checks that a request contains the brief, and a text in it.
func (w *world) briefed(r model.Request, text string) {
	w.Helper()
	for _, want := range []string{"Memory of this repository, kept by git-context from earlier sessions.", text} {
		quoted := gittest.OK(json.Marshal(want))(w.T)
		if !strings.Contains(r.Body, string(quoted[1:len(quoted)-1])) {
			w.Errorf("the request lacks %q", want)
		}
	}
}

// told checks that a request contains the instructions, which the client read from files of the project.
func (w *world) told(r model.Request) {
	w.Helper()
	if !strings.Contains(r.Body, "`git context` keeps in git what agents of this repository learned") {
		w.Errorf("the request lacks the instructions")
	}
}

// instructions returns the files of the project that an install makes for the model to read.
func (w *world) instructions() []string {
	var r struct{ Reads []string }
	gittest.Must(w.T, json.Unmarshal([]byte(w.run("git-context", "instructions", w.client.name, "--json")), &r))
	const shared = ".agents/skills/git-context/SKILL.md"
	if !slices.Contains(r.Reads, shared) {
		r.Reads = append(r.Reads, shared)
	}
	return r.Reads
}

// has checks that exactly one step has an action on something, and what it saw.
func (w *world) has(steps []step, action, observation string) {
	w.Helper()
	n := 0
	for _, s := range steps {
		if strings.Contains(s.Action, action) {
			n++
			if !strings.Contains(s.Observation, observation) {
				w.Errorf("the step lacks %q: %+v", observation, s)
			}
		}
	}
	if n != 1 {
		w.Errorf("%d steps have %q:\n%s", n, action, list(steps))
	}
}

// committed checks the newest commit of a turn, and how many there are.
func (w *world) committed(n int, summary string, contributions ...string) {
	w.Helper()
	commits := w.commits()
	if len(commits) != n {
		w.Fatalf("%d commits, want %d: %+v", len(commits), n, commits)
	}
	c := commits[0]
	if c.Summary != summary || c.Agent != w.client.name {
		w.Errorf("%+v, want the summary %q of %s", c, summary, w.client.name)
	}
	for _, text := range contributions {
		if !strings.Contains(c.Contribution, text) {
			w.Errorf("the contribution lacks %q: %q", text, c.Contribution)
		}
	}
}

// leaves checks what is left in the end: the code has what the agent wrote, memory is sound, no hook
// failed, no process runs, and an uninstall restores the bytes of the client's files.
func (w *world) leaves() {
	if w.Failed() {
		return
	}
	var shown []string
	for line := range strings.Lines(w.run("git", "status", "--porcelain", "-uall")) {
		shown = append(shown, strings.TrimSpace(line[3:]))
	}
	want := append(append(w.instructions(), w.client.settings), w.wrote...)
	if w.client.server != "" {
		want = append(want, w.client.server)
	}
	slices.Sort(shown)
	slices.Sort(want)
	want = slices.Compact(want)
	shown = slices.DeleteFunc(shown, func(name string) bool { return slices.Contains(w.client.makes, name) })
	if !slices.Equal(shown, want) {
		w.Errorf("git status shows %q, want %q", shown, want)
	}
	w.run("git", "fsck", "--strict")
	w.run("git-context", "fsck")
	if out := w.run("git-context", "hooks", "status", w.client.name); strings.Contains(out, "failed") {
		w.Errorf("hooks status: %s", out)
	}
	if left := w.sweep(); len(left) > 0 {
		w.Logf("processes that the client left: %q", left)
	}
	w.run("git-context", "hooks", "uninstall", w.client.name)
	for _, name := range w.instructions() {
		if _, err := os.Lstat(w.path(name)); !errors.Is(err, fs.ErrNotExist) {
			w.Errorf("after the uninstall there is %s: %v", name, err)
		}
	}
	w.restored(w.client.settings, w.client.before)
	if w.client.server != "" && w.client.server != w.client.settings {
		w.restored(w.client.server, w.client.serverBefore)
	}
}

// restored checks that a file has the content that it had before the install; "": there was none.
func (w *world) restored(name, before string) {
	w.Helper()
	got, err := os.ReadFile(w.path(name))
	if before == "" && errors.Is(err, fs.ErrNotExist) {
		return
	}
	if err != nil || string(got) != before {
		w.Errorf("after the uninstall %s is %q, %v; before the install it was %q", name, got, err, before)
	}
}
