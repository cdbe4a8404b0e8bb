package pack_test

import (
	"context"
	"fmt"
	"log"

	"github.com/git-context/git-context/internal/example"
	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/git/pack"
)

// Run packs what the tips reach, and leaves other loose objects alone.
func ExampleRun() {
	ctx := context.Background()
	s, remove := example.Memory()
	defer remove()

	repo := s.Repo()
	list, err := repo.Refs(ctx, git.Root)
	if err != nil {
		log.Fatal(err)
	}
	var tips []git.ID
	for _, ref := range list {
		tips = append(tips, ref.ID)
	}
	for range 2 {
		loose, err := pack.CountLoose(ctx, repo, tips)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(loose > 0)
		if _, err := pack.Run(ctx, repo, pack.Options{Tips: tips}); err != nil {
			log.Fatal(err)
		}
	}
	// Output:
	// true
	// false
}
