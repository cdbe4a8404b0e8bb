package agent_test

import (
	"encoding/json"
	"fmt"
	"log"
	"strings"

	"github.com/git-context/git-context/hooks/agent"
)

// A package for a client turns the records of its transcripts into events.
func Example() {
	record := func(t *agent.Thread, line []byte) {
		var r struct{ ID, Said, Ran, Printed string }
		if json.Unmarshal(line, &r) != nil {
			t.Broken()
			return
		}
		t.Own()
		if r.Said != "" {
			t.Add(agent.Event{Kind: agent.Text, ID: r.ID, Text: r.Said})
			return
		}
		t.Add(agent.Event{Kind: agent.Call, ID: r.ID, Call: r.ID, Tool: "Shell", Argument: r.Ran, Class: agent.Shell})
		t.Add(agent.Event{Kind: agent.Result, ID: r.ID, Call: r.ID, Text: r.Printed})
	}
	transcript := `{"id":"1","said":"The tests first."}
{"id":"2","ran":"go test ./...","printed":"ok"}
{"id":"3","said":"All of them pass."}
`
	show := func(s agent.Step) error {
		fmt.Printf("%s: %q, %q, %q\n", s.ID, s.Thought, s.Action, s.Observation)
		return nil
	}
	report, err := agent.Decode(strings.NewReader(transcript), agent.Start{}, record, show)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("Not finished:", report.Open[0].Thought)
	// Output:
	// 2: "The tests first.", "Shell: go test ./...", "ok"
	// Not finished: All of them pass.
}
