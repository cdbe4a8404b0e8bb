package qwen_test

import (
	"fmt"
	"log"
	"strings"

	"github.com/git-context/git-context/hooks/agent"
	"github.com/git-context/git-context/hooks/qwen"
)

func ExampleDecode() {
	transcript := `{"uuid":"1","sessionId":"s","type":"user","cwd":"/r","message":{"parts":[{"text":"Fix the build"}]}}
{"uuid":"2","sessionId":"s","type":"assistant","message":{"parts":[{"text":"Hm.","thought":true},{"text":"There is no rule."}]}}
`
	report, err := qwen.Decode(strings.NewReader(transcript), agent.Start{}, func(s agent.Step) error {
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
