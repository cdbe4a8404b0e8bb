//go:build unix

package agents

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/git-context/git-context/internal/gittest"
	"github.com/git-context/git-context/test/agents/model"
)

// scene is one thing that happens to a client. They happen in their order, in one repository.
type scene struct {
	name string
	of   func(client) bool
	play func(*world)
}

func scenes() []scene {
	any := func(client) bool { return true }
	captures := func(c client) bool { return c.captures }
	return []scene{
		{"main", any, (*world).works},
		{"resume", captures, (*world).goesOn},
		{"next", any, (*world).knows},
		{"subagent", func(c client) bool { return c.captures && c.subagents }, (*world).delegates},
		{"compaction", func(c client) bool { return c.captures && c.summary != "" }, (*world).compacts},
		{"interrupt", captures, (*world).interrupted},
		{"kill", captures, (*world).killed},
		{"server", func(c client) bool { return c.server != "" }, (*world).served},
		{"replay", captures, (*world).replayed},
	}
}

// part plays a scene as a test of its own. After one that failed the others tell nothing.
func (w *world) part(name string, play func(*world)) {
	if w.Failed() {
		return
	}
	outer := w.T
	outer.Run(name, func(t *testing.T) {
		w.T = t
		play(w)
	})
	w.T = outer
}

const (
	greeting = "Write the greeting"
	greeted  = "The greeting is in hello.txt; a file that the notes do not name is missing."
)

// In a turn the agent reads, writes and runs a command that fails. The model got the brief; memory
// has the turn's steps, and a commit with the user's words and the agent's last ones.
func (w *world) works() {
	asked := w.ask(append(w.client.start, prompt(greeting, "one")), model.Scene{Prompt: mark("one"), Turns: []model.Turn{
		{Say: "I read the notes first.", Deeds: []model.Deed{model.Read(w.path("notes.txt"))}},
		model.Do(model.Write(w.path("hello.txt"), "hello\n")),
		{Say: "Is there more?", Deeds: []model.Deed{model.Shell("cat no-such-file")}},
		model.Say(greeted),
	}})
	w.wrote = append(w.wrote, "hello.txt")
	w.briefed(asked[0], goal)
	w.told(asked[0])
	w.file("hello.txt", "hello\n")
	if !w.client.captures {
		return
	}
	steps := w.steps()
	w.has(steps, "notes.txt", "Greetings are in hello.txt")
	w.has(steps, "hello.txt", "")
	w.has(steps, "no-such-file", "o such file")
	if len(steps) == 0 {
		return
	}
	for i, s := range steps {
		if s.Agent != w.client.name || s.Session != steps[0].Session || s.Session == "" || s.Pending {
			w.Errorf("step %d: %+v", i, s)
		}
	}
	if !strings.Contains(steps[0].Observation, greeting) {
		w.Errorf("the first step lacks the prompt: %+v", steps[0])
	}
	w.committed(1, greeting, greeted, "hello.txt")
}

// A session that goes on adds its new turn alone.
func (w *world) goesOn() {
	before := w.steps()
	w.ask(append(w.client.goOn, prompt("Greet the world", "two")), model.Scene{Prompt: mark("two"), Turns: []model.Turn{
		model.Do(model.Write(w.path("world.txt"), "hello, world\n")),
		model.Say("The world is greeted."),
	}})
	w.wrote = append(w.wrote, "world.txt")
	after := w.steps()
	added := after[len(before):]
	w.has(added, "world.txt", "")
	for _, s := range added {
		if s.Session != before[0].Session {
			w.Errorf("the step is of session %s: %+v", s.Session, s)
		}
		if strings.Contains(s.Action, "notes.txt") || strings.Contains(s.Action, "hello.txt") {
			w.Errorf("the step is of the turn before: %+v", s)
		}
	}
	w.committed(2, "Greet the world", "The world is greeted.", "world.txt")
}

// The brief of the next session has what the session before did.
func (w *world) knows() {
	asked := w.ask(append(w.client.start, prompt("What was done?", "three")),
		model.Scene{Prompt: mark("three"), Turns: []model.Turn{model.Say("The greeting was written.")}})
	if !w.client.captures {
		w.briefed(asked[0], goal)
		return
	}
	w.briefed(asked[0], greeting)
	w.briefed(asked[0], greeted)
	w.committed(2, "Greet the world", "The world is greeted.", "world.txt") // a turn that only talks makes none
}

