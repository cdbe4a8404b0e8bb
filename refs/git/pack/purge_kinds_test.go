package pack

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/git-context/git-context/refs/git"
)

func TestPurgeElsewhere(t *testing.T) {
	t.Parallel()
	t.Run("sha256", func(t *testing.T) {
		t.Parallel()
		w := newRewritten(t, "--object-format=sha256")
		w.Git("r", "gc", "-q")
		w.rewrite(t)
		before := w.reachable()
		_ = ok(Purge(t.Context(), w.repo, []git.ID{w.old}))(t)
		w.purged(t, before)
	})
	t.Run("shared with a group", func(t *testing.T) {
		t.Parallel()
		w := newRewritten(t, "--shared=group")
		w.Git("r", "gc", "-q")
		w.rewrite(t)
		_ = ok(Purge(t.Context(), w.repo, []git.ID{w.old}))(t)
		for _, path := range ok(filepath.Glob(w.repo.ObjectDir() + "/pack/*"))(t) {
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
		w.Git("r", "config", "core.repositoryFormatVersion", "1")
		w.Git("r", "config", "extensions.preciousObjects", "true")
		if _, err := Purge(t.Context(), w.open("r"), []git.ID{w.old}); err == nil || !strings.Contains(err.Error(), "preciousObjects") {
			t.Errorf("error = %v", err)
		}
		w.Git("r", "cat-file", "-e", string(w.old))
	})
}

// In a partial clone nothing is fetched, and what was promised stays so.
func TestPurgePartialClone(t *testing.T) {
	t.Parallel()
	w := newRewritten(t)
	w.Git("r", "config", "uploadpack.allowFilter", "true")
	w.Git("", "clone", "-q", "--no-checkout", "--filter=blob:none", "file://"+w.Path("r"), "c")
	w.Git("c", "fetch", "-q", "origin", git.BranchRef("main")+":"+git.BranchRef("main"))
	w.Git("c", "reset", "-q") // the index names blobs that are not here
	w.Git("c", "update-ref", "-d", git.BranchRef("main"))
	must(t, os.Rename(w.Path("r"), w.Path("away"))) // a fetch would fail
	c := w.open("c")
	_ = ok(Purge(t.Context(), c, []git.ID{w.old}))(t)
	for _, k := range ok(packsIn(c.ObjectDir()))(t) {
		if _, err := os.Stat(k.base + ".promisor"); err != nil {
			t.Errorf("its objects are promised no more: %v", err)
		}
		if found := ok(containedIn(t.Context(), c, k, map[git.ID]bool{w.old: true}))(t); len(found) > 0 {
			t.Error("the commit is still there")
		}
	}
	must(t, os.Rename(w.Path("away"), w.Path("r")))
	w.Git("c", "fsck")
	w.Git("c", "checkout", "-q", "HEAD")
}

func TestPurgeShallow(t *testing.T) {
	t.Parallel()
	w := newRewritten(t)
	w.Git("", "clone", "-q", "--depth=1", "file://"+w.Path("r"), "c")
	w.Git("c", "fetch", "-q", "--depth=2", "origin", git.BranchRef("main")+":"+git.BranchRef("main"))
	w.Git("c", "update-ref", "-d", git.BranchRef("main"))
	c := w.open("c")
	res := ok(Purge(t.Context(), c, []git.ID{w.old}))(t)
	if res.Objects == 0 || len(res.Kept) > 0 {
		t.Errorf("%+v", res)
	}
	w.Git("c", "fsck", "--strict", "--full")
	w.Git("c", "fetch", "-q", "--unshallow")
	if _, err := os.Stat(w.Path("c/.git/shallow")); err == nil {
		t.Error("it is still shallow")
	}
}

// While an editor is open, what `git commit -a` is about to commit stands in another
// index; what a merge of long ago names may be gone.
func TestPurgeKeepsLocked(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"index.lock", "next-index-1.lock"} {
		w := newRewritten(t)
		w.Git("r", "worktree", "add", "-q", "../w")
		blob := w.bad[len(w.bad)-1]
		index := w.Path("r/.git/index")
		saved := ok(os.ReadFile(index))(t)
		w.Git("r", "update-index", "--add", "--cacheinfo", "100644,"+string(blob)+",x")
		must(t, os.Rename(index, w.Path("r/.git/worktrees/w/"+name)))
		must(t, os.WriteFile(index, saved, 0o666))
		w.Write("r/.git/index.lock", "DIRC half of one")
		w.Write("r/.git/AUTO_MERGE", strings.Repeat("12", 20)+"\n")
		w.rewrite(t)
		res := ok(Purge(t.Context(), w.repo, []git.ID{w.old, blob}))(t)
		if len(res.Kept) != 1 || res.Kept[0].By != KeptByWorktree || res.Kept[0].Objects[0] != blob || res.Objects != len(w.bad)-1 {
			t.Errorf("%s: %+v", name, res)
		}
	}
}

// What somebody comes to need while a pack is copied stays.
func TestPurgeWantedMeanwhile(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]func(*testing.T, *rewritten, packFile){
		"freshened": func(t *testing.T, _ *rewritten, k packFile) {
			soon := time.Now().Add(time.Hour)
			must(t, os.Chtimes(k.base+".pack", soon, soon))
		},
		"fetched": func(t *testing.T, w *rewritten, _ packFile) { set(t, w.repo, git.BranchRef("side"), w.old, "") },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newRewritten(t)
			w.Git("r", "repack", "-q", "-a", "-d")
			w.rewrite(t)
			p := newPurger(w.repo)
			must(t, p.begin(t.Context(), []git.ID{w.old}))
			must(t, p.condemn(t.Context()))
			k := ok(packsIn(w.repo.ObjectDir()))(t)[0]
			want(t, w, k)
			doomed := ok(containedIn(t.Context(), w.repo, k, p.doomed))(t)
			if !ok(p.wantedSince(t.Context(), k, doomed))(t) {
				t.Error("nobody minds")
			}
			res := ok(Purge(t.Context(), w.repo, []git.ID{w.old}))(t)
			if res.Objects != 0 || len(res.Kept) != 1 {
				t.Errorf("%+v", res)
			}
			w.Git("r", "cat-file", "-e", string(w.old))
		})
	}
}

// A ref that a fetch makes while packs are copied is not one to nothing.
func TestPurgeBesideFetch(t *testing.T) {
	t.Parallel()
	w := newRewritten(t)
	w.rewrite(t)
	p := newPurger(w.repo)
	must(t, p.begin(t.Context(), []git.ID{w.old}))
	must(t, p.condemn(t.Context()))
	set(t, w.repo, git.BranchRef("side"), w.old, "")
	if again := ok(p.round(t.Context()))(t); !again || len(p.gone) > 0 {
		t.Errorf("%d objects are gone", len(p.gone))
	}
	w.Git("r", "fsck", "--strict", "--full")
}
