package remote_test

import (
	"context"
	"fmt"
	"log"

	"github.com/git-context/git-context/internal/example"
	"github.com/git-context/git-context/refs/remote"
)

// Survey compares what is here with what a remote had when it was last asked.
func ExampleSurvey() {
	ctx := context.Background()
	s, remove := example.Memory([]string{"remote", "add", "origin", "../team.git"})
	defer remove()

	r, err := remote.Find(ctx, s, "")
	if err != nil {
		log.Fatal(err)
	}
	ours, theirs, err := remote.Survey(ctx, s, r)
	fmt.Println(r.Name, len(ours.Branches), len(theirs.Branches), err)
	// Output: origin 1 0 <nil>
}
