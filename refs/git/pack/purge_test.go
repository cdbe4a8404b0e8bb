package pack

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/git-context/git-context/internal/gittest"
	"github.com/git-context/git-context/refs/git"
)

// secret stands in what is to be purged, and nowhere else.
const secret = "hunter2-hunter2-hunter2"

// rewritten is a repository with code, whose memory was rewritten: main is at new,
// and nothing but our knowledge leads to old.
type rewritten struct {
	*sandbox
	repo     *git.Repo
	old, new git.ID
	bad      []git.ID // what holds the secret, and the commits and trees that lead there
	shared   git.ID   // a blob of old that new's history, but not its tip, holds too
}

func newRewritten(t *testing.T, args ...string) *rewritten {
	t.Helper()
	s, r := newRepo(t, args...)
	w := &rewritten{sandbox: s, repo: r}
	for i := range 3 {
		s.Write(fmt.Sprintf("r/code%d.go", i), strings.Repeat(fmt.Sprintf("line %d\n", i), 200))
		s.Git("r", "add", ".")
		s.Git("r", "commit", "-qm", fmt.Sprint("code ", i))
	}
	w.shared = ok(r.WriteBlob(t.Context(), []byte("only in the middle\n")))(t)
	for i := range 4 {
		text, last := fmt.Sprintf("entry %d\n", i), ""
		w.new = w.commit(t, text, i == 1, last, w.new)
		if i == 0 {
			text += secret + "\n"
		}
		if i == 3 {
			last = secret
		}
		w.old = w.commit(t, text, i == 1, last, w.old)
		w.bad = append(w.bad, w.old)
	}
	set(t, r, git.BranchRef("main"), w.old, "")
	for _, rev := range []string{string(w.bad[0]) + ":", string(w.bad[0]) + ":log.md", string(w.old) + ":", string(w.old) + ":old.md"} {
		w.bad = append(w.bad, ok(r.Object(t.Context(), rev))(t).ID)
	}
	return w
}

// commit makes a commit of memory whose log.md has a text, and that may hold more.
func (w *rewritten) commit(t *testing.T, text string, middle bool, last string, parent git.ID) git.ID {
	t.Helper()
	ctx := t.Context()
	entries := []git.TreeEntry{{Mode: git.ModeBlob, Name: "log.md", ID: ok(w.repo.WriteBlob(ctx, []byte(text)))(t)}}
	if middle {
		entries = append(entries, git.TreeEntry{Mode: git.ModeBlob, Name: "main.md", ID: w.shared})
	}
	if last != "" {
		entries = append(entries, git.TreeEntry{Mode: git.ModeBlob, Name: "old.md", ID: ok(w.repo.WriteBlob(ctx, []byte(last)))(t)})
	}
	who := agent()
	c := &git.Commit{Tree: ok(w.repo.WriteTree(ctx, entries))(t), Author: who, Committer: who, Message: text}
	if parent != "" {
		c.Parents = []git.ID{parent}
	}
	return ok(w.repo.WriteCommit(ctx, c))(t)
}

// rewrite moves the branch and forgets where it was.
func (w *rewritten) rewrite(t *testing.T) {
	t.Helper()
	set(t, w.repo, git.BranchRef("main"), w.new, w.old)
	must(t, w.repo.DropReflogs(t.Context(), []string{git.BranchRef("main")}))
}

// purged checks that all that is bad is gone, and nothing else.
func (w *rewritten) purged(t *testing.T, before string) {
	t.Helper()
	for _, id := range w.bad {
		if out, err := w.Try("r", "cat-file", "-e", string(id)); err == nil {
			t.Errorf("%s is still there: %s", id, out)
		}
	}
	if all := w.Git("r", "cat-file", "--batch-all-objects", "--batch"); strings.Contains(all, secret) {
		t.Error("the secret is still in an object")
	}
	after := w.Git("r", "rev-list", "--objects", "--all", "--reflog", "--indexed-objects")
	if after != before {
		t.Errorf("what is reachable changed:\n%s\nwas\n%s", after, before)
	}
	w.sound(t)
}

// sound holds that git finds no fault and that nothing of ours is left.
func (w *rewritten) sound(t *testing.T) {
	t.Helper()
	if out := w.Git("r", "fsck", "--strict", "--full"); strings.Contains(out, "missing") || strings.Contains(out, "error") {
		t.Errorf("fsck: %s", out)
	}
	left := ok(filepath.Glob(w.repo.ObjectDir() + "/pack/tmp_*"))(t)
	left = append(left, ok(filepath.Glob(w.repo.ObjectDir()+"/tmp_*"))(t)...)
	if len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
	if _, err := os.Stat(filepath.Join(w.repo.StateDir(), DoomedName)); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("state is left behind: %v", err)
	}
}

