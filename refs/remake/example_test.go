package remake_test

import (
	"context"
	"fmt"
	"log"
	"time"

	"github.com/git-context/git-context/internal/example"
	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/remake"
	"github.com/git-context/git-context/refs/store"
)

// How many entries of a branch a clone refuses whose clock is two days behind.
func ExampleCount() {
	ctx := context.Background()
	s, remove := example.Memory()
	defer remove()
	made, err := s.Commit(ctx, store.CommitOptions{Summary: "Begin"})
	if err != nil {
		log.Fatal(err)
	}
	tip, err := s.Repo().Ref(ctx, git.BranchRef("main"))
	if err != nil {
		log.Fatal(err)
	}
	n, newest, err := remake.Count(ctx, s, tip, time.Now().Add(-48*time.Hour))
	fmt.Println(n, newest == made.ID, err)
	// Output: 2 true <nil>
}
