package copilot_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/git-context/git-context/hooks/agent"
	"github.com/git-context/git-context/hooks/copilot"
	"github.com/git-context/git-context/hooks/internal/golden"
	"github.com/google/go-cmp/cmp"
)

// The records of a subagent are in the file of its session: the start says whose are wanted.
func TestSubagent(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("testdata/subagent.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	const session = "s/c9566678-f027-4e36-9d94-d70bb1869e77"
	steps, report := golden.Decode(copilot.Decode).Run(t, string(text), agent.Start{Session: session})
	var got [][3]string
	for _, s := range steps {
		if s.Session != session {
			t.Errorf("%+v", s)
		}
		got = append(got, [3]string{s.Observation, s.Thought, s.Action})
	}
	want := [][3]string{{"Task: SUBPROMPT do it"}, {"from-sub", "SUBTEXT working", "bash: echo from-sub"}, {"", "SUBFINAL done"}}
	if diff := cmp.Diff(want, got); diff != "" || len(report.Turns) != 1 || !report.Turns[0].Task || !report.Turns[0].Done {
		t.Errorf("%+v: %s", report.Turns, diff)
	}
}

func TestTranscript(t *testing.T) {
	t.Parallel()
	for session, want := range map[string]string{
		"108c83d4-536b": filepath.Join("h", "session-state", "108c83d4-536b", "events.jsonl"),
		"":              "", "..": "", "a/../../b": "", `a\b`: "", "c:x": "", "a\x00": "",
	} {
		if got := copilot.Transcript("h", session); got != want {
			t.Errorf("%q: %q", session, got)
		}
	}
	if got := copilot.Transcript("", "s"); got != "" {
		t.Error(got)
	}
}
