package fsck

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/git-context/git-context/internal/gittest"
)

// The command that is printed for a large pack takes out of it what can be read.
func TestTakeOutCommand(t *testing.T) {
	s := gittest.NewSandbox(t)
	s.Git("", "init", "-q", "r")
	for _, text := range []string{"one", "two", "three"} {
		s.Write("r/file", strings.Repeat(text, 20))
		s.Git("r", "add", "file")
		s.Git("r", "commit", "-q", "-m", text)
	}
	s.Git("r", "repack", "-adq")
	objects := s.Path("r", ".git", "objects")
	path := gittest.OK(filepath.Glob(filepath.Join(objects, "pack", "*.pack")))(t)[0]
	blob := s.Git("r", "rev-parse", "HEAD:file")
	breakPacked(t, s, path, blob)
	cmd := exec.Command("sh", "-c", strings.TrimSuffix(takeOutCommand(path, path+".damaged", s.Git("r", "rev-parse", "--show-object-format")), FixCommand))
	cmd.Dir, cmd.Env = s.Path("r"), s.Env
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	if _, err := os.Stat(path + ".damaged"); err != nil {
		t.Error(err)
	}
	s.Git("r", "log", "HEAD")
	if out, err := s.Try("r", "cat-file", "-e", blob); err == nil {
		t.Errorf("the damaged object is still here: %s", out)
	}
}

// breakPacked changes two bytes of a packed object.
func breakPacked(t *testing.T, s *gittest.Sandbox, path, id string) {
	t.Helper()
	for line := range strings.Lines(s.Git("r", "verify-pack", "-v", path)) {
		fields := strings.Fields(line)
		if len(fields) < 5 || fields[0] != id {
			continue
		}
		at := 0
		for _, digit := range fields[4] {
			at = 10*at + int(digit-'0')
		}
		if err := os.Chmod(path, 0o644); err != nil {
			t.Fatal(err)
		}
		data := gittest.OK(os.ReadFile(path))(t)
		data[at+6], data[at+7] = 0xff, 0xff
		if err := os.WriteFile(path, data, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	t.Fatalf("%s is not in %s", id, path)
}
