package githook_test

import (
	"context"
	"errors"
	"fmt"
	"log"

	"github.com/git-context/git-context/internal/example"
	"github.com/git-context/git-context/refs/githook"
)

// A hook that failed is recorded, because git's own command must not fail for it.
func ExampleFailures() {
	ctx := context.Background()
	s, remove := example.Memory()
	defer remove()

	if err := githook.RecordFailure(ctx, s, "pre-push", errors.New("no route to host")); err != nil {
		log.Fatal(err)
	}
	list, err := githook.Failures(ctx, s)
	if err != nil {
		log.Fatal(err)
	}
	for _, f := range list {
		fmt.Println(f.Event, "on", f.Branch+":", f.Message)
	}
	// Output: pre-push on main: no route to host
}
