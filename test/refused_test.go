//go:build unix

package test

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// A repository that cannot be written to gives a clear error, changes nothing,
// and can still be read.
func TestUnwritableRepository(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.ok("record", "-a", "before")
	w.ok("commit", "-m", "Before")
	git := filepath.Join(w.dir, ".git")
	run := w.asNobody(filepath.Dir(w.dir))
	chmodAll(t, git, 0o555, 0o444)
	t.Cleanup(func() { chmodAll(t, git, 0o777, 0o666) })
	before := w.fingerprint()
	for _, args := range [][]string{
		{"record", "-a", "x"}, {"commit", "-m", "x"}, {"branch", "exp"}, {"switch", "main"}, {"remember", "k", "v"},
		{"roadmap", "goal", "x"}, {"tag", "x"}, {"merge", "main", "--into", "main"},
	} {
		out, err := run(args...)
		if args[0] == "switch" && err == nil {
			continue // it stands there already: nothing is written
		}
		if err == nil || !strings.Contains(out, "git-context: error: ") || !strings.Contains(out, "hint: ") {
			t.Errorf("git context %s: %v\n%s", strings.Join(args, " "), err, out)
		}
	}
	for _, args := range [][]string{{}, {"--log"}, {"--branch", "main"}, {"branch"}, {"roadmap"}} {
		if out, err := run(args...); err != nil {
			t.Errorf("reading: git context %s: %v\n%s", strings.Join(args, " "), err, out)
		}
	}
	for path, sum := range w.fingerprint() {
		if before[path] != sum {
			t.Errorf("%s has changed", path)
		}
	}
}

// asNobody returns a way to run git-context as a user whom permissions hold:
// root, whom they do not, hands everything below dir to another user first.
func (w *world) asNobody(dir string) func(args ...string) (string, error) {
	const nobody = 65534
	var attr *syscall.SysProcAttr
	if os.Getuid() == 0 {
		attr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
		bin := filepath.Join(w.t.TempDir(), "git-context")
		for _, cmd := range [][]string{{"cp", w.bin, bin}, {"chown", "-R", "65534:65534", dir}} {
			if out, err := exec.Command(cmd[0], cmd[1:]...).CombinedOutput(); err != nil {
				w.t.Fatalf("%v: %v\n%s", cmd, err, out)
			}
		}
		w.bin = bin
		for p := dir; len(p) > len(os.TempDir()); p = filepath.Dir(p) {
			w.open(p)
		}
		w.open(filepath.Dir(filepath.Dir(bin)))
		w.open(filepath.Dir(bin))
	}
	return func(args ...string) (string, error) {
		cmd := w.command([]string{"HOME=/nonexistent", "PATH=" + filepath.Dir(w.bin) + string(os.PathListSeparator) + os.Getenv("PATH"), "GIT_COMMITTER_NAME=N", "GIT_COMMITTER_EMAIL=n@example.com"}, w.bin, args...)
		if attr != nil {
			cmd.SysProcAttr = attr
		}
		out, err := cmd.CombinedOutput()
		return string(out), err
	}
}

// open lets everyone pass through a directory of the test's own.
func (w *world) open(dir string) {
	if err := os.Chmod(dir, 0o755); err != nil {
		w.t.Fatal(err)
	}
}

func chmodAll(t *testing.T, dir string, dirs, files fs.FileMode) {
	t.Helper()
	var all []string
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		all = append(all, path)
		if err == nil && e.IsDir() && dirs&0o200 != 0 {
			err = os.Chmod(path, dirs)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for i := len(all) - 1; i >= 0; i-- {
		info, err := os.Lstat(all[i])
		if err != nil {
			t.Fatal(err)
		}
		mode := files
		if info.IsDir() {
			mode = dirs
		}
		if err := os.Chmod(all[i], mode); err != nil {
			t.Fatal(err)
		}
	}
}
