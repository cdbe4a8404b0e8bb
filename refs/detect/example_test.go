package detect_test

import (
	"context"
	"fmt"
	"log"

	"github.com/git-context/git-context/internal/example"
	"github.com/git-context/git-context/refs/detect"
	"github.com/git-context/git-context/refs/doc"
	"github.com/git-context/git-context/refs/git"
)

// Refresh reads the facts from the tree of a code commit, not from the worktree.
func ExampleRefresh() {
	ctx := context.Background()
	s, remove := example.Memory()
	defer remove()

	repo := s.Repo()
	blob, err := repo.WriteBlob(ctx, []byte("module example.com/pool\n\ngo 1.26\n\nrequire example.com/log v1.2.0\n"))
	if err != nil {
		log.Fatal(err)
	}
	tree, err := repo.WriteTree(ctx, []git.TreeEntry{{Mode: git.ModeBlob, Name: "go.mod", ID: blob}})
	if err != nil {
		log.Fatal(err)
	}
	who := git.Signature{Name: "Ada", Email: "ada@example.com", When: repo.Now()}
	commit, err := repo.WriteCommit(ctx, &git.Commit{Tree: tree, Author: who, Committer: who, Message: "Begin\n"})
	if err != nil {
		log.Fatal(err)
	}
	meta := doc.NewMetadata()
	if err := detect.Refresh(ctx, repo, meta, commit, ""); err != nil {
		log.Fatal(err)
	}
	fmt.Println(meta.Keys())
	// Output: [version detected_from file_structure env_config dependencies]
}
