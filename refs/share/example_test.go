package share_test

import (
	"context"
	"fmt"
	"log"
	"path/filepath"

	"github.com/git-context/git-context/internal/example"
	"github.com/git-context/git-context/refs/share"
	"github.com/git-context/git-context/refs/store"
)

// A bundle is one file with all memory, or with what is new since a former bundle.
func ExampleBundle() {
	ctx := context.Background()
	ann, removeAnn := example.Memory()
	defer removeAnn()
	bob, removeBob := example.Memory()
	defer removeBob()

	if _, err := ann.CreateBranch(ctx, store.BranchOptions{Name: "lazy-pool", Purpose: "Open it on first use"}); err != nil {
		log.Fatal(err)
	}
	file := filepath.Join(ann.Repo().WorkTree(), "memory.bundle")
	if _, err := share.Bundle(ctx, ann, share.BundleOptions{File: file}); err != nil {
		log.Fatal(err)
	}
	if _, err := share.Unbundle(ctx, bob, store.Writer{}, file, nil); err != nil {
		log.Fatal(err)
	}
	names, err := bob.BranchNames(ctx)
	fmt.Println(names, err)
	// Output: [lazy-pool main] <nil>
}
