//go:build unix

package test

import (
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// killWorld is what commands are killed in: a repository in the folder code, and a
// remote beside it. It is made once and copied for every kill.
type killWorld struct {
	*world
	root string
	kept map[string][]string // acknowledged steps, by branch
}

// newKillWorld has a bit of everything in it:
//
//	main   milestones, a note, a tag, a topic, pending steps; on the remote it went on
//	side   work of its own, also pending, that merges with no conflict
//	clash  another text in main's topic
//	done   merged, and so to be deleted; gone: deleted
//	far    only on the remote
func newKillWorld(t testing.TB) *killWorld {
	t.Helper()
	w := &killWorld{world: newHome(t), kept: map[string][]string{}}
	w.root = filepath.Dir(w.dir)
	w.git("init", "-q", "--template=") // files that nobody needs would be copied hundreds of times
	w.git("config", "gc.auto", "0")
	w.write("f", "first\n")
	w.git("add", ".")
	w.git("commit", "-q", "-m", "code")
	w.ok("init", "--goal", "Keep every step", "--milestone", "Begin", "--todo", "Look")
	w.record("main", 2)
	w.ok("remember", "pool", "one per request")
	w.ok("commit", "-m", "One")
	for _, name := range []string{"side", "clash", "done", "gone"} {
		w.ok("branch", name, "--purpose", "Try "+name, "--no-switch")
		w.record(name, 1)
		w.ok("-b", name, "commit", "-m", "Work on "+name)
	}
	w.ok("-b", "side", "remember", "cache", "none")
	w.ok("-b", "clash", "remember", "pool", "global")
	w.record("side", 2)
	w.ok("branch", "-D", "gone", "--yes")
	w.ok("merge", "done")
	w.kept["main"] = append(w.kept["main"], w.kept["done"]...)
	w.ok("remember", "pool", "one per process")
	w.ok("commit", "-m", "Two", "--score", "0.5")
	w.ok("tag", "good")
	w.share()
	w.record("main", 2)
	w.git("gc", "-q")
	return w
}

// share makes the remote. Another clone, which is gone, has pushed what is not here.
func (w *killWorld) share() {
	w.t.Helper()
	remote, other := w.beside("origin.git"), w.inDir(w.beside("other"))
	w.git("init", "-q", "--bare", "--template=", remote)
	w.git("remote", "add", "origin", "../origin.git")
	w.git("push", "-q", "origin", "HEAD:refs/heads/main")
	w.ok("init")
	w.ok("push", "--yes")
	w.kept["shared"] = slices.Clone(w.kept["main"])
	w.git("clone", "-q", remote, other.dir)
	other.ok("init")
	theirs := id(w.t, other.ok("record", "-a", "theirs", "--json"))
	other.ok("remember", "lock", "theirs")
	other.ok("commit", "-m", "Theirs")
	other.ok("branch", "far", "--purpose", "Far away")
	w.kept["far"] = []string{id(w.t, other.ok("record", "-a", "far", "--json"))}
	other.ok("commit", "-m", "Work on far")
	other.ok("push")
	w.kept["theirs"] = []string{theirs}
	other.git("-C", remote, "gc", "-q")
	if err := os.RemoveAll(other.dir); err != nil {
		w.t.Fatal(err)
	}
}

// record appends steps to a branch.
func (w *killWorld) record(branch string, n int) {
	w.t.Helper()
	for i := range n {
		out := w.ok("-b", branch, "record", "-a", fmt.Sprint(branch, " ", i), "--json")
		w.kept[branch] = append(w.kept[branch], id(w.t, out))
	}
}

// copied is a world of its own. What names the folder by its path is corrected.
func (w *killWorld) copied(t testing.TB) *killWorld {
	t.Helper()
	root := t.TempDir()
	c := &killWorld{world: new(world), root: root, kept: map[string][]string{}}
	*c.world = *w.world
	c.t, c.dir = t, filepath.Join(root, filepath.Base(w.dir))
	c.env = append(slices.Clone(w.env), "KILL_ROOT="+root)
	for branch, ids := range w.kept {
		c.kept[branch] = slices.Clone(ids)
	}
	if out, err := exec.Command("cp", "-a", w.root+"/.", root).CombinedOutput(); err != nil {
		t.Fatalf("cp: %v\n%s", err, out)
	}
	for _, pattern := range []string{"code/.git/worktrees/*/gitdir", "*/.git"} {
		found, err := filepath.Glob(filepath.Join(root, pattern))
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range found {
			c.moved(path, w.root)
		}
	}
	return c
}

// moved corrects a file, of a linked worktree, that names the folder that was copied.
func (w *killWorld) moved(path, from string) {
	w.t.Helper()
	info, err := os.Stat(path)
	if err != nil || info.IsDir() {
		return
	}
	data, err := os.ReadFile(path)
	if err == nil {
		err = os.WriteFile(path, []byte(strings.ReplaceAll(string(data), from, w.root)), 0o666)
	}
	if err != nil {
		w.t.Fatal(err)
	}
}

// refs are all refs and where they stand, CONTEXT_HEAD's target too.
func (w *killWorld) refs() map[string]string {
	w.t.Helper()
	found := map[string]string{}
	for line := range strings.Lines(w.git("for-each-ref", "--format=%(refname) %(objectname)")) {
		name, to, _ := strings.Cut(strings.TrimSpace(line), " ")
		found[name] = to
	}
	if exists(w.gitPath("reftable")) {
		if head, err := w.command(nil, "git", "symbolic-ref", "-q", "CONTEXT_HEAD").Output(); err == nil {
			found["CONTEXT_HEAD"] = "ref: " + strings.TrimSpace(string(head))
		}
	} else {
		found["CONTEXT_HEAD"] = strings.TrimSpace(w.read(".git/CONTEXT_HEAD"))
	}
	return found
}

// beginning are the refs of a list that begin with a prefix.
func beginning(refs map[string]string, prefix string) []string {
	return slices.DeleteFunc(slices.Sorted(maps.Keys(refs)), func(ref string) bool { return !strings.HasPrefix(ref, prefix) })
}
