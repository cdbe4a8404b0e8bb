//go:build unix

package test

import (
	"path"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// newReftable is newWorld with a linked worktree, and with refs that are no files. It skips
// the test where git has none.
func newReftable(t *testing.T) *world {
	t.Helper()
	needReftable(t, t.TempDir())
	w := newHome(t)
	w.env = append(w.env, "GIT_DEFAULT_REF_FORMAT=reftable")
	w.git("init", "-q")
	w.git("commit", "-q", "--allow-empty", "-m", "code")
	w.ok("init", "--goal", "Keep every step")
	w.git("worktree", "add", "-q", "-b", "side", w.beside("linked"))
	w.inDir(w.beside("linked")).ok("branch", "side")
	return w
}

// A killed git leaves the lock of a table: no process can unite tables until fsck removes it.
func TestFsckRemovesTheLockOfATable(t *testing.T) {
	t.Parallel()
	w := newReftable(t)
	for _, dir := range []string{"reftable", "worktrees/linked/reftable"} {
		w.git("commit", "-q", "--allow-empty", "-m", "more")
		w.ok("record", "-o", "one more step")
		w.ok("commit", "-m", "One more")
		w.inDir(w.beside("linked")).ok("switch", "main")
		w.inDir(w.beside("linked")).ok("switch", "side")
		tables, err := filepath.Glob(w.gitPath(filepath.FromSlash(dir), "*.ref"))
		if err != nil || len(tables) == 0 {
			t.Fatalf("'%s' has no tables: %v", dir, err)
		}
		lock := path.Join(dir, filepath.Base(tables[0])+".lock")
		w.put(lock, "")
		if found := w.problems(); len(found) > 0 {
			t.Errorf("a young lock: %+v", found)
		}
		w.age(lock, 11*time.Minute)
		found := w.problems("--fix")
		if len(found) != 1 || found[0].Kind != "lock-left" || !found[0].Fixed || found[0].Object != w.gitPath(lock) ||
			!strings.Contains(found[0].Message, "a lock of table '"+filepath.Base(tables[0])+"' of the refs is 11 minutes old") {
			t.Errorf("found %+v", found)
		}
		if found := w.problems(); len(found) > 0 {
			t.Errorf("left: %+v", found)
		}
		w.git("pack-refs", "--all")
	}
}

// The CONTEXT_HEAD of each worktree is mended where it is no file.
func TestFsckMendsHeadsOfReftables(t *testing.T) {
	t.Parallel()
	w := newReftable(t)
	for _, at := range []*world{w, w.inDir(w.beside("linked"))} {
		for kind, args := range map[string][]string{
			"head-invalid":  {"symbolic-ref", "CONTEXT_HEAD", "refs/heads/side"},
			"head-dangling": {"symbolic-ref", "CONTEXT_HEAD", "refs/context/heads/none"},
			"head-detached": {"update-ref", "--no-deref", "CONTEXT_HEAD", w.at("refs/context/heads/main")},
		} {
			at.git(args...)
			if found := w.problems("--fix"); len(found) != 1 || found[0].Kind != kind || !found[0].Fixed {
				t.Errorf("%s: %+v", kind, found)
			}
			if now := strings.TrimSpace(at.git("symbolic-ref", "CONTEXT_HEAD")); now != "refs/context/heads/main" {
				t.Errorf("%s: it is '%s' now", kind, now)
			}
		}
	}
}
