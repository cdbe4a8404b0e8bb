package gemini_test

import (
	"fmt"
	"log"
	"strings"

	"github.com/git-context/git-context/hooks/agent"
	"github.com/git-context/git-context/hooks/gemini"
)

func ExampleDecode() {
	transcript := `{"sessionId":"s","projectHash":"h","kind":"main"}
{"id":"m1","timestamp":"2026-11-01T10:00:00Z","type":"user","content":"Fix the build"}
{"id":"m2","timestamp":"2026-11-01T10:00:01Z","type":"gemini","content":"There is no rule."}
`
	report, err := gemini.Decode(strings.NewReader(transcript), agent.Start{}, func(s agent.Step) error {
		fmt.Printf("%q\n", s.Observation)
		return nil
	})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(report.Final)
	// Output:
	// "User: Fix the build"
	// There is no rule.
}
