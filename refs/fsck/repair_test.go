package fsck_test

import (
	"os/exec"
	"path/filepath"
	"testing"

	"time"

	"github.com/git-context/git-context/internal/gittest"

	"github.com/git-context/git-context/refs"
	"github.com/git-context/git-context/refs/fsck"
	"github.com/git-context/git-context/refs/share"
	"github.com/git-context/git-context/refs/store"
)

// A repair can be pasted wherever the repository stands.
func TestRepairIsQuoted(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "it's")
	cmd := exec.Command("git", "init", "-q", dir)
	cmd.Env = append(gittest.Env(t, t.TempDir(), ""), "GIT_COMMITTER_NAME=A", "GIT_COMMITTER_EMAIL=a@e.c")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	s, err := refs.Open(t.Context(), store.Options{Dir: dir, Env: cmd.Env, Now: time.Now})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if _, err := share.Init(t.Context(), s, share.InitOptions{}); err != nil {
		t.Fatal(err)
	}
	if err := s.Repo().WriteStateFile("expunge.json", []byte("x")); err != nil {
		t.Fatal(err)
	}
	found, err := fsck.Run(t.Context(), s, fsck.Options{})
	if err != nil || len(found) != 1 {
		t.Fatalf("%+v, %v", found, err)
	}
	if out, err := exec.Command("sh", "-c", found[0].Repair).CombinedOutput(); err != nil {
		t.Errorf("%s: %v\n%s", found[0].Repair, err, out)
	}
	if found, err := fsck.Run(t.Context(), s, fsck.Options{}); err != nil || len(found) > 0 {
		t.Errorf("repaired: %+v, %v", found, err)
	}
}
