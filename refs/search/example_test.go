package search_test

import (
	"context"
	"fmt"
	"log"

	"github.com/git-context/git-context/internal/example"
	"github.com/git-context/git-context/refs/search"
	"github.com/git-context/git-context/refs/store"
)

// Recall answers with a case only if the problem is the same, also in other words.
func ExampleRecall() {
	ctx := context.Background()
	s, remove := example.Memory()
	defer remove()

	if _, err := s.Commit(ctx, store.CommitOptions{
		Summary:      "Close idle connections",
		Contribution: "The connection pool leaked idle connections until the server ran out of file descriptors",
	}); err != nil {
		log.Fatal(err)
	}
	for _, problem := range []string{
		"The connection pool leaks idle connections until the server runs out of file descriptors",
		"The basket is not centered on small screens",
	} {
		found, err := search.Recall(ctx, s, search.RecallOptions{Text: problem})
		if err != nil {
			log.Fatal(err)
		}
		for _, hit := range found.Hits {
			fmt.Println(hit.Title, *hit.Duplicate)
		}
		fmt.Println(len(found.Hits))
	}
	// Output:
	// Close idle connections true
	// 1
	// 0
}
