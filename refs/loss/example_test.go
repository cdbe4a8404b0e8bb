package loss_test

import (
	"context"
	"fmt"
	"log"

	"github.com/git-context/git-context/internal/example"
	"github.com/git-context/git-context/refs/doc"
	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/loss"
	"github.com/git-context/git-context/refs/store"
)

// What a branch had at an earlier commit and lacks now.
func ExampleMissing() {
	ctx := context.Background()
	s, remove := example.Memory()
	defer remove()
	if _, err := s.Remember(ctx, store.TopicOptions{Key: "pool", Text: "Five connections"}); err != nil {
		log.Fatal(err)
	}
	before, err := s.Repo().Ref(ctx, git.BranchRef("main"))
	if err != nil {
		log.Fatal(err)
	}
	if _, err := s.Forget(ctx, store.Writer{}, "pool"); err != nil {
		log.Fatal(err)
	}
	now, err := s.Repo().Ref(ctx, git.BranchRef("main"))
	if err != nil {
		log.Fatal(err)
	}
	missing, err := loss.Missing(ctx, s, now, before, doc.Expunged{})
	fmt.Println(missing.What(), err)
	// Output: topic 'pool' <nil>
}
