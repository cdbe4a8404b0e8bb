package git

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// DropReflogs leaves no line of the refs that it was given, and all of the others.
func TestDropReflogs(t *testing.T) {
	t.Parallel()
	const secret = "hunter2-hunter2-hunter2"
	w, r := newRepo(t)
	w.Git("r", "commit", "-q", "--allow-empty", "-m", "code")
	old, new := commit(t, r, "old"), commit(t, r, "new")
	set(t, r, BranchRef("main"), old, "")
	w.Git("r", "worktree", "add", "-q", "../w")
	w.Git("r", "config", "core.logAllRefUpdates", "always")
	for _, dir := range []string{"r", "w"} {
		w.Git(dir, "symbolic-ref", "-m", secret, HeadName, BranchRef("main"))
		w.Git(dir, "update-ref", "-m", secret, HeadName, string(new), string(old))
		w.Git(dir, "update-ref", "-m", secret, HeadName, string(old), string(new))
	}
	code := w.Git("r", "reflog", "show", "HEAD")
	must(t, r.DropReflogs(t.Context(), []string{BranchRef("main"), BranchRef("none"), NotesRef}))
	must(t, filepath.WalkDir(r.CommonDir(), func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() && strings.Contains(path, "/logs/") && strings.Contains(string(ok(os.ReadFile(path))(t)), secret) {
			t.Errorf("%s still says it", path)
		}
		return err
	}))
	if now := w.Git("r", "reflog", "show", "HEAD"); now != code {
		t.Errorf("the reflog of code changed: %s", now)
	}
	set(t, r, BranchRef("main"), new, old)
	if log := w.Git("r", "reflog", "show", BranchRef("main")); strings.Count(log, "\n") != 0 || log == "" {
		t.Errorf("what comes later is not logged: %q", log)
	}
	if err := r.DropReflogs(t.Context(), []string{"../x"}); err == nil {
		t.Error("no error for a path")
	}
}
