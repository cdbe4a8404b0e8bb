package maintain_test

import (
	"context"
	"fmt"
	"log"

	"github.com/git-context/git-context/internal/example"
	"github.com/git-context/git-context/refs/maintain"
	"github.com/git-context/git-context/refs/store"
)

// Run packs the loose objects of memory; it needs no pause of other writers.
func ExampleRun() {
	ctx := context.Background()
	s, remove := example.Memory()
	defer remove()

	if _, err := s.Commit(ctx, store.CommitOptions{Summary: "Close idle connections"}); err != nil {
		log.Fatal(err)
	}
	res, err := maintain.Run(ctx, s, maintain.Options{})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(res.Packed > 0, res.Packs, "pack")
	// Output: true 1 pack
}
