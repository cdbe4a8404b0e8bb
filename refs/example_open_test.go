package refs_test

import (
	"context"
	"errors"
	"fmt"
	"log"

	"github.com/git-context/git-context/internal/example"
	"github.com/git-context/git-context/refs"
	"github.com/git-context/git-context/refs/fail"
	"github.com/git-context/git-context/refs/share"
	"github.com/git-context/git-context/refs/store"
)

// A repository without memory can be opened; the first function that needs memory reports
// that there is none.
func ExampleOpen() {
	dir, env, remove := example.Repository()
	defer remove()

	ctx := context.Background()
	s, err := refs.Open(ctx, store.Options{Dir: dir, Env: env})
	if err != nil {
		log.Fatal(err)
	}
	defer s.Close()
	_, err = s.Tip(ctx, "") // of the current branch
	if errors.Is(err, fail.ErrNoMemory) {
		_, err = share.Init(ctx, s, share.InitOptions{Goal: "Serve a hundred users"})
	}
	if err != nil {
		log.Fatal(err)
	}
	tip, err := s.Tip(ctx, "")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(tip.Name())
	// Output: main
}
