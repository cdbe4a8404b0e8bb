package deinit_test

import (
	"context"
	"errors"
	"fmt"
	"log"

	"github.com/git-context/git-context/internal/example"
	"github.com/git-context/git-context/refs/deinit"
	"github.com/git-context/git-context/refs/fail"
)

// Run removes the memory of a repository. With DryRun it says what there is.
func ExampleRun() {
	ctx := context.Background()
	s, remove := example.Memory()
	defer remove()

	r, err := deinit.Run(ctx, s, deinit.Options{DryRun: true})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(r.Refs)
	if _, err := deinit.Run(ctx, s, deinit.Options{}); err != nil {
		log.Fatal(err)
	}
	_, err = s.Tip(ctx, "")
	fmt.Println(errors.Is(err, fail.ErrNoMemory))
	// Output:
	// [refs/context/heads/main refs/context/roadmap]
	// true
}
