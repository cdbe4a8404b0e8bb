package lift_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/git-context/git-context/internal/example"
	"github.com/git-context/git-context/internal/gittest"
	"github.com/git-context/git-context/refs"
	"github.com/git-context/git-context/refs/doc"
	"github.com/git-context/git-context/refs/expunge"
	"github.com/git-context/git-context/refs/history"
	"github.com/git-context/git-context/refs/lift"
	"github.com/git-context/git-context/refs/share"
	"github.com/git-context/git-context/refs/store"
)

// What a teammate asks to forget is hidden where it was written. Refuse brings it back.
func ExampleRefuse() {
	ctx := context.Background()
	ann, remove := withTeammate()
	defer remove()

	steps := func() int {
		tip, err := ann.Tip(ctx, "main")
		if err != nil {
			log.Fatal(err)
		}
		_, total, err := history.Steps(ctx, ann, tip, 0, 1)
		if err != nil {
			log.Fatal(err)
		}
		return total
	}
	list, err := expunge.Requests(ctx, ann)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("requests:", len(list), "steps:", steps())
	var all doc.Expunged
	for _, r := range list {
		all = all.Union(r.Asked)
	}
	_, err = lift.Refuse(ctx, ann, store.Writer{}, list, all)
	fmt.Println("steps:", steps(), err)
	// Output:
	// requests: 1 steps: 0
	// steps: 1 <nil>
}

// withTeammate returns a memory with one step, which another clone has asked to forget.
func withTeammate() (ann *refs.Store, remove func()) {
	ctx := context.Background()
	must := func(err error) {
		if err != nil {
			log.Fatal(err)
		}
	}
	dir, err := os.MkdirTemp("", "example")
	must(err)
	hub := filepath.Join(dir, "hub.git")
	ann, removeAnn := example.Memory([]string{"init", "-q", "--bare", hub}, []string{"remote", "add", "origin", hub})
	_, err = ann.Record(ctx, []store.NewStep{{Action: "curl /users/ada-lovelace"}})
	must(err)
	_, err = ann.Commit(ctx, store.CommitOptions{Summary: "Call it for a customer"})
	must(err)
	_, err = share.Push(ctx, ann, share.Options{})
	must(err)

	bob, removeBob := example.Memory([]string{"remote", "add", "origin", hub})
	defer removeBob()
	_, err = expunge.Run(ctx, bob, expunge.Options{Match: "ada-lovelace"})
	must(err)
	example.Git(bob.Repo().WorkTree(), []string{"PATH=" + gittest.Path(), "HOME=" + dir}, "push", "-q", "-f", hub,
		"refs/context/*:refs/context/*", "refs/notes/context", "^refs/context/remotes/*")
	_, err = share.Sync(ctx, ann, share.Options{})
	must(err)
	return ann, func() { removeAnn(); _ = os.RemoveAll(dir) }
}
