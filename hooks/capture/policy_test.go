package capture

import (
	"fmt"
	"strings"
	"testing"

	"github.com/git-context/git-context/hooks/agent"
)

func TestCommits(t *testing.T) {
	turn, session := policy{mode: captureFull, commit: commitTurn}, policy{mode: captureFull, commit: commitSession}
	for _, c := range []struct {
		name   string
		policy policy
		due    due
		turn   Turn
		want   bool
	}{
		{"talk", turn, due{Final: "Yes."}, Turn{}, false},
		{"a file", turn, due{Files: []string{"a"}}, Turn{}, true},
		{"four calls", turn, due{Calls: 4}, Turn{}, false},
		{"five calls", turn, due{Calls: 5}, Turn{}, true},
		{"a code commit", turn, due{Code: true}, Turn{}, true},
		{"a subagent", turn, due{Calls: 9}, Turn{Subagent: "a"}, false},
		{"the agent's own commit", turn, due{Calls: 9, Committed: true}, Turn{}, false},
		{"off", policy{mode: captureFull, commit: commitOff}, due{Calls: 9}, Turn{Ends: true}, false},
		{"in a session", session, due{Calls: 9}, Turn{}, false},
		{"at its end", session, due{Calls: 9}, Turn{Ends: true}, true},
	} {
		if got := c.policy.commits(&c.due, c.turn); got != c.want {
			t.Errorf("%s: %v", c.name, got)
		}
	}
}

func TestWords(t *testing.T) {
	d := due{Prompt: "\n  Fix the parser \nand more", Final: strings.Repeat("é", 1500), Files: make([]string, 25)}
	for i := range d.Files {
		d.Files[i] = string(rune('a' + i))
	}
	if got := d.summary("codex"); got != "Fix the parser" {
		t.Errorf("%q", got)
	}
	got := d.contribution()
	if want := "Asked: Fix the parser \nand more\n\n" + strings.Repeat("é", 665) + "…" + strings.Repeat("é", 333) + "\n\nFiles: a, b, c, "; !strings.HasPrefix(got, want) ||
		!strings.HasSuffix(got, ", t and 5 more") {
		t.Errorf("%q", got)
	}
	if got := (&due{Prompt: "Fix it\n", Final: "Done."}).contribution(); got != "Done." {
		t.Errorf("%q", got)
	}
	if got := (&due{Final: "Done.\nReally."}).summary("codex"); got != "Done." {
		t.Errorf("%q", got)
	}
	if got := new(due).summary("codex"); got != "A turn of codex" {
		t.Errorf("%q", got)
	}
	long := "Mend it.\n" + strings.Repeat("x", 3000) + "\nDo not touch the API."
	if got := (&due{Prompt: long}).contribution(); len(got) > mostAsked+len("Asked: ") || !strings.HasSuffix(got, "…"+strings.Repeat("x", 244)+"\nDo not touch the API.") {
		t.Errorf("%q", got)
	}
}

// What an interrupted turn came to is in what the agent said on the way, of which the newest matters most.
func TestInterrupted(t *testing.T) {
	var steps []agent.Step
	for i := range 40 {
		steps = append(steps, agent.Step{Thought: fmt.Sprintf("%d %s", i, strings.Repeat("x", 96)), Action: "Bash: make"}, agent.Step{Action: "Read: f"})
	}
	steps = append(steps, agent.Step{Thought: strings.Repeat("é", 2000), Action: "Bash: make test", Observation: "FAIL\n1 of 2"})
	got := interrupted("", steps)
	for _, want := range []string{"Interrupted. The agent said, oldest first:\n\n- 20 xx", "\n- 39 xx", "é…\n\nIts last call: Bash: make test\nThe result: FAIL\n1 of 2"} {
		if !strings.Contains(got, want) {
			t.Errorf("%q lacks %q", got, want)
		}
	}
	if len(got) > mostSaid+2*mostLast+100 {
		t.Errorf("%d bytes", len(got))
	}
	if got := interrupted("", []agent.Step{{Observation: "User: Do it"}}); got != "" {
		t.Errorf("%q", got)
	}
	d := &due{Prompt: "Do it"}
	d.interrupt(policy{mode: captureFull}, []agent.Step{{Action: "Bash: make"}})
	if got := d.contribution(); got != silent+"\n\nIts last call: Bash: make" {
		t.Errorf("%q", got)
	}
	if d.Prompt = ""; d.summary("codex") != "A turn of codex" {
		t.Errorf("%q", d.summary("codex"))
	}
	d = &due{Final: "Done."}
	if d.interrupt(policy{mode: captureFull}, []agent.Step{{Action: "Bash: make"}}); d.Final != "Done." {
		t.Errorf("%q", d.Final)
	}
}