func (w *rewritten) reachable() string {
	return w.Git("r", "rev-list", "--objects", "--all", "--reflog", "--indexed-objects")
}

func TestPurge(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name  string
		pack  [][]string
		packs int
		index string // that is there before and after
	}{
		{"loose", nil, 0, ""},
		{"packed with code", [][]string{{"gc", "-q"}}, 1, "info/commit-graph"},
		{"packed and loose", [][]string{{"repack", "-q", "-a"}}, 1, ""},
		{"several packs and their index", [][]string{{"repack", "-q", "-d"}, {"commit", "-q", "--allow-empty", "-m", "x"}, {"repack", "-q", "-d"},
			{"multi-pack-index", "write", "--bitmap"}}, 1, "pack/multi-pack-index-*.bitmap"},
		{"a chain of commit-graphs", [][]string{{"repack", "-q", "-a", "-d", "-b"}, {"commit-graph", "write", "--reachable", "--split"}, {"update-server-info"}},
			1, "info/commit-graphs/commit-graph-chain"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w := newRewritten(t)
			for _, args := range c.pack {
				w.Git("r", args...)
			}
			_ = ok(w.repo.Object(t.Context(), string(w.old)))(t) // our own child has the packs open
			w.rewrite(t)
			before := w.reachable()
			if c.index != "" && !w.exists(c.index) {
				t.Fatalf("there is no %s", c.index)
			}
			res := ok(Purge(t.Context(), w.repo, []git.ID{w.old}))(t)
			if res.Objects != len(w.bad) || res.Packs != c.packs || len(res.Kept) > 0 {
				t.Errorf("%+v; %d are bad", res, len(w.bad))
			}
			if c.packs == 0 && res.Bytes <= 0 {
				t.Errorf("%d bytes", res.Bytes)
			}
			w.purged(t, before)
			if c.index != "" && !w.exists(c.index) {
				t.Errorf("%s is gone", c.index)
			}
			if _, err := w.repo.Object(t.Context(), string(w.old)); !errors.Is(err, git.ErrNotFound) {
				t.Errorf("our child still reads it: %v", err)
			}
			again := ok(Purge(t.Context(), w.repo, []git.ID{w.old}))(t)
			if again.Objects != 0 || again.Packs != 0 || again.Bytes != 0 || len(again.Kept) > 0 {
				t.Errorf("again: %+v", again)
			}
		})
	}
}

// exists reports whether something stands in the object directory.
func (w *rewritten) exists(pattern string) bool {
	found, err := filepath.Glob(filepath.Join(w.repo.ObjectDir(), pattern))
	return err == nil && len(found) > 0
}

// Whoever reads meanwhile does not notice.
func TestPurgeBesideReaders(t *testing.T) {
	t.Parallel()
	w := newRewritten(t)
	w.Git("r", "gc", "-q")
	w.rewrite(t)
	before := w.reachable()
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	var readers sync.WaitGroup
	reads := 0
	readers.Go(func() {
		for ; ctx.Err() == nil; reads++ {
			cmd := exec.Command("git", "log", "-p", "--all", "--format=%H")
			cmd.Dir, cmd.Env = w.Path("r"), w.Env
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Errorf("git log: %v\n%s", err, out)
				return
			}
		}
	})
	for i := range 8 { // each time there is a pack to replace
		_ = ok(Purge(t.Context(), w.repo, []git.ID{w.old}))(t)
		if i == 0 {
			w.purged(t, before)
		}
		w.old = w.commit(t, fmt.Sprint(secret, i), false, "", w.new)
		set(t, w.repo, git.BranchRef("main"), w.old, w.new)
		w.Git("r", "repack", "-q", "-a", "-d")
		w.rewrite(t)
	}
	stop()
	readers.Wait()
	if reads == 0 {
		t.Error("nothing was read")
	}
}

// An index that somebody else writes just now is waited for.
func TestPurgeWaitsForAnIndex(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		lock string
		make []string
	}{
		{"info/commit-graph.lock", []string{"commit-graph", "write", "--reachable"}},
		{"info/commit-graphs/commit-graph-chain.lock", []string{"commit-graph", "write", "--reachable", "--split"}},
		{"pack/multi-pack-index.lock", []string{"multi-pack-index", "write"}},
	} {
		t.Run(c.lock, func(t *testing.T) {
			t.Parallel()
			w := newRewritten(t)
			w.Git("r", "repack", "-q", "-a", "-d")
			w.rewrite(t)
			w.Git("r", c.make...)
			lock := filepath.Join(w.repo.ObjectDir(), c.lock)
			must(t, os.WriteFile(lock, nil, 0o666))
			gone := time.AfterFunc(500*time.Millisecond, func() { _ = os.Remove(lock) })
			defer gone.Stop()
			before := w.reachable()
			_ = ok(Purge(t.Context(), w.repo, []git.ID{w.old}))(t)
			w.purged(t, before)
		})
	}
}

