//go:build unix

package test

import (
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// guarded are parts of a repository in which nothing may be written, below its git
// directory; in a soak all that anything is written in.
func guarded(always string) []string {
	if !soaking() {
		return []string{always}
	}
	return []string{".", "context", "context/journal", "context/journal/main.jsonl", "context/lock", "context/cache", "objects", "refs", "refs/notes",
		"refs/context/heads", "logs", "hooks", "config"}
}

// views read, and so work wherever nothing can be written: what is cached is worth no
// error.
func views() [][]string {
	return [][]string{
		{}, {"--log"}, {"--branch", "side"}, {"--commit", "main"}, {"--metadata"}, {"branch"}, {"roadmap"}, {"topics", "--stale"},
		{"log"}, {"diff", "main~1", "main"}, {"search", "step"}, {"recall", "a step"}, {"note", "main"}, {"blame", "kept"}, {"link"},
		{"stats"}, {"tag"}, {"verify"}, {"hooks", "status"}, {"expunge", "--match", "pass-word", "--dry-run"},
	}
}

// refusing is a way to make writing impossible in a part of a repository, for who runs
// commands through some programs; release makes it possible again.
type refusing struct {
	through []string
	cause   string
	guard   func(w *world, part string) (release func())
}

// tries tries commands in a repository while a part of it is guarded: each is done all
// the same, or says why it is not, has changed nothing, and is done when it may be.
func (how refusing) tries(t *testing.T, template *world, part string) {
	failed := 0
	for _, c := range writings(t) {
		if !soaking() && !c.core {
			continue
		}
		base := template.placed(t, filepath.Join(t.TempDir(), "code"))
		base.take(template)
		if c.begin != nil {
			c.begin(base)
		}
		free := base.placed(t, filepath.Join(t.TempDir(), "code"))
		free.take(base)
		if r := free.try(c); r.code != 0 {
			t.Fatalf("%s: exit code %d: %s", c.name, r.code, r.err)
		}
		if !exists(filepath.Join(base.dir, ".git", part)) {
			continue // init makes it
		}
		before := base.image()
		release := how.guard(base, part)
		r := base.try(c, how.through...)
		release()
		if r.code != 0 {
			failed++
			r = base.after(c, r, before, how.cause)
		}
		base.complete(r, free.outcome())
		if t.Failed() {
			t.Fatalf("'%s', where '%s' is guarded", c.name, part)
		}
	}
	t.Logf("figures: %d commands were refused where '%s' is guarded", failed, part)
}

// reads holds that every view works in a repository in dir where nothing can be written,
// and says what it says elsewhere.
func (how refusing) reads(t *testing.T, template *world, dir string) {
	w := template.placed(t, filepath.Join(dir, "code"))
	w.take(template)
	tmp := t.TempDir() // where a rehearsal writes
	if err := os.Chmod(tmp, 0o777); err != nil {
		t.Fatal(err)
	}
	w.openTo(tmp)
	w.env = append(w.env, "TMPDIR="+tmp)
	w.drop("cache") // nothing is found there, and nothing can be kept
	release := how.guard(w, ".")
	found := w.try(writing{args: []string{"fsck"}}, how.through...) // which says nothing else than this
	if strings.Count(found.out, `"kind"`) != strings.Count(found.out, "state-refused") {
		t.Errorf("fsck: %+v", found)
	}
	var got []tried
	for _, args := range views() {
		got = append(got, w.try(writing{args: args}, how.through...))
	}
	release()
	for i, args := range views() {
		if want := w.try(writing{args: args}); got[i] != want {
			t.Errorf("git context %v: %+v\nnot %+v", args, got[i], want)
		}
	}
}

// Whoever has no right to write is told so, whatever part of a repository it is that is
// not theirs, and can read all of it.
func TestDenied(t *testing.T) {
	t.Parallel()
	template := newDisk(t)
	template.git("config", "--global", "safe.directory", "*")
	how := refusing{template.asAnother(), "permission denied", (*world).deny}
	for _, part := range guarded("objects") {
		t.Run(part, func(t *testing.T) {
			t.Parallel()
			how.tries(t, template, part)
		})
	}
	t.Run("views", func(t *testing.T) {
		t.Parallel()
		how.reads(t, template, t.TempDir())
	})
}

// another is a user whom permissions hold, as they do not hold root.
const another = "65534"

// asAnother is through what commands are run for permissions to hold them.
func (w *world) asAnother() (through []string) {
	if os.Getuid() != 0 {
		return nil
	}
	if _, err := exec.LookPath("setpriv"); err != nil {
		w.t.Skip("*** SKIPPED DENIED WRITES: root is denied nothing, and there is no setpriv")
	}
	bin := filepath.Join(w.t.TempDir(), "git-context")
	if out, err := exec.Command("cp", w.bin, bin).CombinedOutput(); err != nil {
		w.t.Fatalf("%v: %s", err, out)
	}
	w.bin = bin
	w.openTo(bin)
	home, _ := strings.CutPrefix(w.env[1], "HOME=")
	w.openTo(home)
	return []string{"setpriv", "--reuid=" + another, "--regid=" + another, "--clear-groups"}
}

// openTo lets everyone pass to a path in a directory of the test's own.
func (w *world) openTo(path string) {
	for p := filepath.Dir(path); len(p) > len(filepath.Clean(os.TempDir())); p = filepath.Dir(p) {
		w.open(p)
	}
}

// deny takes the right to write away in a part of a repository, from whose it is.
func (w *world) deny(part string) (release func()) {
	if os.Getuid() == 0 {
		dir := filepath.Dir(w.dir)
		remote, err := filepath.EvalSymlinks(filepath.Join(dir, "remote.git"))
		if err != nil {
			w.t.Fatal(err)
		}
		if out, err := exec.Command("chown", "-R", another+":"+another, dir, remote).CombinedOutput(); err != nil {
			w.t.Fatalf("%v: %s", err, out)
		}
		w.openTo(w.dir)
		w.openTo(filepath.Join(remote, "HEAD"))
	}
	modes := map[string]fs.FileMode{}
	err := filepath.WalkDir(filepath.Join(w.dir, ".git", part), func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := e.Info()
		modes[path] = info.Mode().Perm()
		return err
	})
	if err != nil {
		w.t.Fatal(err)
	}
	set := func(mask fs.FileMode) {
		for path, mode := range modes {
			if err := os.Chmod(path, mode&mask); err != nil && !errors.Is(err, fs.ErrNotExist) { // an expunge removes
				w.t.Error(err)
			}
		}
	}
	set(^fs.FileMode(0o222))
	w.t.Cleanup(func() { set(0o777) }) // else what is not released cannot be removed
	return func() { set(0o777) }
}
