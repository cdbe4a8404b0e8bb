package codex_test

import (
	"fmt"
	"log"
	"strings"

	"github.com/git-context/git-context/hooks/agent"
	"github.com/git-context/git-context/hooks/codex"
)

func ExampleDecode() {
	rollout := `{"type":"session_meta","payload":{"id":"s","cwd":"/home/dev/project"}}
{"type":"event_msg","payload":{"type":"user_message","message":"Fix the build"}}
{"type":"response_item","payload":{"type":"function_call","name":"shell","arguments":"{\"command\":[\"bash\",\"-lc\",\"make\"]}","call_id":"c1"}}
{"type":"response_item","payload":{"type":"function_call_output","call_id":"c1","output":"Exit code: 2\nOutput:\nno rule"}}
`
	_, err := codex.Decode(strings.NewReader(rollout), agent.Start{}, func(s agent.Step) error {
		fmt.Printf("%q %q\n", s.Action, s.Observation)
		return nil
	})
	if err != nil {
		log.Fatal(err)
	}
	// Output:
	// "" "User: Fix the build"
	// "shell: make" "Exit code 2\nno rule"
}
