package aider_test

import (
	"fmt"
	"log"
	"strings"

	"github.com/git-context/git-context/hooks/agent"
	"github.com/git-context/git-context/hooks/aider"
)

func ExampleDecode() {
	history := `# aider chat started at 2026-10-01 10:00:00

#### Fix the build  

A rule is missing.

> Applied edit to Makefile  
`
	_, err := aider.Decode(strings.NewReader(history), agent.Start{}, func(s agent.Step) error {
		fmt.Printf("%q %q %q\n", s.Observation, s.Thought, s.Action)
		return nil
	})
	if err != nil {
		log.Fatal(err)
	}
	// Output:
	// "User: Fix the build" "" ""
	// "" "A rule is missing." "Edit: Makefile"
}
