package notes_test

import (
	"fmt"

	"github.com/git-context/git-context/notes"
)

// The note of a milestone, as `git notes --ref=context show` prints it. A line of
// somebody else's is passed over.
func ExampleJudge() {
	note := []byte(`{"v":1,"id":"01JD5K6T3V7Q3M9K2A4B5C6D7E","kind":"commit","time":"2026-11-21T01:40:12Z","branch":"main","steps":"12-21"}
reviewed by hand
{"v":1,"id":"01JD5K7A3V7Q3M9K2A4B5C6D7E","kind":"score","time":"2026-11-21T02:00:00Z","agent":"ada","score":0.4}
{"v":1,"id":"01JD5K8B3V7Q3M9K2A4B5C6D7E","kind":"score","time":"2026-11-22T09:00:00Z","agent":"ada","score":0.9}
{"v":1,"id":"01JD5K9C3V7Q3M9K2A4B5C6D7E","kind":"outcome","time":"2026-11-22T09:00:00Z","agent":"ada","outcome":"success"}
`)
	facts := notes.Parse(note)
	for _, f := range facts {
		fmt.Println(f.Kind, f.Time.Format("2 Jan"))
	}
	j := notes.Judge(facts)
	fmt.Println("in force:", *j.Score, *j.Outcome)
	// Output:
	// commit 21 Nov
	// score 21 Nov
	// score 22 Nov
	// outcome 22 Nov
	// in force: 0.9 success
}

// Two notes on one object, each written elsewhere, are united line by line.
func ExampleUnion() {
	ours := []byte("{\"kind\":\"commit\"}\n{\"kind\":\"score\"}\n")
	theirs := []byte("{\"kind\":\"commit\"}\n{\"kind\":\"review\"}\n")
	fmt.Printf("%s", notes.Union(ours, theirs))
	// Output:
	// {"kind":"commit"}
	// {"kind":"score"}
	// {"kind":"review"}
}
