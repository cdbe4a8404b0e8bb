package git_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"os"
	"os/exec"

	"github.com/git-context/git-context/internal/gittest"
	"github.com/git-context/git-context/refs/git"
)

// Absent is a kind of its own: what cannot be read is never taken for it.
func ExampleRepo_Ref() {
	ctx := context.Background()
	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	env := []string{"HOME=" + dir, "PATH=" + gittest.Path(), "GIT_CONFIG_NOSYSTEM=1"}
	init := exec.Command("git", "init", "-q", dir)
	init.Env = env
	if err := init.Run(); err != nil {
		log.Fatal(err)
	}
	repo, err := git.Open(ctx, git.Options{Dir: dir, Env: env})
	if err != nil {
		log.Fatal(err)
	}
	defer repo.Close()

	name := git.BranchRef("main")
	_, err = repo.Ref(ctx, name)
	fmt.Println(name, errors.Is(err, git.ErrNotFound))
	// Output: refs/context/heads/main true
}
