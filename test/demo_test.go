//go:build unix

package test

import (
	"path/filepath"
	"strings"
	"testing"
)

// The demo runs from its first command to its last with the command as it is,
// and against a user's settings that would break it.
func TestDemo(t *testing.T) {
	t.Parallel()
	w := newHome(t)
	script, err := filepath.Abs("demo.sh")
	if err != nil {
		t.Fatal(err)
	}
	w.git("config", "--global", "commit.gpgSign", "true")
	cmd := w.command([]string{"GIT_CONTEXT_BRANCH=nowhere", "GIT_DIR=" + t.TempDir()}, "sh", script, w.bin)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, want := range []string{"\n$ git context\n# Context of main", "\n$ git fsck --strict\n", "\nThe repository is "} {
		if !strings.Contains(string(out), want) {
			t.Errorf("no %q in\n%s", want, out)
		}
	}
}
