package capture

import (
	"strings"
	"testing"

	"github.com/git-context/git-context/hooks/agent"
)

// The account of an interrupted turn has what the agent found and what it planned, which nothing else tells.
func TestInterruptedTellsCalls(t *testing.T) {
	long := strings.Repeat("é", 1500)
	steps := []agent.Step{
		{Observation: "User: Mend it", Action: ""},
		{Thought: "I look.", Action: "Read: a.go", Observation: "package a"},
		{Action: "TodoWrite: [x] Look\n[ ] Mend", Observation: "ok"},
		{Action: "Edit: a.go"},
		{Action: "Edit: a.go"},
		{Thought: "\n", Action: "Bash: make " + long, Observation: long + "\nFAIL"},
		{Action: "TodoWrite: [x] Look\n[>] Mend\n[ ] Test", Observation: "ok"},
	}
	got := interrupted("", steps)
	for _, want := range []string{
		"Its plan: TodoWrite: [x] Look [>] Mend [ ] Test\n\n",
		"Its last call: Bash: make éé", "FAIL\n\nThe calls before it, oldest first:\n\n- Read: a.go → package a\n- Edit: a.go",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("%q lacks %q", got, want)
		}
	}
	for _, not := range []string{"→ ok", "[ ] Mend", "User: ", "\n- \n"} {
		if strings.Contains(got, not) {
			t.Errorf("%q has %q", got, not)
		}
	}
	if n := strings.Count(got, "Edit: a.go"); n != 1 {
		t.Errorf("a call is there %d times: %q", n, got)
	}
	if got := (&due{Final: got}).summary("codex"); got != "I look." {
		t.Errorf("the summary is %q", got)
	}
}

// However long a turn is, its account has a bound, and the newest calls.
func TestInterruptedIsBounded(t *testing.T) {
	var steps []agent.Step
	for i := range 3000 {
		name := strings.Repeat(string(rune('a'+i%26)), 400+i)
		steps = append(steps, agent.Step{Thought: name, Action: "Bash: " + name, Observation: name},
			agent.Step{Action: "plan: [ ] " + name})
	}
	steps = append(steps, agent.Step{Action: "Bash: the last but one", Observation: strings.Repeat("é", 3000)}, agent.Step{Action: "Bash: the last"})
	got := interrupted("", steps)
	if !strings.Contains(got, "\n- Bash: the last but one → é") || !strings.HasPrefix(got, account) || len(got) > mostAccount {
		t.Errorf("%d bytes: %q", len(got), got)
	}
	if d := (&due{Prompt: "Mend it", Final: got}); len(got) <= mostContributed || d.contribution() != got {
		t.Errorf("the contribution is cut: %q", d.contribution())
	}
}

// A line that a newer result has is not told again, so that there is room for what differs.
func TestInterruptedTellsResultsOnce(t *testing.T) {
	page := strings.Repeat("<p>the same page again</p>\n", 3) + "<h1>Title of all pages</h1>\n"
	got := interrupted("Find the flag", []agent.Step{
		{Thought: "I look.", Action: "Bash: curl /", Observation: page + "a.pl, b.pl\n"},
		{Action: "Bash: curl /a", Observation: page},
		{Action: "Bash: curl /b", Observation: page + "it says no\n"},
	})
	for _, want := range []string{"\n- Bash: curl / → … a.pl, b.pl\n- Bash: curl /a", "call: Bash: curl /b\nThe result: <p>the same page again</p>\n"} {
		if !strings.Contains(got, want) {
			t.Errorf("%q lacks %q", got, want)
		}
	}
	if n := strings.Count(got, "Title of all"); n != 1 {
		t.Errorf("the title is there %d times: %q", n, got)
	}
}

// Of a long turn the findings in its middle stay, and what was only announced goes first.
func TestInterruptedKeepsFindings(t *testing.T) {
	var steps []agent.Step
	for i := range 10 {
		steps = append(steps, agent.Step{Action: "Bash: make", Observation: "ok", Thought: "Let me look at the next file, whose name is long enough to matter here, again. " +
			"File " + string(rune('a'+i)) + ".go has the bug. " + strings.Repeat("I will now go on with the one that comes after it. ", 5)})
	}
	got := interrupted("", steps)
	for _, want := range []string{"- File a.go has the bug.\n", "- File e.go has the bug.\n", "File j.go has the bug. I will now go on"} {
		if !strings.Contains(got, want) {
			t.Errorf("%q lacks %q", got, want)
		}
	}
}
