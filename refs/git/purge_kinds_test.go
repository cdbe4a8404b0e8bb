package git

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
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

// While an editor is open, what `git commit -a` is about to commit stands in another
// index; what a merge of long ago names may be gone.
func TestPurgeKeepsLocked(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"index.lock", "next-index-1.lock"} {
		w := newRewritten(t)
		w.git("r", "worktree", "add", "-q", "../w")
		blob := w.bad[len(w.bad)-1]
		index := w.path("r/.git/index")
		saved := ok(os.ReadFile(index))(t)
		w.git("r", "update-index", "--add", "--cacheinfo", "100644,"+string(blob)+",x")
		must(t, os.Rename(index, w.path("r/.git/worktrees/w/"+name)))
		must(t, os.WriteFile(index, saved, 0o666))
		w.write("r/.git/index.lock", "DIRC half of one")
		w.write("r/.git/AUTO_MERGE", strings.Repeat("12", 20)+"\n")
		w.rewrite(t)
		res := ok(w.repo.Purge(t.Context(), []ID{w.old, blob}))(t)
		if len(res.Kept) != 1 || res.Kept[0].By != KeptByWorktree || res.Kept[0].Objects[0] != blob || res.Objects != len(w.bad)-1 {
			t.Errorf("%s: %+v", name, res)
		}
	}
}

// What somebody comes to need while a pack is copied stays.
func TestPurgeWantedMeanwhile(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]func(*testing.T, *rewritten, pack){
		"freshened": func(t *testing.T, _ *rewritten, k pack) {
			soon := time.Now().Add(time.Hour)
			must(t, os.Chtimes(k.base+".pack", soon, soon))
		},
		"fetched": func(t *testing.T, w *rewritten, _ pack) { set(t, w.repo, BranchRef("side"), w.old, "") },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newRewritten(t)
			w.git("r", "repack", "-q", "-a", "-d")
			w.rewrite(t)
			p := &purge{repo: w.repo}
			must(t, p.begin(t.Context(), []ID{w.old}))
			must(t, p.condemn(t.Context()))
			k := ok(w.repo.packsIn(t.Context(), w.repo.objectDir))(t)[0]
			want(t, w, k)
			doomed := ok(w.repo.holding(t.Context(), k, p.doomed))(t)
			if !ok(p.wantedSince(t.Context(), k, doomed))(t) {
				t.Error("nobody minds")
			}
			res := ok(w.repo.Purge(t.Context(), []ID{w.old}))(t)
			if res.Objects != 0 || len(res.Kept) != 1 {
				t.Errorf("%+v", res)
			}
			w.git("r", "cat-file", "-e", string(w.old))
		})
	}
}

// A ref that a fetch makes while packs are copied is not one to nothing.
func TestPurgeBesideFetch(t *testing.T) {
	t.Parallel()
	w := newRewritten(t)
	w.rewrite(t)
	p := &purge{repo: w.repo}
	must(t, p.begin(t.Context(), []ID{w.old}))
	must(t, p.condemn(t.Context()))
	set(t, w.repo, BranchRef("side"), w.old, "")
	if again := ok(p.round(t.Context()))(t); !again || len(p.gone) > 0 {
		t.Errorf("%d objects are gone", len(p.gone))
	}
	w.git("r", "fsck", "--strict", "--full")
}
