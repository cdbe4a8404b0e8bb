package replica_test

import (
	"context"
	"fmt"
	"log"

	"github.com/git-context/git-context/internal/example"
	"github.com/git-context/git-context/refs/replica"
	"github.com/git-context/git-context/refs/store"
)

// Compare says how two histories of one branch relate.
func ExampleCompare() {
	ctx := context.Background()
	s, remove := example.Memory()
	defer remove()

	before, err := s.Tip(ctx, "main")
	if err != nil {
		log.Fatal(err)
	}
	after, err := s.Commit(ctx, store.CommitOptions{Summary: "Go on"})
	if err != nil {
		log.Fatal(err)
	}
	how, bases, err := replica.Compare(ctx, s, before.Commit().ID, after.Commit)
	fmt.Println(how == replica.Behind, bases[0] == before.Commit().ID, err)
	// Output: true true <nil>
}
