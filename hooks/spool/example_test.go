package spool_test

import (
	"bytes"
	"fmt"
	"log"

	"github.com/git-context/git-context/hooks/agent"
	"github.com/git-context/git-context/hooks/spool"
)

func Example() {
	var file bytes.Buffer
	for _, e := range []agent.Event{
		{Kind: agent.Prompt, ID: "m1", Text: "Fix the build"},
		{Kind: agent.Call, ID: "p1", Call: "c1", Tool: "bash", Argument: "make", Class: agent.Shell},
		{Kind: agent.Result, ID: "p1/result", Call: "c1", Text: "ok"},
	} {
		line, err := spool.Line(e)
		if err != nil {
			log.Fatal(err)
		}
		file.Write(line)
	}
	_, err := spool.Decode(&file, agent.Start{Session: "s"}, func(s agent.Step) error {
		fmt.Printf("%s %s: %q %q\n", s.Session, s.ID, s.Action, s.Observation)
		return nil
	})
	if err != nil {
		log.Fatal(err)
	}
	// Output:
	// s m1: "" "User: Fix the build"
	// s p1: "bash: make" "ok"
}
