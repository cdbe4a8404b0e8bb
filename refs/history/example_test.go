package history_test

import (
	"context"
	"fmt"
	"log"

	"github.com/git-context/git-context/internal/example"
	"github.com/git-context/git-context/refs/history"
	"github.com/git-context/git-context/refs/store"
)

// Blame names the agent of each line of a topic.
func ExampleBlame() {
	ctx := context.Background()
	s, remove := example.Memory()
	defer remove()

	for _, o := range []store.TopicOptions{
		{Key: "pool", Text: "Ten connections", Writer: store.Writer{Agent: "ada"}},
		{Key: "pool", Text: "Ten connections\nIdle ones are closed", Writer: store.Writer{Agent: "bob"}},
	} {
		if _, err := s.Remember(ctx, o); err != nil {
			log.Fatal(err)
		}
	}
	blame, err := history.Blame(ctx, s, "pool", "")
	if err != nil {
		log.Fatal(err)
	}
	for _, line := range blame.Lines {
		fmt.Printf("%d %s: %s\n", line.Line, line.Agent, line.Text)
	}
	// Output:
	// 1 ada: Ten connections
	// 2 bob: Idle ones are closed
}

// Log lists the commits of a branch, newest first, and filters them by their judgement.
func ExampleLog() {
	ctx := context.Background()
	s, remove := example.Memory()
	defer remove()

	for summary, outcome := range map[string]string{"Retry every write": "failed", "Retry reads alone": "success"} {
		judging := store.Judgement{Outcome: outcome}
		if _, err := s.Commit(ctx, store.CommitOptions{Summary: summary, Judging: judging}); err != nil {
			log.Fatal(err)
		}
	}
	list, err := history.Log(ctx, s, history.LogOptions{Filter: history.Filter{Outcome: "success"}, Most: -1})
	if err != nil {
		log.Fatal(err)
	}
	commits, err := history.LogCommits(ctx, s, list.Commits)
	if err != nil {
		log.Fatal(err)
	}
	for _, c := range commits {
		fmt.Println(c.Branch, c.Summary)
	}
	// Output: main Retry reads alone
}

// At finds the tip of a branch as it was at a commit.
func ExampleAt() {
	ctx := context.Background()
	s, remove := example.Memory()
	defer remove()

	first, err := s.Commit(ctx, store.CommitOptions{Summary: "Reproduce the leak"})
	if err != nil {
		log.Fatal(err)
	}
	if _, err := s.Commit(ctx, store.CommitOptions{Summary: "Close idle connections"}); err != nil {
		log.Fatal(err)
	}
	then, err := history.At(ctx, s, "main", first.ID)
	if err != nil {
		log.Fatal(err)
	}
	_, total, err := history.Commits(ctx, s, then, 0, 10)
	fmt.Println(total, "commit", err)
	// Output: 1 commit <nil>
}
