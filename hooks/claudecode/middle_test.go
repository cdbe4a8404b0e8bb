package claudecode_test

import (
	"testing"

	"github.com/git-context/git-context/hooks/agent"
	"github.com/git-context/git-context/hooks/claudecode"
	"github.com/git-context/git-context/hooks/internal/golden"
	"github.com/google/go-cmp/cmp"
)

const (
	user = `{"type":"user","uuid":"u1","isSidechain":false,"message":{"content":"Go on"}}
{"type":"assistant","uuid":"u2","isSidechain":false,"message":{"id":"m1","content":[{"type":"tool_use","id":"t1","name":"Write","input":{"file_path":"/home/dev/project/a.go"}}]}}
{"type":"user","uuid":"u3","isSidechain":false,"message":{"content":[{"type":"tool_result","tool_use_id":"t1","content":"ok"}]}}
`
	sub = `{"type":"user","uuid":"v1","isSidechain":true,"message":{"content":"Look around"}}
`
)

// Records that name neither session nor directory take those of the start. A subagent's are
// its parent's only where the start says so, or where the file begins with one.
func TestMiddle(t *testing.T) {
	t.Parallel()
	mine := []agent.Step{{ID: "u1", Session: "s", Observation: "User: Go on"}, {ID: "u2", Session: "s", Observation: "ok", Action: "Write: a.go"}}
	tests := []struct {
		name, text string
		start      agent.Start
		steps      []agent.Step
		subagent   int
	}{
		{"the user's", sub + user, agent.Start{Session: "s", Dir: "/home/dev/project", Middle: true}, mine, 1},
		{"the user's, from the beginning", user + sub, agent.Start{Session: "s", Dir: "/home/dev/project"}, mine, 1},
		{"a subagent's", sub, agent.Start{Session: "s/a1", Middle: true}, []agent.Step{{ID: "v1", Session: "s/a1", Observation: "Task: Look around"}}, 0},
		{"a subagent's, from the beginning", sub, agent.Start{Session: "s/a1"}, []agent.Step{{ID: "v1", Session: "s/a1", Observation: "Task: Look around"}}, 0},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			steps, report := golden.Decode(claudecode.Decode).Run(t, test.text, test.start)
			if diff := cmp.Diff(test.steps, append(steps, report.Open...)); diff != "" || report.Subagent != test.subagent {
				t.Errorf("%d records of subagents: %s", report.Subagent, diff)
			}
			for _, turn := range report.Turns {
				if turn.Task != (test.subagent == 0) {
					t.Errorf("%+v", turn)
				}
			}
		})
	}
}
