//go:build unix

package test

import (
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/git-context/git-context/internal/gittest"
)

// broken is one way in which memory, or what stands around it, can break.
type broken struct {
	name    string
	kind    string // of the one problem that it makes
	fixable bool   // by --fix; else by the command that is said to repair it
	breaks  func(w *world)

	// byHand is what people do where no command can be said; nil: the repair is one.
	byHand func(w *world)
	// after looks at what the mending made; nil: that nothing is broken is enough.
	after func(w *world)
}

// brokenRows are all of them.
func brokenRows() []broken {
	return slices.Concat(localRows(), memoryRows(), gcRows())
}

// Each thing that breaks is found, as one problem and no other, by a look that touches
// nothing; what is said to mend it does, and no acknowledged step is lost by it.
func TestFsckFindsEachBrokenThing(t *testing.T) {
	t.Parallel()
	p := prepare(t)
	t.Run("nothing", func(t *testing.T) {
		t.Parallel()
		w := p.world(t)
		for _, at := range []*world{w, w.inDir(w.beside("linked"))} {
			if found := slices.Concat(at.problems(), at.problems("--fix")); len(found) > 0 {
				t.Errorf("found in '%s': %+v", at.dir, found)
			}
		}
	})
	for _, b := range brokenRows() {
		t.Run(b.name, func(t *testing.T) {
			t.Parallel()
			w := p.world(t)
			b.breaks(w)
			repair := w.findsOnly(b)
			switch {
			case b.fixable:
				if again := w.problems("--fix"); len(again) != 1 || again[0].Kind != b.kind || !again[0].Fixed {
					t.Errorf("--fix: %+v", again)
				}
			case b.byHand != nil:
				b.byHand(w)
			default:
				if out, err := w.command(nil, "sh", "-c", repair).CombinedOutput(); err != nil {
					t.Errorf("repair '%s': %v\n%s", repair, err, out)
				}
			}
			if left := w.problems(); len(left) > 0 {
				t.Errorf("left once mended: %+v", left)
			}
			if b.after != nil {
				b.after(w)
			}
			for branch, ids := range p.steps {
				w.once(branch, ids)
			}
			w.sound()
		})
	}
}

// problem is one that fsck finds.
type problem struct {
	Kind, Object, Message, Repair string
	Fixed                         bool
}

// problems are those that fsck finds, which says by its exit code whether there are any.
func (w *world) problems(args ...string) []problem {
	w.t.Helper()
	out, err := w.command(nil, w.bin, append([]string{"fsck", "--json"}, args...)...).Output()
	var exit *exec.ExitError
	if err != nil && (!errors.As(err, &exit) || exit.ExitCode() != 1) {
		w.t.Fatalf("fsck: %v", err)
	}
	var v struct{ Problems []problem }
	if err := json.Unmarshal(out, &v); err != nil {
		w.t.Fatal(err)
	}
	if left := slices.ContainsFunc(v.Problems, func(p problem) bool { return !p.Fixed }); left != (err != nil) {
		w.t.Errorf("it ends with %v: %+v", err, v.Problems)
	}
	return v.Problems
}

// findsOnly holds that fsck finds one problem and leaves everything as it is. It returns
// the repair.
func (w *world) findsOnly(b broken) string {
	w.t.Helper()
	before := w.files()
	found := w.problems()
	if len(found) != 1 || found[0].Kind != b.kind || found[0].Repair == "" {
		w.t.Fatalf("found %+v; want one %s", found, b.kind)
	}
	after := w.files()
	for name, sum := range before {
		if after[name] != sum {
			w.t.Errorf("'%s' was changed by looking", name)
		}
	}
	for name := range after {
		if _, ok := before[name]; !ok {
			w.t.Errorf("'%s' was made by looking", name)
		}
	}
	const fix = "git context fsck --fix"
	if b.fixable != (found[0].Repair == fix) {
		w.t.Errorf("repair '%s'; fixable by --fix: %v", found[0].Repair, b.fixable)
	}
	return found[0].Repair
}

// files are the contents of the git directory, without the locks and caches that every
// command makes.
func (w *world) files() map[string]string {
	w.t.Helper()
	sums := map[string]string{}
	root := w.gitPath()
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		switch slashed := filepath.ToSlash(name); {
		case slashed == "context/lock", slashed == "context/cache", slashed == "context/tmp":
			return filepath.SkipDir
		case d.IsDir(), strings.HasPrefix(slashed, "context/config"), strings.HasPrefix(slashed, "context/git-"):
			return nil
		case !d.Type().IsRegular():
			sums[name] = d.Type().String()
			return nil
		}
		data, err := os.ReadFile(path)
		if errors.Is(err, fs.ErrPermission) { // which is what is broken
			sums[name] = "unreadable"
			return nil
		}
		sums[name] = fmt.Sprintf("%x", sha256.Sum256(data))
		return err
	})
	if err != nil {
		w.t.Fatal(err)
	}
	return sums
}

