package journal_test

import (
	"encoding/json"
	"fmt"
	"log"

	"github.com/git-context/git-context/refs/journal"
)

// What .git/context/journal/main.jsonl held: one step that a commit took, one that waits,
// and what a crash left of a third, which was never acknowledged.
func ExampleParse() {
	data := []byte(`{"journal":"01JD5JZZ3V7Q3M9K2A4B5C6D7E","committed":"e678e1d","step":0,"id":"01JD5JYY3V7Q3M9K2A4B5C6D7E"}
{"time":"2026-11-21T01:37:05Z","observation":"500 on /users","step":1,"id":"01JD5K0Z3V7Q3M9K2A4B5C6D7E"}
{"committed":"2686383","upto":211,"step":1,"id":"01JD5K0Z3V7Q3M9K2A4B5C6D7E"}
{"time":"2026-11-21T01:40:12Z","action":"go test ./store","step":2,"id":"01JD5K6T3V7Q3M9K2A4B5C6D7E"}
{"time":"2026-11-21T01:41`)
	c, err := journal.Parse(data)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(len(c.Lines), "steps, committed up to", c.Mark.Upto)
	for _, line := range c.After(c.Mark.Upto) {
		var step struct{ Observation, Thought, Action string }
		if err := json.Unmarshal(line.Raw, &step); err != nil {
			log.Fatal(err)
		}
		fmt.Println("pending:", line.Step, line.ID, step.Action)
	}
	// Output:
	// 2 steps, committed up to 211
	// pending: 2 01JD5K6T3V7Q3M9K2A4B5C6D7E go test ./store
}
