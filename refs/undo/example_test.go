package undo_test

import (
	"context"
	"fmt"
	"log"

	"github.com/git-context/git-context/internal/example"
	"github.com/git-context/git-context/refs/store"
	"github.com/git-context/git-context/refs/undo"
)

// Undo takes back a commit that was never shared; its steps are pending again.
func ExampleUndo() {
	ctx := context.Background()
	s, remove := example.Memory()
	defer remove()

	if _, err := s.Record(ctx, []store.NewStep{{Action: "go test"}}); err != nil {
		log.Fatal(err)
	}
	if _, err := s.Commit(ctx, store.CommitOptions{Summary: "Too early"}); err != nil {
		log.Fatal(err)
	}
	r, err := undo.Undo(ctx, s, store.Writer{})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(r.Undone.Summary, r.Pending)
	// Output: Too early 1
}
