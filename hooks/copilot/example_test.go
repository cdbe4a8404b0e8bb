package copilot_test

import (
	"fmt"
	"log"
	"strings"

	"github.com/git-context/git-context/hooks/agent"
	"github.com/git-context/git-context/hooks/copilot"
)

func ExampleDecode() {
	transcript := `{"type":"session.start","data":{"sessionId":"s","context":{"cwd":"/r"}},"id":"1"}
{"type":"user.message","data":{"content":"Fix the build"},"id":"2"}
{"type":"assistant.message","data":{"content":"There is no rule.","toolRequests":[]},"id":"3"}
`
	report, err := copilot.Decode(strings.NewReader(transcript), agent.Start{}, func(s agent.Step) error {
		fmt.Printf("%q %q\n", s.Observation, s.Thought)
		return nil
	})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(report.Final)
	// Output:
	// "User: Fix the build" ""
	// "" "There is no rule."
	// There is no rule.
}
