package refs_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"os/exec"
	"time"

	"github.com/git-context/git-context/refs"
)

// An agent records what it does, makes a milestone of it, tries something on a
// branch and merges that.
func Example() {
	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	if err := exec.Command("git", "init", "-q", dir).Run(); err != nil {
		log.Fatal(err)
	}
	ctx := context.Background()
	env := append(os.Environ(), "GIT_COMMITTER_NAME=Ada", "GIT_COMMITTER_EMAIL=ada@example.com")
	s, err := refs.Open(ctx, refs.Options{Dir: dir, Env: env, Now: time.Now})
	if err != nil {
		log.Fatal(err)
	}
	defer s.Close()
	if _, err := s.Init(ctx, refs.InitOptions{Goal: "Make /users answer"}); err != nil {
		log.Fatal(err)
	}
	if _, err := s.Record(ctx, []refs.NewStep{{Observation: "500 on /users", Action: "go test ./store"}}); err != nil {
		log.Fatal(err)
	}
	c, err := s.Commit(ctx, refs.CommitOptions{Summary: "The pool is not initialised"})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(c.Branch, c.Summary, c.Steps.Count)

	if _, err := s.CreateBranch(ctx, refs.BranchOptions{Name: "lazy-pool", Purpose: "Open it on first use"}); err != nil {
		log.Fatal(err)
	}
	if _, err := s.Commit(ctx, refs.CommitOptions{Summary: "It opens on first use"}); err != nil {
		log.Fatal(err)
	}
	m, err := s.Merge(ctx, refs.MergeOptions{Source: "lazy-pool", Into: "main"})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(m.Merged, "into", m.Branch)
	// Output:
	// main The pool is not initialised 1
	// lazy-pool into main
}
