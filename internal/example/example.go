// Package example makes the repositories on which the examples of the packages run, in
// temporary directories and with an environment that the user's settings do not reach.
package example

import (
	"context"
	"log"
	"os"
	"os/exec"

	"github.com/git-context/git-context/internal/gittest"
	"github.com/git-context/git-context/refs"
	"github.com/git-context/git-context/refs/share"
	"github.com/git-context/git-context/refs/store"
)

// Memory returns the memory of a new repository, in which it runs each of the git commands
// first. remove closes the Store and deletes the repository.
func Memory(git ...[]string) (s *refs.Store, remove func()) {
	ctx := context.Background()
	dir, env, removeAll := Repository()
	for _, args := range git {
		Git(dir, env, args...)
	}
	s, err := refs.Open(ctx, store.Options{Dir: dir, Env: env})
	if err != nil {
		log.Fatal(err)
	}
	if _, err := share.Init(ctx, s, share.InitOptions{}); err != nil {
		log.Fatal(err)
	}
	return s, func() { s.Close(); removeAll() }
}

// Repository makes an empty repository without memory and returns its directory and the
// environment for it. remove deletes the directory.
func Repository() (dir string, env []string, remove func()) {
	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		log.Fatal(err)
	}
	env = []string{"HOME=" + dir, "PATH=" + gittest.Path(), "GIT_CONFIG_NOSYSTEM=1"}
	for _, args := range [][]string{{"init", "-q"}, {"config", "user.name", "Ada"}, {"config", "user.email", "ada@example.com"}} {
		Git(dir, env, args...)
	}
	return dir, env, func() { os.RemoveAll(dir) }
}

// Git runs one git command in a directory.
func Git(dir string, env []string, args ...string) {
	c := exec.Command("git", args...)
	c.Dir, c.Env = dir, env
	if out, err := c.CombinedOutput(); err != nil {
		log.Fatalf("git %v: %v\n%s", args, err, out)
	}
}