// What a subagent does is apart from the session's own steps.
func (w *world) delegates() {
	before := len(w.steps())
	w.ask(append(w.client.start, prompt("Have the files counted", "four")),
		model.Scene{Prompt: mark("four"), Turns: []model.Turn{
			{Say: "A subagent counts.", Deeds: []model.Deed{model.Spawn("Count the files.\n" + mark("four-apart"))}},
			model.Do(model.Shell("sleep 4")), // the subagents of Codex work beside the agent
			model.Do(model.Write(w.path("count.txt"), "3\n")),
			model.Say("There are three files."),
		}},
		model.Scene{Prompt: mark("four-apart"), Turns: []model.Turn{
			model.Do(model.Shell("ls | wc -l")),
			model.Say("Three."),
		}})
	w.wrote = append(w.wrote, "count.txt")
	added := w.steps()[before:]
	own, apart := added, []step(nil)
	own = slices.DeleteFunc(slices.Clone(own), func(s step) bool { return strings.Contains(s.Session, "/") })
	apart = slices.DeleteFunc(added, func(s step) bool { return !strings.Contains(s.Session, "/") })
	w.has(own, "count.txt", "")
	w.has(apart, "wc -l", "")
	for _, s := range own {
		if strings.Contains(s.Action, "wc -l") {
			w.Errorf("a step of the subagent is the session's: %+v", s)
		}
	}
	w.committed(3, "Have the files counted", "There are three files.", "count.txt")
}

// A session whose history the client compacts, in a turn, after it or by a command, is recorded once,
// and its model gets the brief again.
func (w *world) compacts() {
	for name, text := range w.client.squeezed {
		w.writeFile(filepath.Join(w.home, name), text)
	}
	before, commits := len(w.steps()), len(w.commits())
	file := func(n string) model.Deed { return model.Write(w.path(n+".txt"), n+"\n") }
	asked := w.everything(append(w.client.start, prompt("Write three files", "five")), model.Scene{Prompt: mark("five"), Turns: []model.Turn{
		{Say: "The first.", Deeds: []model.Deed{file("first")}},
		{Say: "The second.", Deeds: []model.Deed{file("second")}, Tokens: w.client.fills},
		{Say: "The third.", Deeds: []model.Deed{file("third")}},
		{Say: "All are written.", Tokens: w.client.fills},
		model.Say("All are written."), // OpenCode goes on after it has compacted
	}})
	w.committed(commits+1, "Write three files", "All are written.", "first.txt", "second.txt", "third.txt")
	if w.client.compact != nil {
		asked = append(asked, w.everything(w.client.compact)...)
	}
	more := w.everything(append(w.client.goOn, prompt("Write a fourth", "six")), model.Scene{Prompt: mark("six"), Turns: []model.Turn{
		model.Do(file("fourth")), model.Say("It is written."),
	}})
	w.committed(commits+2, "Write a fourth", "It is written.", "fourth.txt")
	w.briefed(more[len(more)-1], goal)
	compacted := func(r model.Request) bool { return r.Scene == "" && strings.Contains(r.Body, w.client.summary) }
	if !slices.ContainsFunc(append(asked, more...), compacted) {
		w.Errorf("the client has compacted nothing")
	}
	added := w.steps()[before:]
	for _, name := range []string{"first.txt", "second.txt", "third.txt", "fourth.txt"} {
		w.has(added, name, "")
		w.wrote = append(w.wrote, name)
	}
	if w.client.home != nil {
		for name, text := range w.client.home(w) {
			w.writeFile(filepath.Join(w.home, name), text)
		}
	}
}

// A turn that the user interrupts is recorded, when it ends or when the next session begins.
func (w *world) interrupted() { w.stopped(syscall.SIGINT, "Draw a circle", "circle") }

// So is that of a client that was killed.
func (w *world) killed() { w.stopped(syscall.SIGKILL, "Draw a square", "square") }