// Beside the user's own gc nothing is lost but what is to go.
func TestPurgeBesideGC(t *testing.T) {
	t.Parallel()
	w := newRewritten(t)
	w.rewrite(t)
	before := w.reachable()
	ctx, stop := context.WithCancel(t.Context())
	var users sync.WaitGroup
	defer users.Wait() // where the test fails too: t must not be used after it
	defer stop()
	users.Go(func() {
		for ctx.Err() == nil {
			for _, args := range [][]string{{"repack", "-q", "-a", "-d"}, {"gc", "-q"}, {"repack", "-q", "-d"}} {
				// It gives up where it comes upon what goes.
				if out, err := w.Try("r", args...); err != nil && !strings.Contains(err.Error(), "status 128") {
					t.Errorf("git %v: %v: %s", args, err, out)
				}
			}
		}
	})
	for i := range 6 {
		w.old = w.commit(t, fmt.Sprint(secret, i), false, "", w.new)
		set(t, w.repo, git.BranchRef("main"), w.old, w.new)
		// git's repack -a -d deletes a pack that another repack is about to give its name.
		if out, err := w.Try("r", "repack", "-q"); err != nil && !strings.Contains(err.Error(), "status 128") {
			t.Fatalf("git repack: %v: %s", err, out)
		}
		w.rewrite(t)
		_ = ok(Purge(t.Context(), w.repo, []git.ID{w.old}))(t)
	}
	stop()
	users.Wait()
	if after := w.reachable(); after != before {
		t.Errorf("reachable now:\n%s\nand before:\n%s", after, before)
	}
	if out := w.Git("r", "fsck", "--strict", "--full", "--no-dangling"); out != "" {
		t.Errorf("fsck: %s", out)
	}
}

// What something else holds stays, and is told.
func TestPurgeKeeps(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		by   KeptBy
		hold func(*testing.T, *rewritten) (what string)
	}{
		{"a branch of code", KeptByRef, func(t *testing.T, w *rewritten) string {
			w.Git("r", "branch", "mine", string(w.old))
			return "refs/heads/mine"
		}},
		{"another worktree's HEAD", KeptByReflog, func(t *testing.T, w *rewritten) string {
			w.Git("r", "worktree", "add", "-q", "--detach", "../w", string(w.old))
			return ""
		}},
		{"another worktree's ref", KeptByWorktree, func(t *testing.T, w *rewritten) string {
			w.Git("r", "worktree", "add", "-q", "../w")
			w.Git("w", "update-ref", "refs/worktree/mine", string(w.old))
			return ""
		}},
		{"a merge in another worktree", KeptByWorktree, func(t *testing.T, w *rewritten) string {
			w.Git("r", "worktree", "add", "-q", "../w")
			w.Write("r/.git/worktrees/w/MERGE_HEAD", string(w.new)+"\n"+string(w.old)+"\n")
			return ""
		}},
		{"a rebase", KeptByWorktree, func(t *testing.T, w *rewritten) string {
			w.Write("r/.git/rebase-merge/orig-head", string(w.old)+"\n")
			return ""
		}},
		{"a reflog", KeptByReflog, func(t *testing.T, w *rewritten) string {
			w.Git("r", "branch", "mine", string(w.old))
			w.Git("r", "reset", "-q", "--soft", "HEAD")
			w.Git("r", "update-ref", "-m", "away", "refs/heads/mine", "HEAD")
			return ""
		}},
		{"a pack to keep", KeptByPack, func(t *testing.T, w *rewritten) string {
			w.Git("r", "repack", "-q", "-a", "-d")
			packs := ok(packsIn(w.repo.ObjectDir()))(t)
			must(t, os.WriteFile(packs[0].base+".keep", nil, 0o666))
			return filepath.Base(packs[0].base) + ".pack"
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w := newRewritten(t)
			name := c.hold(t, w)
			w.rewrite(t)
			res := ok(Purge(t.Context(), w.repo, []git.ID{w.old, w.bad[0]}))(t)
			if res.Objects != 0 || len(res.Kept) != 1 || res.Kept[0].By != c.by || res.Kept[0].Name != name ||
				!slices.Contains(res.Kept[0].Objects, w.old) {
				t.Errorf("%+v", res)
			}
			for _, id := range w.bad {
				w.Git("r", "cat-file", "-e", string(id))
			}
			if c.by != KeptByPack {
				w.sound(t)
			}
		})
	}
}

