package code_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/git-context/git-context/internal/example"
	"github.com/git-context/git-context/refs/code"
	"github.com/git-context/git-context/refs/store"
)

// One commit of the code and one of memory are made together, and each leads to the other.
func ExampleFindLinks() {
	ctx := context.Background()
	s, remove := example.Memory([]string{"commit", "-q", "--allow-empty", "-m", "Begin"})
	defer remove()

	if err := os.WriteFile(filepath.Join(s.Repo().WorkTree(), "pool.go"), []byte("package pool\n"), 0o600); err != nil {
		log.Fatal(err)
	}
	if _, err := s.Repo().Run(ctx, "add", "pool.go"); err != nil {
		log.Fatal(err)
	}
	made, err := s.Commit(ctx, store.CommitOptions{Summary: "Open the pool on first use", Code: &store.CodeOptions{}})
	if err != nil {
		log.Fatal(err)
	}
	links, err := code.FindLinks(ctx, s, "", string(*made.Code))
	if err != nil {
		log.Fatal(err)
	}
	for _, m := range links.Memory {
		fmt.Println(m.Branch, m.Summary, m.ID == made.ID)
	}
	// Output: main Open the pool on first use true
}

// A topic is stale when a path that it names has changed since.
func ExampleTopics() {
	ctx := context.Background()
	s, remove := example.Memory([]string{"commit", "-q", "--allow-empty", "-m", "Begin"})
	defer remove()

	write := func(text string) {
		if err := os.WriteFile(filepath.Join(s.Repo().WorkTree(), "pool.go"), []byte(text), 0o600); err != nil {
			log.Fatal(err)
		}
		for _, args := range [][]string{{"add", "pool.go"}, {"commit", "-q", "-m", "Change the pool"}} {
			if _, err := s.Repo().Run(ctx, args...); err != nil {
				log.Fatal(err)
			}
		}
	}
	write("package pool\n")
	if _, err := s.Remember(ctx, store.TopicOptions{Key: "pool", Text: "Ten connections", Paths: []string{"pool.go"}}); err != nil {
		log.Fatal(err)
	}
	write("package pool // of twenty connections\n")
	tip, err := s.Tip(ctx, "main")
	if err != nil {
		log.Fatal(err)
	}
	topics, err := code.Topics(ctx, s, tip, false)
	if err != nil {
		log.Fatal(err)
	}
	for _, t := range topics {
		fmt.Println(t.Key, *t.Stale)
	}
	// Output: pool true
}
