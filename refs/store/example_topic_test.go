package store_test

import (
	"context"
	"fmt"
	"log"

	"github.com/git-context/git-context/internal/example"
	"github.com/git-context/git-context/refs/code"
	"github.com/git-context/git-context/refs/store"
)

// A topic is read from the tip of a branch; a second text of the same key replaces the first.
func ExampleStore_Remember() {
	ctx := context.Background()
	s, remove := example.Memory()
	defer remove()

	for _, text := range []string{"A channel owns the queue", "One mutex around the queue"} {
		if _, err := s.Remember(ctx, store.TopicOptions{Key: "queue-lock", Text: text}); err != nil {
			log.Fatal(err)
		}
	}
	tip, err := s.Tip(ctx, "main")
	if err != nil {
		log.Fatal(err)
	}
	topic, err := code.Topic(ctx, s, tip, "queue-lock")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(topic.Key, "=", topic.Text)
	// Output: queue-lock = One mutex around the queue
}
