package gemini_test

import (
	"testing"

	"github.com/git-context/git-context/hooks/agent"
	"github.com/git-context/git-context/hooks/gemini"
	"github.com/git-context/git-context/hooks/internal/golden"
	"github.com/google/go-cmp/cmp"
)

// The file of a subagent does not name its parent, which the start does. In the middle, a
// history that is repeated is no news.
func TestMiddle(t *testing.T) {
	t.Parallel()
	const (
		header = `{"sessionId":"g2","projectHash":"h","kind":"subagent"}
`
		history = `{"$set":{"messages":[{"id":"m0","timestamp":"2026-11-01T09:00:00Z","type":"user","content":"Before"}]}}
`
		message = `{"id":"m1","timestamp":"x","type":"user","content":"Look"}
`
	)
	task, mine := agent.Step{ID: "m1", Observation: "Task: Look"}, agent.Step{ID: "m1", Session: "g1", Observation: "User: Look"}
	tests := []struct {
		name, text string
		start      agent.Start
		session    string
		want       agent.Step
	}{
		{"alone", header + message, agent.Start{}, "g2", task},
		{"with its parent", header + message, agent.Start{Session: "g1"}, "g1/g2", task},
		{"with its whole name", header + message, agent.Start{Session: "g1/g2"}, "g1/g2", task},
		{"in the middle", message, agent.Start{Session: "g1/g2", Middle: true}, "g1/g2", task},
		{"the user's", history + message, agent.Start{Session: "g1", Middle: true}, "g1", mine},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			steps, report := golden.Decode(gemini.Decode).Run(t, test.text, test.start)
			test.want.Session = test.session
			if diff := cmp.Diff([]agent.Step{test.want}, append(steps, report.Open...)); diff != "" {
				t.Error(diff)
			}
		})
	}
}
