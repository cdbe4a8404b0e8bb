//go:build unix

package test

import (
	"strings"
	"testing"
	"time"
)

// A repair of CONTEXT_HEAD that is killed leaves the old file and a lock, which the next one
// removes when it is old.
func TestKilledRepairOfAHead(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.git("worktree", "add", "-q", "-b", "side", w.beside("linked"))
	w.inDir(w.beside("linked")).ok("switch", "main")
	for _, head := range []string{"CONTEXT_HEAD", "worktrees/linked/CONTEXT_HEAD"} {
		w.put(head, "garbled")
		w.killedAt("after-ref-lock", "fsck", "--fix")
		if now := w.read(".git/" + head); now != "garbled" {
			t.Errorf("it is %q", now)
		}
		if found := w.problems("--fix"); len(found) != 1 || found[0].Fixed || !strings.Contains(found[0].Message, "it is locked") {
			t.Errorf("while the lock is young: %+v", found)
		}
		w.age(head+".lock", 11*time.Minute)
		if kinds, mended := w.fsck("--fix"); mended != 2 || strings.Join(kinds, " ") != "lock-left head-invalid" {
			t.Errorf("mended %d of %v", mended, kinds)
		}
		if found := w.problems(); len(found) > 0 {
			t.Errorf("left: %+v", found)
		}
	}
	if now := w.git("symbolic-ref", "CONTEXT_HEAD"); now != "refs/context/heads/main\n" {
		t.Errorf("to git it names %q", now)
	}
}
