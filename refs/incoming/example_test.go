package incoming_test

import (
	"context"
	"errors"
	"fmt"
	"log"

	"github.com/git-context/git-context/internal/example"
	"github.com/git-context/git-context/refs/fail"
	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/incoming"
)

// A commit of the code is no memory: its tree has a path that no document has.
func ExampleCheck() {
	ctx := context.Background()
	s, remove := example.Memory()
	defer remove()

	repo := s.Repo()
	blob, err := repo.WriteBlob(ctx, []byte("package main\n"))
	if err != nil {
		log.Fatal(err)
	}
	tree, err := repo.WriteTree(ctx, []git.TreeEntry{{Mode: git.ModeBlob, Name: "main.go", ID: blob}})
	if err != nil {
		log.Fatal(err)
	}
	who := git.Signature{Name: "Ada", Email: "ada@example.com", When: repo.Now()}
	commit, err := repo.WriteCommit(ctx, &git.Commit{Tree: tree, Author: who, Committer: who, Message: "Begin\n"})
	if err != nil {
		log.Fatal(err)
	}
	err = incoming.Check(ctx, s, incoming.Refs{Branches: []git.Ref{{Name: git.BranchRef("stranger"), ID: commit}}})
	var refused *fail.Error
	fmt.Println(errors.As(err, &refused) && refused.Code == fail.IncomingInvalid)
	// Output: true
}