func (w *world) stopped(sig syscall.Signal, first, name string) {
	before, commits := len(w.steps()), len(w.commits())
	w.stop(sig, append(w.client.start, prompt(first, name)), model.Scene{Prompt: mark(name), Turns: []model.Turn{
		{Say: "I draw the " + name + ".", Deeds: []model.Deed{model.Write(w.path(name+".txt"), "o\n")}},
		{Say: "I wait for the " + name + ".", Deeds: []model.Deed{w.hangs()}},
	}})
	w.wrote = append(w.wrote, name+".txt")
	w.age()
	asked := w.ask(append(w.client.start, prompt("What was drawn?", name+"-next")),
		model.Scene{Prompt: mark(name + "-next"), Turns: []model.Turn{model.Say("A " + name + ".")}})
	added := w.steps()[before:]
	w.has(added, name+".txt", "")
	if !slices.ContainsFunc(added, func(s step) bool { return strings.Contains(s.Thought, "I draw the "+name) }) {
		w.Errorf("no step has what the agent said: %+v", added)
	}
	w.briefed(asked[0], first)
	w.committed(commits+1, first, "I draw the "+name, name+".txt")
}

// The same events again add nothing.
func (w *world) replayed() {
	steps, commits := w.steps(), w.commits()
	calls := w.hookCalls()
	for _, c := range calls {
		hook := w.command("git-context", "hook", c.client, c.event)
		hook.Stdin = strings.NewReader(string(c.payload))
		if out, err := hook.CombinedOutput(); err != nil {
			w.Errorf("%s %s: %v\n%s", c.client, c.event, err, out)
		}
	}
	w.Logf("%d calls of hooks, %d steps, %d commits", len(calls), len(steps), len(commits))
	if after := w.steps(); !slices.Equal(steps, after) {
		w.Errorf("%d steps after %d calls of hooks again, %d before:\n%s",
			len(after), len(calls), len(steps), list(after[len(steps):]))
	}
	if after := w.commits(); !slices.Equal(commits, after) {
		w.Errorf("%d commits after the same events again, %d before: %+v", len(after), len(commits), after[0])
	}
}

// Of all sessions that the client keeps, import takes in the one that no hook recorded, once.
func (w *world) imported() {
	steps, commits := w.steps(), w.commits()
	w.ask(append(w.client.start, prompt("Paint the fence", "fence")), model.Scene{Prompt: mark("fence"), Turns: []model.Turn{
		{Say: "I choose green.", Deeds: []model.Deed{model.Write(w.path("fence.txt"), "green\n")}},
		model.Say("The fence is green."),
	}})
	if after := w.steps(); len(after) != len(steps) {
		w.Fatalf("without hooks there are new steps:\n%s", list(after[len(steps):]))
	}
	w.age()
	var r struct{ Commits, Steps int }
	take := func() {
		gittest.Must(w.T, json.Unmarshal([]byte(w.run("git-context", "import", "--json", "--all", "--from", w.client.name)), &r))
	}
	take()
	if w.client.waits {
		if r.Commits != 0 || r.Steps != 0 {
			w.Errorf("import says %+v of sessions that may go on", r)
		}
		return
	}
	old := func(s step) bool {
		return slices.ContainsFunc(steps, func(o step) bool { return o.Session == s.Session })
	}
	added := slices.DeleteFunc(w.steps(), old)
	if r.Commits != 1 || r.Steps != len(added) {
		w.Errorf("import says %+v, and %d steps are new:\n%s", r, len(added), list(added))
	}
	w.has(added, "fence.txt", "")
	for _, s := range added {
		if s.Session != added[0].Session || s.Agent != w.client.name {
			w.Errorf("a step of another session: %+v", s)
		}
	}
	w.committed(len(commits)+1, "Paint the fence", "The fence is green.", "fence.txt")
	take()
	if r.Commits != 0 || r.Steps != 0 {
		w.Errorf("import again says %+v", r)
	}
}

func list(steps []step) string {
	var b strings.Builder
	for _, s := range steps {
		fmt.Fprintf(&b, "%+v\n", s)
	}
	return b.String()
}

// file checks a file that the agent wrote.
func (w *world) file(name, want string) {
	w.Helper()
	if got := string(gittest.OK(os.ReadFile(w.path(name)))(w.T)); got != want {
		w.Errorf("%s is %q", name, got)
	}
}
