package cursor_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/git-context/git-context/hooks/agent"
	"github.com/git-context/git-context/hooks/cursor"
)

func TestEvents(t *testing.T) {
	t.Parallel()
	const common = `{"conversation_id":"s","generation_id":"g","model":"m","workspace_roots":["/r"]`
	for _, test := range []struct {
		event, payload string
		want           []string
	}{
		{"beforeSubmitPrompt", `,"prompt":"<timestamp>Monday</timestamp>\n<user_query>\nFix it\n</user_query>"`, []string{"0 Fix it"}},
		{"beforeSubmitPrompt", `,"prompt":""`, nil},
		{"afterAgentResponse", `,"text":"Done."`, []string{"1 Done."}},
		{"postToolUse", `,"tool_name":"Shell","tool_input":{"command":"make"},"tool_output":"{\"exitCode\":2,\"stdout\":\"no rule\\n\"}","agent_message":"First."`,
			[]string{"1 First.", "2 Shell: make 2 []", "3 no rule\nexit code 2"}},
		{"postToolUse", `,"tool_name":"Write","tool_input":"{\"path\":\"/r/a.go\"}","tool_output":{"content":"ok"}`, []string{"2 Write: a.go 0 [a.go]", "3 ok"}},
		{"postToolUse", `,"tool_name":"Read","tool_input":{"target_file":"/r/a.go"},"tool_output":"plain"`, []string{`2 Read: {"target_file":"/r/a.go"} 1 []`, "3 plain"}},
		{"postToolUse", `,"tool_name":"edit_file","tool_input":{"target_file":"/r/a.go","instructions":"x"},"tool_output":null`,
			[]string{`2 edit_file: {"target_file":"/r/a.go","instructions":"x"} 0 [a.go]`, "3 "}},
		{"postToolUse", `,"tool_input":{}`, nil},
		{"postToolUseFailure", `,"tool_name":"Write","tool_input":{"path":"/r/a.go"},"error_message":"denied"`, []string{"2 Write: a.go 0 [a.go]", "3 denied failed"}},
		{"subagentStop", `,"task":"Look","summary":"Seen."`, []string{"0 Look", "1 Seen.", "5 "}},
		{"stop", `,"status":"error"`, []string{"5 "}},
		{"preToolUse", `,"tool_name":"Shell"`, nil},
	} {
		var got []string
		ids := map[string]bool{}
		for _, e := range cursor.Events(test.event, []byte(common+test.payload+"}")) {
			text := fmt.Sprintf("%d %s", e.Kind, e.Text)
			if e.Kind == agent.Call {
				text = fmt.Sprintf("%d %s: %s %d %v", e.Kind, e.Tool, e.Argument, e.Class, e.Files)
			}
			if e.Failed {
				text += " failed"
			}
			if got = append(got, text); e.Kind != agent.Stop && (e.ID == "" || ids[e.ID]) {
				t.Errorf("%s: id '%s'", text, e.ID)
			}
			ids[e.ID] = true
		}
		if !slices.Equal(got, test.want) {
			t.Errorf("%s%s: %q, want %q", test.event, test.payload, got, test.want)
		}
	}
	for _, odd := range []string{"", "[]", "{", `{"tool_name":7,"tool_input":[],"tool_output":{}}`} {
		if got := cursor.Events("postToolUse", []byte(odd)); got != nil {
			t.Errorf("%q: %+v", odd, got)
		}
	}
}
