package code_test

import (
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"time"

	"github.com/git-context/git-context/internal/gittest"

	"github.com/git-context/git-context/refs"
	"github.com/git-context/git-context/refs/git/disk"
	"github.com/git-context/git-context/refs/share"
	"github.com/git-context/git-context/refs/store"
)

// Who took a worktree away is told what was given up with it.
func TestSettleWithoutWorktree(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	env := append(gittest.Env(t, dir, ""), "GIT_COMMITTER_NAME=A", "GIT_COMMITTER_EMAIL=a@e.c")
	cmd := exec.Command("git", "init", "-q", dir)
	cmd.Env = env
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	var told []string
	s, err := refs.Open(t.Context(), store.Options{Dir: dir, Env: env, Now: time.Now, Warn: func(m string) { told = append(told, m) }})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if _, err := share.Init(t.Context(), s, share.InitOptions{}); err != nil {
		t.Fatal(err)
	}
	origin, err := disk.Origin(filepath.Join(dir, ".git", "context", "lock", "branch-main.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	intent := filepath.Join(dir, ".git", "context", "intent", "main.json")
	left := `{"version":1,"token":"01M7P72BQRZ2W3V114FB9APFVT","branch":"main","worktree":"worktrees/x","commit":{},"tip":"` +
		strings.Repeat("1", 40) + `","origin":"` + origin + `"}`
	if err := errors.Join(os.MkdirAll(filepath.Dir(intent), 0o755), os.WriteFile(intent, []byte(left), 0o644)); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Commit(t.Context(), store.CommitOptions{Summary: "next"}); err != nil {
		t.Fatal(err)
	}
	if len(told) != 1 || !strings.Contains(told[0], "'git context commit --code' was interrupted in a worktree that is gone") {
		t.Errorf("told %q", told)
	}
	if _, err := os.Stat(intent); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("left: %v", err)
	}
}
