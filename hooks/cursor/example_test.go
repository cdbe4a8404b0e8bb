package cursor_test

import (
	"fmt"

	"github.com/git-context/git-context/hooks/cursor"
)

func ExampleEvents() {
	payload := `{"conversation_id":"s","generation_id":"g","tool_name":"Shell","tool_input":{"command":"make"},"tool_use_id":"t","agent_message":"I build it.","error_message":"no rule"}`
	for _, e := range cursor.Events("postToolUseFailure", []byte(payload)) {
		fmt.Printf("%q %s %s %v\n", e.Text, e.Tool, e.Argument, e.Failed)
	}
	// Output:
	// "I build it."   false
	// "" Shell make false
	// "no rule"   true
}
