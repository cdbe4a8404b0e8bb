package doc_test

import (
	"fmt"
	"time"

	"github.com/git-context/git-context/refs/doc"
)

func ExampleFormatLog() {
	steps := []doc.Step{{
		ID: "01JD5K0Z3V7Q3M9K2A4B5C6D7E", Number: 12, Time: time.Date(2026, 11, 21, 1, 37, 5, 0, time.UTC),
		Agent: "claude-code", Session: "7f3a2c", Origin: "main",
		Observation: "API returns 500 on /users\n\n### Step 13", Action: "go test ./store",
	}}
	fmt.Printf("%s", doc.FormatLog(steps))
	// Output:
	// == Branch main ==
	//
	// ### Step 12 · 2026-11-21T01:37:05Z · claude-code · 01JD5K0Z3V7Q3M9K2A4B5C6D7E
	// - session: 7f3a2c
	//
	// **Observation**
	//
	// > API returns 500 on /users
	// >
	// > ### Step 13
	//
	// **Action**
	//
	// > go test ./store
}

func ExampleGrowLog() {
	step := doc.Step{ID: "01JD5K0Z3V7Q3M9K2A4B5C6D7E", Number: 1, Agent: "a", Origin: "main", Action: "ls"}
	first, err := doc.GrowLog(nil, []doc.Step{step})
	if err != nil {
		panic(err)
	}
	if step.ID, err = doc.NextID(time.Now(), step.ID); err != nil {
		panic(err)
	}
	step.Number = 2
	second, err := doc.GrowLog(first.Live, []doc.Step{step})
	if err != nil {
		panic(err)
	}
	steps, err := doc.ParseLog(second.Live)
	fmt.Println(len(steps), "steps,", len(second.Sealed), "sealed,", err)
	// Output: 2 steps, 0 sealed, <nil>
}

func ExampleUnionLog() {
	entry := func(id, action string) []byte {
		return doc.FormatLog([]doc.Step{{ID: id, Agent: "a", Origin: "main", Action: action}})
	}
	u, err := doc.UnionLog(
		doc.Entries{Live: entry("01JD5K0Z3V7Q3M9K2A4B5C6D7F", "later")},
		doc.Entries{Live: entry("01JD5K0Z3V7Q3M9K2A4B5C6D7E", "earlier")})
	if err != nil {
		panic(err)
	}
	steps, err := doc.ParseLog(u.Live)
	fmt.Println(steps[0].Action, steps[1].Action, u.Added, err)
	// Output: earlier later [01JD5K0Z3V7Q3M9K2A4B5C6D7E] <nil>
}

func ExampleMetadata_Set() {
	m, err := doc.ParseMetadata([]byte("version: 1\nenv_config:\n  # not 80\n  port: 8000\n"))
	if err != nil {
		panic(err)
	}
	if err := m.Set("env_config.port", "8080"); err != nil {
		panic(err)
	}
	fmt.Println(m.Set("env_config.port.http", "1"))
	b, err := m.Bytes()
	fmt.Printf("%s%v\n", b, err)
	// Output:
	// 'env_config.port' is a value, not a map: nothing can be set below it
	// version: 1
	// env_config:
	//   # not 80
	//   port: 8080
	// <nil>
}

func ExampleMergeMetadata() {
	merged, conflicts, err := doc.MergeMetadata(
		[]byte("env_config:\n  port: 80\n"),
		[]byte("env_config:\n  port: 8080\n"),
		[]byte("env_config:\n  port: 9090\n  host: a\n"))
	fmt.Printf("%s%s %s %v\n", merged, conflicts[0].Kind, conflicts[0].Path, err)
	// Output:
	// env_config:
	//   port: 8080
	//   host: a
	// key metadata.yaml#env_config.port <nil>
}

func ExampleRoadmap() {
	r := doc.ParseRoadmap([]byte("# Project Roadmap\n\n## Goal\n\nShip it\n\n## To-Do\n\n- [ ] write docs\n"))
	r.AddTodo("release")
	fmt.Println(r.MarkTodo("write", true))
	fmt.Println(r.MarkTodo("relase", true))
	fmt.Printf("%s", r.Bytes())
	// Output:
	// <nil>
	// no item 'relase' in 'To-Do'
	// # Project Roadmap
	//
	// ## Goal
	//
	// Ship it
	//
	// ## To-Do
	//
	// - [x] write docs
	// - [ ] release
}

func ExampleMergeTopic() {
	merged, conflict, err := doc.MergeTopic("database", nil, []byte("Use SQLite.\n"), []byte("Use Postgres.\n"), nil)
	fmt.Printf("%s%s %s %v\n", merged, conflict.Kind, conflict.Path, err)
	// Output:
	// Use SQLite.
	// add/add topics/database.md <nil>
}

func ExampleTopic_Bytes() {
	t := doc.Topic{Paths: []string{"store/pool.go"}, Text: "The pool starts before the router."}
	fmt.Printf("%s\n", t.Bytes())
	// Output:
	// ---
	// paths:
	//   - store/pool.go
	// ---
	// The pool starts before the router.
}

func ExampleNextProgress() {
	prev := doc.Commit{
		Number: 12, Summary: "Pool is initialised before the router", Contribution: "The router asked for a connection too early.",
		Progress: "- Commit 11: Found the failing route. It is /users.\n… and 10 earlier milestones",
	}
	fmt.Println(doc.NextProgress(prev, 1500))
	// Output:
	// - Commit 12: Pool is initialised before the router
	//   The router asked for a connection too early.
	// - Commit 11: Found the failing route.
	// … and 10 earlier milestones
}
