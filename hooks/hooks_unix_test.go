//go:build unix

package hooks_test

import (
	"strings"
	"syscall"
	"testing"

	"github.com/git-context/git-context/hooks"
)

// Reading a pipe would wait for good.
func TestPipe(t *testing.T) {
	t.Parallel()
	w := newWorld(t, ".git/hooks")
	if err := syscall.Mkfifo(w.path(hooks.PostCommit), 0o777); err != nil {
		t.Fatal(err)
	}
	if _, err := hooks.Install(w.place); err == nil || !strings.Contains(err.Error(), "is no file") {
		t.Errorf("installed: %v", err)
	}
	w.uninstall()
}
