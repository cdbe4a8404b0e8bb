package fsck_test

import (
	"context"
	"fmt"
	"log"

	"github.com/git-context/git-context/internal/example"
	"github.com/git-context/git-context/refs/fsck"
	"github.com/git-context/git-context/refs/git"
)

// Run reports every problem with its repair, and with Fix mends what needs no decision.
func ExampleRun() {
	ctx := context.Background()
	s, remove := example.Memory()
	defer remove()

	if err := s.Repo().SetSymbolicRef(ctx, git.HeadName, git.BranchRef("gone"), "break it"); err != nil {
		log.Fatal(err)
	}
	for _, fix := range []bool{false, true} {
		problems, err := fsck.Run(ctx, s, fsck.Options{Fix: fix})
		if err != nil {
			log.Fatal(err)
		}
		for _, p := range problems {
			fmt.Println(p.Kind, p.Fixed)
		}
	}
	// Output:
	// head-dangling false
	// head-dangling true
}
