package aider

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/git-context/git-context/hooks/agent"
	"github.com/google/go-cmp/cmp"
)

func decode(t testing.TB, text string) (steps []agent.Step, report *agent.Report, err error) {
	t.Helper()
	report, err = Decode(strings.NewReader(text), agent.Start{}, func(s agent.Step) error {
		steps = append(steps, s)
		return nil
	})
	return append(steps, report.Open...), report, err
}

func TestDecode(t *testing.T) {
	text, err := os.ReadFile("testdata/main.md")
	if err != nil {
		t.Fatal(err)
	}
	steps, report, err := decode(t, string(text))
	if err != nil {
		t.Fatal(err)
	}
	first := time.Date(2026, 10, 1, 10, 0, 0, 0, time.Local).UTC()
	second := time.Date(2026, 10, 2, 9, 30, 0, 0, time.Local).UTC()
	const one, two, sonnet = "2026-10-01T100000", "2026-10-02T093000", "claude-sonnet-4-5"
	want := []agent.Step{
		{ID: "1", Session: one, Time: first, Model: sonnet, Observation: "User: Make the build work\nand say why it failed"},
		{ID: "4", Session: one, Time: first, Model: sonnet, Thought: "The import is missing. I add it:\n\nThen it builds.",
			Action: "Edit: main.go\n+ import \"fmt\"", Change: "+ import \"fmt\"", File: "main.go", Tokens: 2670},
		{ID: "6", Session: one, Time: first, Model: sonnet, Action: "Commit: git commit", Observation: "[aider 1a2b3c4] fix: import fmt"},
		{ID: "9", Session: one, Time: first, Model: sonnet, Action: "Run: go build"},
		{ID: "13", Session: one, Time: first, Model: sonnet, Observation: "User: What does this do?"},
		{ID: "14", Session: one, Time: first, Model: sonnet, Thought: "It prints:\n\n```markdown\n> hello\n#### not a prompt\n```", Tokens: 920},
		{ID: "1", Session: two, Time: second, Model: "gpt-5", Observation: "User: Try again"},
		{ID: "2", Session: two, Time: second, Model: "gpt-5", Thought: "No answer was needed."},
	}
	if diff := cmp.Diff(want, steps); diff != "" {
		t.Error(diff)
	}
	var turns []string
	for _, turn := range report.Turns {
		turns = append(turns, fmt.Sprintf("%.10q %v %d made, %d calls, done %v", turn.Prompt, turn.Files, len(turn.Made), turn.Calls, turn.Done))
	}
	wantTurns := []string{`"Make the b" [main.go] 1 made, 2 calls, done true`, `"" [] 0 made, 1 calls, done true`,
		`"What does " [] 0 made, 0 calls, done true`, `"Try again" [] 0 made, 0 calls, done true`}
	if diff := cmp.Diff(wantTurns, turns); diff != "" {
		t.Error(diff)
	}
}

// A history that has grown begins with the same steps.
func TestDecodeGrows(t *testing.T) {
	text, err := os.ReadFile("testdata/main.md")
	if err != nil {
		t.Fatal(err)
	}
	whole, _, err := decode(t, string(text))
	if err != nil {
		t.Fatal(err)
	}
	for at := range len(text) {
		if !strings.HasPrefix(string(text[at:]), "\n\n#") { // where an answer ended
			continue
		}
		part, _, err := decode(t, string(text[:at]))
		if err != nil && at > 0 {
			t.Fatal(err)
		}
		if diff := cmp.Diff(whole[:len(part)], part); diff != "" && len(part) > 0 {
			t.Errorf("up to %d: %s", at, diff)
		}
	}
}

func TestForeign(t *testing.T) {
	if _, _, err := decode(t, "# A page\n\n#### Title\n"); !errors.Is(err, agent.ErrForeign) {
		t.Errorf("%v", err)
	}
	if _, _, err := decode(t, "\n"); err != nil {
		t.Errorf("%v", err)
	}
}

func FuzzDecode(f *testing.F) {
	text, err := os.ReadFile("testdata/main.md")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(string(text))
	f.Add("# aider chat started at x\n#### !\n```\n<<<<<<< SEARCH\n```\n> Commit a b\n> Tokens: 1e9k sent")
	f.Fuzz(func(t *testing.T, text string) {
		steps, report, err := decode(t, text)
		if err != nil {
			if !errors.Is(err, agent.ErrForeign) {
				t.Error(err)
			}
			return
		}
		in, seen := 0, map[string]bool{}
		for _, turn := range report.Turns {
			in += turn.Steps
		}
		if in != len(steps) {
			t.Errorf("%d of %d steps are in turns", in, len(steps))
		}
		again, _, _ := decode(t, text)
		if diff := cmp.Diff(steps, again); diff != "" {
			t.Error(diff)
		}
		for _, s := range steps {
			name := s.Session + ":" + s.ID
			if seen[name] && strings.Count(text, began) < 2 {
				t.Errorf("two steps are named %s", name)
			}
			seen[name] = true
		}
	})
}
