//go:build unix

package test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The demo runs from its first command to its last with the command as it is,
// and against a user's settings that would break it. A reader has it on one
// screen or two, and learns what it left behind and how to remove that.
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
	// make prints the command that builds the program before it.
	if lines, most := strings.Count(string(out), "\n"), 79; lines > most {
		t.Errorf("it prints %d lines, more than %d:\n%s", lines, most, out)
	}
	for _, want := range []string{"\n# Context of main\n", "conflict (add/add): topics/lock.md\nexit 3\n", "you did this: Find the leak", "\nLook around:  cd "} {
		if !strings.Contains(string(out), want) {
			t.Errorf("no %q in\n%s", want, out)
		}
	}
	_, folder, _ := strings.Cut(string(out), "\nRemove it:    rm -rf ")
	if _, err := os.Stat(filepath.Join(strings.TrimSpace(folder), "ann")); err != nil {
		t.Errorf("the last line does not name the folder: %v", err)
	}
}
