package merge_test

import (
	"context"
	"errors"
	"fmt"
	"log"

	"github.com/git-context/git-context/internal/example"
	"github.com/git-context/git-context/refs/fail"
	"github.com/git-context/git-context/refs/merge"
	"github.com/git-context/git-context/refs/store"
)

// A conflict moves no ref. It waits until it is resolved, or until Abort drops the merge.
func ExampleWaiting() {
	ctx := context.Background()
	s, remove := example.Memory()
	defer remove()

	if _, err := s.CreateBranch(ctx, store.BranchOptions{Name: "queue"}); err != nil { // and switches to it
		log.Fatal(err)
	}
	if _, err := s.Remember(ctx, store.TopicOptions{Key: "lock", Text: "A channel owns the queue"}); err != nil {
		log.Fatal(err)
	}
	if _, err := s.Switch(ctx, "main"); err != nil {
		log.Fatal(err)
	}
	if _, err := s.Remember(ctx, store.TopicOptions{Key: "lock", Text: "One mutex around the queue"}); err != nil {
		log.Fatal(err)
	}
	if _, err := merge.Merge(ctx, s, store.MergeOptions{Source: "queue"}); !errors.Is(err, fail.ErrConflict) {
		log.Fatal(err)
	}
	status, err := merge.Waiting(ctx, s, "main")
	if err != nil {
		log.Fatal(err)
	}
	for _, c := range status.Conflicts {
		fmt.Println(status.Source, "into", status.Target+":", c.Path, c.Kind)
	}
	_, err = merge.Abort(ctx, s, "main")
	fmt.Println(err)
	// Output:
	// queue into main: topics/lock.md add/add
	// <nil>
}
