package git

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestPurgeElsewhere(t *testing.T) {
	t.Parallel()
	t.Run("sha256", func(t *testing.T) {
		t.Parallel()
		w := newRewritten(t, "--object-format=sha256")
		w.git("r", "gc", "-q")
		w.rewrite(t)
		before := w.reachable()
		_ = ok(w.repo.Purge(t.Context(), []ID{w.old}))(t)
		w.purged(t, before)
	})
	t.Run("shared with a group", func(t *testing.T) {
		t.Parallel()
		w := newRewritten(t, "--shared=group")
		w.git("r", "gc", "-q")
		w.rewrite(t)
		_ = ok(w.repo.Purge(t.Context(), []ID{w.old}))(t)
		for _, path := range ok(filepath.Glob(w.repo.objectDir + "/pack/*"))(t) {
			if mode := ok(os.Stat(path))(t).Mode().Perm(); mode&0o040 == 0 {
				t.Errorf("%s: %v", filepath.Base(path), mode)
			}
		}
		w.sound(t)
	})
	t.Run("precious", func(t *testing.T) {
		t.Parallel()
		w := newRewritten(t)
		w.rewrite(t)
		w.git("r", "config", "core.repositoryFormatVersion", "1")
		w.git("r", "config", "extensions.preciousObjects", "true")
		if _, err := w.open("r").Purge(t.Context(), []ID{w.old}); err == nil || !strings.Contains(err.Error(), "preciousObjects") {
			t.Errorf("error = %v", err)
		}
		w.git("r", "cat-file", "-e", string(w.old))
	})
}

// In a partial clone nothing is fetched, and what was promised stays so.
func TestPurgePartialClone(t *testing.T) {
	t.Parallel()
	w := newRewritten(t)
	w.git("r", "config", "uploadpack.allowFilter", "true")
	w.git("", "clone", "-q", "--no-checkout", "--filter=blob:none", "file://"+w.path("r"), "c")
	w.git("c", "fetch", "-q", "origin", BranchRef("main")+":"+BranchRef("main"))
	w.git("c", "reset", "-q") // the index names blobs that are not here
	w.git("c", "update-ref", "-d", BranchRef("main"))
	must(t, os.Rename(w.path("r"), w.path("away"))) // a fetch would fail
	c := w.open("c")
	_ = ok(c.Purge(t.Context(), []ID{w.old}))(t)
	for _, k := range ok(c.packsIn(t.Context(), c.objectDir))(t) {
		if _, err := os.Stat(k.base + ".promisor"); err != nil {
			t.Errorf("its objects are promised no more: %v", err)
		}
		if found := ok(c.holding(t.Context(), k, map[ID]bool{w.old: true}))(t); len(found) > 0 {
			t.Error("the commit is still there")
		}
	}
	must(t, os.Rename(w.path("away"), w.path("r")))
	w.git("c", "fsck")
	w.git("c", "checkout", "-q", "HEAD")
}

func TestPurgeShallow(t *testing.T) {
	t.Parallel()
	w := newRewritten(t)
	w.git("", "clone", "-q", "--depth=1", "file://"+w.path("r"), "c")
	w.git("c", "fetch", "-q", "--depth=2", "origin", BranchRef("main")+":"+BranchRef("main"))
	w.git("c", "update-ref", "-d", BranchRef("main"))
	c := w.open("c")
	res := ok(c.Purge(t.Context(), []ID{w.old}))(t)
	if res.Objects == 0 || len(res.Kept) > 0 {
		t.Errorf("%+v", res)
	}
	w.git("c", "fsck", "--strict", "--full")
	w.git("c", "fetch", "-q", "--unshallow")
	if _, err := os.Stat(w.path("c/.git/shallow")); err == nil {
		t.Error("it is still shallow")
	}
}

func TestDropReflogs(t *testing.T) {
	t.Parallel()
	w := newRewritten(t)
	w.git("r", "worktree", "add", "-q", "../w")
	w.git("r", "config", "core.logAllRefUpdates", "always")
	for _, dir := range []string{"r", "w"} {
		w.git(dir, "symbolic-ref", "-m", secret, HeadName, BranchRef("main"))
		w.git(dir, "update-ref", "-m", secret, HeadName, string(w.new), string(w.old))
		w.git(dir, "update-ref", "-m", secret, HeadName, string(w.old), string(w.new))
	}
	code := w.git("r", "reflog", "show", "HEAD")
	must(t, w.repo.DropReflogs(t.Context(), []string{BranchRef("main"), BranchRef("none"), NotesRef}))
	must(t, filepath.WalkDir(w.repo.CommonDir(), func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() && strings.Contains(path, "/logs/") && strings.Contains(string(ok(os.ReadFile(path))(t)), secret) {
			t.Errorf("%s still says it", path)
		}
		return err
	}))
	if now := w.git("r", "reflog", "show", "HEAD"); now != code {
		t.Errorf("the reflog of code changed: %s", now)
	}
	set(t, w.repo, BranchRef("main"), w.new, w.old)
	if log := w.git("r", "reflog", "show", BranchRef("main")); strings.Count(log, "\n") != 0 || log == "" {
		t.Errorf("what comes later is not logged: %q", log)
	}
	if err := w.repo.DropReflogs(t.Context(), []string{"../x"}); err == nil {
		t.Error("no error for a path")
	}
}
