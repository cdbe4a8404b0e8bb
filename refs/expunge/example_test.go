package expunge_test

import (
	"context"
	"fmt"
	"log"

	"github.com/git-context/git-context/internal/example"
	"github.com/git-context/git-context/refs/expunge"
	"github.com/git-context/git-context/refs/history"
	"github.com/git-context/git-context/refs/store"
)

// Run removes from all of history the entries that contain a text. With DryRun it reports
// what it would remove.
func ExampleRun() {
	ctx := context.Background()
	s, remove := example.Memory()
	defer remove()

	if _, err := s.Record(ctx, []store.NewStep{{Action: "curl /users/ada-lovelace"}}); err != nil {
		log.Fatal(err)
	}
	if _, err := s.Commit(ctx, store.CommitOptions{Summary: "Call it for a customer"}); err != nil {
		log.Fatal(err)
	}
	res, err := expunge.Run(ctx, s, expunge.Options{Match: "ada-lovelace"})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("entries removed:", res.Entries)
	tip, err := s.Tip(ctx, "main")
	if err != nil {
		log.Fatal(err)
	}
	_, total, err := history.Steps(ctx, s, tip, 0, 1)
	fmt.Println("steps left:", total, err)
	// Output:
	// entries removed: 1
	// steps left: 0 <nil>
}
