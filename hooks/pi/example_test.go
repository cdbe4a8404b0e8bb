package pi_test

import (
	"fmt"
	"log"
	"strings"

	"github.com/git-context/git-context/hooks/agent"
	"github.com/git-context/git-context/hooks/pi"
)

func ExampleDecode() {
	transcript := `{"type":"session","id":"s","timestamp":"2026-11-01T10:00:00Z","cwd":"/r"}
{"type":"message","id":"a","timestamp":"2026-11-01T10:00:01Z","message":{"role":"user","content":[{"type":"text","text":"Fix the build"}]}}
{"type":"message","id":"b","timestamp":"2026-11-01T10:00:02Z","message":{"role":"assistant","content":[{"type":"text","text":"There is no rule."}],"stopReason":"stop"}}
`
	report, err := pi.Decode(strings.NewReader(transcript), agent.Start{}, func(s agent.Step) error {
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
