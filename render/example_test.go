package render_test

import (
	"fmt"
	"os"
	"time"

	"github.com/git-context/git-context/refs"
	"github.com/git-context/git-context/render"
)

func ExampleCommit_Text() {
	at := time.Date(2026, 11, 21, 1, 40, 12, 0, time.UTC)
	p := &render.Printer{W: os.Stdout, Now: at.Add(2 * time.Hour), Self: "git context"}
	v := render.Commit{Commit: refs.Commit{
		ID: "01JD5K6T3V7Q3M9K2A4B5C6D7E", Branch: "main", Time: at, Agent: "claude-code",
		Summary: "Pool is initialised before the router", Contribution: "# No heading\nof the view's.",
	}}
	v.Text(p)
	// Output:
	// # Pool is initialised before the router
	//
	// - id: 01JD5K6T3V7Q3M9K2A4B5C6D7E
	// - branch: main
	// - time: 2026-11-21T01:40:12Z (2 hours ago)
	// - agent: claude-code
	//
	// **This Commit's Contribution**
	//
	// > # No heading
	// > of the view's.
}

func ExampleSafe() {
	fmt.Println(render.Safe("\x1b[2Juser\u202enimda"))
	// Output: ^[[2Juser<U+202E>nimda
}