// gitPath is a path below the git directory.
func (w *world) gitPath(parts ...string) string {
	return filepath.Join(append([]string{w.dir, ".git"}, parts...)...)
}

// beside is a directory beside the repository: the linked worktree `linked`, and the
// remote `remote.git`.
func (w *world) beside(name string) string { return filepath.Join(filepath.Dir(w.dir), name) }

// put writes a file below the git directory, and its directory.
func (w *world) put(name, text string) {
	w.t.Helper()
	if strings.HasPrefix(name, "refs/") || strings.HasSuffix(name, "CONTEXT_HEAD") {
		gittest.NeedRefFiles(w.t)
	}
	path := w.gitPath(filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		w.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		w.t.Fatal(err)
	}
}

// prepared is a world with a bit of everything, which is copied for each row.
type prepared struct {
	root  string
	env   []string
	bin   string
	steps map[string][]string // what was acknowledged, by branch
}

// prepare makes it: milestones and pending steps on three branches, a merged one,
// topics, a milestone with a score, a tag, a deleted branch, a link, a bare remote that
// it was synced with, and a linked worktree on a branch of its own.
func prepare(t *testing.T) *prepared {
	t.Helper()
	w := newWorld(t)
	p := &prepared{root: filepath.Dir(w.dir), env: w.env, bin: w.bin, steps: map[string][]string{}}
	record := func(branch string, n int) {
		for i := range n {
			step := id(t, w.ok("record", "-b", branch, "-o", fmt.Sprintf("%s saw %d", branch, len(p.steps[branch])+i), "-a", "go on", "--json"))
			p.steps[branch] = append(p.steps[branch], step)
		}
	}
	record("main", 2)
	w.ok("commit", "-m", "First", "--progress", "Begun", "--todo", "Measure", "--score", "0.5")
	w.ok("remember", "pool", "It holds ten connections")
	w.ok("tag", "best")
	w.ok("branch", "done", "--purpose", "Try a cache")
	record("done", 2)
	w.ok("commit", "-m", "Cached")
	w.ok("switch", "main")
	w.ok("merge", "done")
	p.steps["main"] = append(p.steps["main"], p.steps["done"]...)
	delete(p.steps, "done") // where they stand too
	w.ok("branch", "exp/pool", "--purpose", "Try a pool", "--no-switch")
	record("exp/pool", 2)
	w.ok("commit", "-b", "exp/pool", "-m", "Pooled")
	w.ok("branch", "gone", "--no-switch")
	w.ok("branch", "-d", "gone")
	w.write("file", "text")
	w.git("add", "file")
	w.ok("commit", "--code", "-m", "Linked")
	w.git("init", "-q", "--bare", w.beside("remote.git"))
	w.git("remote", "add", "origin", "../remote.git")
	w.ok("init")
	w.git("push", "-q", "origin", "main")
	w.ok("push", "origin", "--yes")
	w.ok("sync")
	w.git("worktree", "add", "-q", "-b", "side", w.beside("linked"))
	w.inDir(w.beside("linked")).ok("switch", "exp/pool")
	record("main", 2)
	record("exp/pool", 1)
	w.git("repack", "-adq") // few files, for it is copied often
	for _, samples := range []string{w.gitPath("hooks"), filepath.Join(w.beside("remote.git"), "hooks")} {
		if err := os.RemoveAll(samples); err != nil {
			t.Fatal(err)
		}
	}
	return p
}

// inDir is the same world, seen from another directory.
func (w *world) inDir(dir string) *world {
	other := *w
	other.dir = dir
	return &other
}

// world copies the repository, its worktree and its remote to another place.
func (p *prepared) world(t *testing.T) *world {
	t.Helper()
	root := t.TempDir()
	if err := os.CopyFS(root, os.DirFS(p.root)); err != nil {
		t.Fatal(err)
	}
	w := &world{t: t, dir: filepath.Join(root, "code"), env: p.env, bin: p.bin}
	// By hand: the copy's files name the first worktree, which `git worktree repair`
	// finds whole, and would mend that one.
	w.put("worktrees/linked/gitdir", filepath.Join(w.beside("linked"), ".git")+"\n")
	if err := os.WriteFile(filepath.Join(w.beside("linked"), ".git"), []byte("gitdir: "+w.gitPath("worktrees", "linked")+"\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	return w
}
