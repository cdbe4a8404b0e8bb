//go:build unix

package test

import (
	"path/filepath"
	"testing"
)

// What people do is no problem, however odd it looks: numbers that begin again with a branch
// of an old name, two clones that count alike, histories without a common beginning, what was
// forgotten, what a shallow or a partial clone leaves out.
func TestFsckIsQuietAboutWhatPeopleDo(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	quiet := func(at *world, after string) {
		t.Helper()
		if found := at.problems(); len(found) > 0 {
			t.Errorf("after %s: %+v", after, found)
		}
	}
	step := func(at *world, branch, text string) {
		t.Helper()
		at.ok("record", "-b", branch, "-o", text)
		at.ok("commit", "-b", branch, "-m", "Saw "+text)
	}
	step(w, "main", "one")
	w.ok("branch", "exp", "--purpose", "try it")
	step(w, "exp", "two")
	w.ok("switch", "main")
	step(w, "main", "three")
	w.ok("merge", "main", "--into", "exp")
	w.ok("switch", "main")
	w.ok("merge", "exp")
	step(w, "exp", "it again")
	quiet(w, "merges in both directions")

	w.ok("branch", "-m", "exp", "kept")
	step(w, "kept", "another name")
	w.ok("branch", "exp", "--no-switch")
	step(w, "exp", "a number twice")
	w.ok("merge", "exp")
	w.ok("merge", "kept")
	w.ok("branch", "left", "--no-switch")
	step(w, "left", "in vain")
	w.ok("branch", "-D", "left", "--yes")
	w.ok("branch", "idea", "--no-switch")
	w.ok("merge", "idea", "--abandon")
	quiet(w, "renames and deletions")

	hub := w.beside("hub.git")
	w.git("init", "-q", "--bare", hub)
	w.git("-C", hub, "config", "uploadpack.allowFilter", "true")
	w.git("push", "-q", hub, "HEAD:refs/heads/main")
	clone := func(name string, args ...string) *world {
		t.Helper()
		w.git(append(append([]string{"clone", "-q"}, args...), "file://"+hub, w.beside(name))...)
		c := w.inDir(w.beside(name))
		c.ok("init")
		return c
	}
	other := clone("other") // makes a memory of its own: the hub has none yet
	step(other, "main", "elsewhere")
	w.git("remote", "add", "origin", hub)
	w.ok("init")
	w.ok("push", "--yes")
	other.ok("sync")
	step(w, "main", "at once")
	step(other, "main", "at once, too")
	other.ok("sync")
	w.ok("sync")
	other.ok("sync")
	quiet(w, "a sync")
	quiet(other, "a sync with what began elsewhere")

	w.ok("expunge", "--match", "two", "--yes")
	step(w, "main", "what follows")
	w.ok("rollback", "main~4")
	quiet(w, "an expunge and a rollback")
	w.git("config", "context.notes", "lazy")
	step(w, "main", "no note")
	quiet(w, "lazy notes")
	if mended := w.problems("--fix"); len(mended) > 0 {
		t.Errorf("lazy notes: %+v", mended)
	}

	for name, args := range map[string][]string{"shallow": {"--depth=1"}, "blobless": {"--filter=blob:none"}, "treeless": {"--filter=tree:0"}} {
		c := clone(name, args...)
		c.git(append([]string{"fetch", "-q"}, args...)...)
		before := c.packFiles()
		quiet(c, "a "+name+" clone")
		if after := c.packFiles(); len(after) != len(before) {
			t.Errorf("looking at a %s clone fetched: %v, and %v before", name, after, before)
		}
	}
}

// packFiles are the packs of a repository.
func (w *world) packFiles() []string {
	w.t.Helper()
	packs, err := filepath.Glob(w.gitPath("objects", "pack", "*.pack"))
	if err != nil {
		w.t.Fatal(err)
	}
	return packs
}