func TestLastMessage(t *testing.T) {
	for _, c := range [][3]string{
		{"Done.", "", "Done."}, {"", "Done.", "Done."}, {"Done.", "I look first.", "Done."}, {" I look first. \n Done.", "Done.", "Done."},
	} {
		if got := lastMessage(c[0], c[1]); got != c[2] {
			t.Errorf("%q: %q", c, got)
		}
	}
}

func TestIgnored(t *testing.T) {
	i := parseIgnored("# ours\n\n*.pem\r\n/private/\nsecrets/**\n!secrets/public\n$ vault *\n$ *--password*\n$ make\n")
	for _, c := range []struct {
		event agent.Event
		want  bool
	}{
		{agent.Event{Tool: "Read", Argument: "keys/a.pem"}, true},
		{agent.Event{Tool: "Read", Argument: "a.pemx"}, false},
		{agent.Event{Tool: "Write", Argument: "x", Files: []string{"x", "secrets/deep/y"}}, true},
		{agent.Event{Tool: "Write", Files: []string{"secrets/public"}}, false},
		{agent.Event{Tool: "Grep", Argument: "KEY in private/notes"}, true},
		{agent.Event{Tool: "Bash", Class: agent.Shell, Argument: "cat ./private/notes | head"}, true},
		{agent.Event{Tool: "Bash", Class: agent.Shell, Argument: "curl --cert='b.pem' h"}, true},
		{agent.Event{Tool: "Bash", Class: agent.Shell, Argument: "vault  read x"}, true},
		{agent.Event{Tool: "Bash", Class: agent.Shell, Argument: "echo vault read"}, false},
		{agent.Event{Tool: "Bash", Class: agent.Shell, Argument: "mysql --password=x db"}, true},
		{agent.Event{Tool: "Bash", Class: agent.Shell, Argument: "make"}, true},
		{agent.Event{Tool: "Bash", Class: agent.Shell, Argument: "make test"}, false},
		{agent.Event{Tool: "Task", Argument: "make"}, false},
	} {
		if got := i.call(c.event); got != c.want {
			t.Errorf("%+v: %v", c.event, got)
		}
	}
}

// The commit of a turn tells what its edits changed, in about 1,200 bytes; a turn without an end has that in
// its account, in place of the results.
func TestContributionTellsEdits(t *testing.T) {
	d := &due{Prompt: "Mend it", Final: "Done.", Edits: []agent.Edited{{File: "a.go", Change: "+ func A() {\n- func B() {"}}}
	if got := d.contribution(); got != "Done.\n\nEdits: a.go: + func A() { - func B() {" {
		t.Errorf("%q", got)
	}
	for i := range listedFiles {
		d.Edits = append(d.Edits, agent.Edited{File: fmt.Sprintf("f%d.go", i), Change: strings.Repeat("+ a line of code\n", 18)})
	}
	got := d.contribution()
	if !strings.Contains(got, "Edits:\n\n- a.go: + func A() { - func B() {\n- f0.go: + a line of code + a line") || len(got) > mostEdits+100 {
		t.Errorf("%d bytes: %q", len(got), got)
	}
	d.Final = interrupted("", []agent.Step{{Thought: "I edit it.", Action: "Edit: a.go\n+ func A() {", Observation: "a snippet", Change: "+ func A() {", File: "a.go"},
		{Thought: "I edit again.", Action: "edit 1:1\n\tx\nend", Observation: "x", Change: "+ x", File: "b.go"}})
	got = d.contribution()
	if !strings.Contains(got, "\n- Edit: a.go + func A() {") || !strings.Contains(got, "last call: edit: b.go + x") ||
		strings.Contains(got, "a snippet") || strings.Contains(got, "Edits:") {
		t.Errorf("%q", got)
	}
}
