package claudecode_test

import (
	"fmt"
	"log"
	"strings"

	"github.com/git-context/git-context/hooks/agent"
	"github.com/git-context/git-context/hooks/claudecode"
)

func ExampleDecode() {
	transcript := `{"type":"user","uuid":"u1","sessionId":"s","message":{"role":"user","content":"Fix the build"}}
{"type":"assistant","uuid":"u2","sessionId":"s","message":{"id":"m1","content":[{"type":"tool_use","id":"t1","name":"Bash","input":{"command":"make"}}]}}
{"type":"user","uuid":"u3","sessionId":"s","message":{"content":[{"type":"tool_result","tool_use_id":"t1","content":"ok"}]}}
`
	_, err := claudecode.Decode(strings.NewReader(transcript), agent.Start{}, func(s agent.Step) error {
		fmt.Printf("%q %q\n", s.Action, s.Observation)
		return nil
	})
	if err != nil {
		log.Fatal(err)
	}
	// Output:
	// "" "User: Fix the build"
	// "Bash: make" "ok"
}
