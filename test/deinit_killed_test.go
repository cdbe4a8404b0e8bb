//go:build unix

package test

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

// A deinit that is killed is finished by another one, wherever the kill came.
func TestDeinitKilled(t *testing.T) {
	t.Parallel()
	for n := 0; ; n++ {
		w := newWorld(t)
		w.git("init", "-q", "--bare", "../hub.git")
		w.git("remote", "add", "origin", "../hub.git")
		w.ok("init")
		w.ok("hooks", "install", "git")
		w.ok("commit", "-m", "One")
		w.ok("push")
		w.ok("branch", "idea")
		w.ok("record", "-o", "pending")
		cmd := w.command([]string{fmt.Sprintf("GIT_CONTEXT_FAULT=any:%d", n)}, w.bin, "deinit", "--yes", "--remote")
		out, err := cmd.CombinedOutput()
		if err != nil && cmd.ProcessState.Exited() {
			t.Fatalf("kill %d: %v: %s", n, err, out)
		}
		done := err == nil
		if !done {
			again := w.command(nil, w.bin, "deinit", "--yes", "--remote")
			if out, err := again.CombinedOutput(); err != nil && again.ProcessState.ExitCode() != 4 {
				t.Errorf("kill %d: deinit again: %v: %s", n, err, out)
			}
		}
		for _, left := range []string{
			w.git("for-each-ref", "refs/context", "refs/notes"),
			w.git("ls-remote", "origin", "refs/context/*", "refs/notes/*"),
			w.git("config", "--local", "--list", "--name-only"),
		} {
			if strings.Contains(left, "context") {
				t.Errorf("kill %d: left: %s", n, left)
			}
		}
		if _, err := os.Lstat(w.gitPath("context")); !os.IsNotExist(err) {
			t.Errorf("kill %d: local state is left: %v", n, err)
		}
		if _, err := os.Lstat(w.gitPath("CONTEXT_HEAD")); !os.IsNotExist(err) {
			t.Errorf("kill %d: CONTEXT_HEAD is left: %v", n, err)
		}
		if hook, err := os.ReadFile(w.gitPath("hooks/post-commit")); err == nil && strings.Contains(string(hook), "git-context") {
			t.Errorf("kill %d: a hook is left: %s", n, hook)
		}
		if done {
			if n < 5 {
				t.Errorf("only %d points were passed", n)
			}
			return
		}
	}
}