// An index holds blobs that no commit does.
func TestPurgeKeepsIndexed(t *testing.T) {
	t.Parallel()
	w := newRewritten(t)
	w.Git("r", "worktree", "add", "-q", "../w")
	blob := w.bad[len(w.bad)-1]
	w.Git("w", "update-index", "--add", "--cacheinfo", "100644,"+string(blob)+",x")
	w.rewrite(t)
	res := ok(Purge(t.Context(), w.repo, []git.ID{w.old, blob}))(t)
	if len(res.Kept) != 1 || res.Kept[0].By != KeptByWorktree || res.Kept[0].Objects[0] != blob || res.Objects != len(w.bad)-1 {
		t.Errorf("%+v", res)
	}
	w.Git("r", "cat-file", "-e", string(blob))
	w.sound(t)
}

func TestPurgeBorrowed(t *testing.T) {
	t.Parallel()
	w := newRewritten(t)
	w.Git("", "clone", "-q", "--shared", "r", "c")
	w.Git("c", "update-ref", git.BranchRef("main"), string(w.bad[0]))
	c := w.open("c")
	blob := ok(c.WriteBlob(t.Context(), []byte(secret)))(t) // also a copy of its own
	w.Git("c", "update-ref", "-d", git.BranchRef("main"))
	res := ok(Purge(t.Context(), c, []git.ID{w.bad[0], blob}))(t)
	if len(res.Kept) != 1 || res.Kept[0].By != KeptByAlternate || res.Kept[0].Name != w.Path("r/.git/objects") || res.Objects != 0 {
		t.Errorf("%+v", res)
	}
	if _, err := os.Stat(c.LoosePath(blob)); err == nil {
		t.Error("the copy is still there")
	}
	w.Git("r", "fsck")
}

// A Purge that was killed has deleted some of its objects, and the next one, which
// cannot walk there any more, deletes the rest.
func TestPurgeResumes(t *testing.T) {
	t.Parallel()
	for _, packed := range []bool{false, true} {
		w := newRewritten(t)
		if packed {
			w.Git("r", "gc", "-q")
		}
		w.rewrite(t)
		before := w.reachable()
		p := newPurger(w.repo)
		must(t, p.begin(t.Context(), []git.ID{w.old}))
		must(t, p.condemn(t.Context()))
		stage := filepath.Join(p.packDir, stagePrefix+"x")
		must(t, os.Mkdir(stage, 0o777))
		if packed { // the new one is there, the old one not yet gone
			k := ok(packsIn(w.repo.ObjectDir()))(t)[0]
			var rest []packedObject
			must(t, eachObject(t.Context(), w.repo, k, func(o packedObject) {
				if !p.doomed[o.id] {
					rest = append(rest, o)
				}
			}))
			must(t, p.writePack(t.Context(), k, rest))
		} else {
			must(t, os.Remove(w.repo.LoosePath(w.bad[0])))
			must(t, os.Remove(w.repo.LoosePath(w.old)))
		}
		if n := len(p.doomed); n != len(w.bad) {
			t.Errorf("%d objects, want %d", n, len(w.bad))
		}
		_ = ok(Purge(t.Context(), w.repo, nil))(t)
		w.purged(t, before)
	}
}

// An object that somebody writes meanwhile stays for the time being.
func TestPurgeLeavesFresh(t *testing.T) {
	gittest.NeedSHA1(t)
	t.Parallel()
	w := newRewritten(t)
	w.Git("r", "repack", "-q", "-a", "-d")
	blob := w.bad[len(w.bad)-1]
	_ = ok(w.repo.WriteBlob(t.Context(), ok(w.repo.Blob(t.Context(), blob))(t)))(t) // a loose copy
	w.rewrite(t)
	packs := ok(packsIn(w.repo.ObjectDir()))(t)
	soon := time.Now().Add(time.Hour)
	for _, path := range []string{w.repo.LoosePath(blob), packs[0].base + ".pack"} {
		must(t, os.Chtimes(path, soon, soon))
	}
	res := ok(Purge(t.Context(), w.repo, []git.ID{w.old}))(t)
	if res.Objects != 0 || res.Packs != 0 || len(res.Kept) != 1 || res.Kept[0].By != KeptByWriter || len(res.Kept[0].Objects) != len(w.bad) {
		t.Errorf("%+v", res)
	}
	before, then := w.reachable(), time.Now().Add(-time.Hour)
	for _, path := range []string{w.repo.LoosePath(blob), packs[0].base + ".pack"} {
		must(t, os.Chtimes(path, then, then))
	}
	_ = ok(Purge(t.Context(), w.repo, nil))(t) // what was asked for before
	w.purged(t, before)
}
