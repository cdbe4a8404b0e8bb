package across_test

import (
	"context"
	"fmt"
	"log"

	"github.com/git-context/git-context/internal/example"
	"github.com/git-context/git-context/refs/search"
	"github.com/git-context/git-context/refs/search/across"
	"github.com/git-context/git-context/refs/store"
)

// The same lesson of two repositories is one hit; it worked in both.
func Example() {
	ctx := context.Background()
	var repos []*across.Repository
	for _, name := range []string{"shop", "parser"} {
		s, remove := example.Memory()
		defer remove()
		if _, err := s.Commit(ctx, store.CommitOptions{Summary: "Close idle connections of the pool",
			Judging: store.Judgement{Outcome: "success"}}); err != nil {
			log.Fatal(err)
		}
		repos = append(repos, &across.Repository{Path: across.PathOf(s.Repo()), Name: name, Store: s})
	}
	found, err := across.Search(ctx, repos, search.Options{Query: "idle connection"})
	if err != nil {
		log.Fatal(err)
	}
	for _, h := range found.Hits {
		fmt.Println(h.Title, len(h.Also), *h.Confidence)
	}
	// Output: Close idle connections of the pool 1 0.75
}
