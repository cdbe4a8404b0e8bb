//go:build unix

package test

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/git-context/git-context/internal/gittest"
)

// killer kills at random whatever works on memory in several clones of a remote.
type killer struct {
	t       *testing.T
	dir     string // of all of them
	trace   string // to be imported
	clones  []*killClone
	kills   int          // that are wanted
	hits    atomic.Int64 // processes that were at work when they were killed
	done    atomic.Int64 // commands that ended by themselves
	over    atomic.Bool  // the round is
	counter atomic.Int64 // makes names
}

// killClone is one clone, and what was acknowledged in it. Its branches are not those
// of the others, but for main.
type killClone struct {
	*world
	k          *killer
	mu         sync.Mutex
	steps      map[string][]string // ids, by branch
	milestones map[string][]string
	alive      []string          // branches to work on, besides main
	renamed    map[string]string // as far as it is known: the command may have been killed
	touched    map[string]bool   // since it was looked at
}

// killActor runs one command after another, in one worktree of a clone.
type killActor struct {
	*killClone
	name   string
	dir    string
	rng    *rand.Rand
	took   map[string]time.Duration // how long a command of that name takes, about
	topics [][2]string              // that it remembered: branch and key
}

// Commands of all kinds are killed at random moments: the process, or with it all that
// it started, or of those one alone. Agents work beside each other and beside the
// user's own git; a round ends when something has left a lock, which fsck then takes
// away. Whatever was acknowledged is there, once.
func TestKiller(t *testing.T) {
	t.Parallel()
	kills, seed := 40, uint64(1)
	if soaking() {
		kills = 600
	}
	k := newKiller(t, kills)
	rounds, begin := 0, time.Now()
	for ; int(k.hits.Load()) < kills && !t.Failed() && time.Since(begin) < 20*time.Minute; rounds++ {
		k.round(seed, rounds)
		k.settle()
	}
	if n := int(k.hits.Load()); n < kills {
		t.Errorf("only %d of %d were killed at work", n, kills)
	}
	k.finish()
	steps, milestones := 0, 0
	for _, c := range k.clones {
		for _, ids := range c.steps {
			steps += len(ids)
		}
		for _, ids := range c.milestones {
			milestones += len(ids)
		}
	}
	t.Logf("figures: %d kills at work in %d rounds, %d commands beside them, %d steps and %d milestones acknowledged, losses 0, %s",
		k.hits.Load(), rounds, k.done.Load(), steps, milestones, time.Since(begin).Round(time.Second))
}

// newKiller makes a remote and two clones, the first with a linked worktree.
func newKiller(t *testing.T, kills int) *killer {
	w := newWorld(t)
	w.write("f", "first\n")
	w.git("add", ".")
	w.git("commit", "-q", "-m", "code")
	remote := w.beside("origin.git")
	w.git("init", "-q", "--bare", remote)
	w.git("remote", "add", "origin", remote)
	w.git("push", "-q", "origin", "HEAD:refs/heads/main")
	w.ok("init")
	w.ok("push", "--yes")
	other := w.inDir(w.beside("other"))
	w.git("clone", "-q", remote, other.dir)
	other.ok("init")
	w.git("worktree", "add", "-q", "-b", "linked", w.beside("linked"))
	trace, err := filepath.Abs("testdata/pool.traj")
	if err != nil {
		t.Fatal(err)
	}
	k := &killer{t: t, dir: filepath.Dir(w.dir), trace: trace, kills: kills}
	for _, w := range []*world{w, other} {
		w.inBackground(100) // some start in the background too
		w.env = append(slices.Clone(w.env), "KILL_ROOT="+k.dir)
		k.clones = append(k.clones, &killClone{world: w, k: k, steps: map[string][]string{}, milestones: map[string][]string{},
			renamed: map[string]string{}, touched: map[string]bool{}})
	}
	return k
}

// round lets everybody work until something is left that stops others.
func (k *killer) round(seed uint64, n int) {
	k.over.Store(false)
	var wg sync.WaitGroup
	work := func(c *killClone, dir string, i int) {
		a := &killActor{killClone: c, name: fmt.Sprint("actor-", i), dir: dir, took: map[string]time.Duration{},
			rng: rand.New(rand.NewPCG(seed, uint64(n*100+i)))}
		wg.Go(func() {
			for step := 0; step < 40 && !k.over.Load() && int(k.hits.Load()) < k.kills; step++ {
				a.act()
			}
			k.over.Store(true)
		})
	}
	first, second := k.clones[0], k.clones[1]
	work(first, first.dir, 0)
	work(first, first.dir, 1)
	work(first, first.beside("linked"), 2)
	work(second, second.dir, 3)
	user := rand.New(rand.NewPCG(seed, uint64(n*100+50)))
	wg.Go(func() {
		for !k.over.Load() {
			k.user(user)
		}
	})
	wg.Wait()
}

// user does what people do with git, which must never fail because of memory.
func (k *killer) user(rng *rand.Rand) {
	c := k.clones[rng.IntN(len(k.clones))]
	args := [][]string{
		{"commit", "-q", "--allow-empty", "-m", "by hand"}, {"commit", "-q", "--allow-empty", "-m", "by hand"},
		{"fetch", "-q"}, {"repack", "-q", "-d"}, {"pack-refs", "--all"}, {"gc", "-q"}, {"status"}, {"log", "-3"},
	}
	do := args[rng.IntN(len(args))]
	out, err := c.command(nil, "git", do...).CombinedOutput()
	beside := func(words string) bool { return strings.Contains(string(out), words) }
	if err != nil && (beside("unable to add cruft objects") || beside("could not find pack") || beside("renaming pack to ")) {
		// Since 2.41 git's gc fails if any other process deletes a pack beside it, git's own maintenance too, and says one of these. The next one
		// must not.
		out, err = c.command(nil, "git", do...).CombinedOutput()
	}
	if err != nil && !lockedOut(string(out)) {
		k.t.Errorf("git %s: %v\n%s", strings.Join(do, " "), err, out)
	}
	time.Sleep(time.Duration(rng.IntN(60)) * time.Millisecond)
}

// lockedOut reports whether git gave way to another writer. Of a reftable, which has one lock, it does not name the lock file.
func lockedOut(said string) bool {
	words := []string{".lock", "cannot lock ref"}
	if gittest.Reftable() {
		words = append(words, "unable to compact stack: data is locked", "unable to compact stack: data concurrently modified")
	}
	return slices.ContainsFunc(words, func(w string) bool { return strings.Contains(said, w) })
}

// act runs one command, and kills every second one.
func (a *killActor) act() {
	d := a.choose()
	args, stdin := d.args(a)
	if args == nil {
		return
	}
	cmd := a.command([]string{"GIT_CONTEXT_AGENT=" + a.name}, a.bin, args...)
	cmd.Dir, cmd.Stdin = a.dir, strings.NewReader(stdin)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	begin := time.Now()
	if err := cmd.Start(); err != nil {
		a.t.Error(err)
		return
	}
	child := false
	took := max(a.took[args[0]], 5*time.Millisecond)
	if a.rng.IntN(2) == 0 {
		// Until it is waited for its id is nobody else's, although it may have ended.
		time.Sleep(time.Duration(a.rng.Int64N(int64(took))))
		child = strike(cmd.Process.Pid, a.k.dir, a.rng)
	}
	err := cmd.Wait()
	if err == nil {
		a.took[args[0]] = (took + time.Since(begin)) / 2
	}
	if d.ack != nil {
		d.ack(a, args, out.Bytes(), err)
	}
	a.judge(args, errs.String(), err, child)
}

// judge counts what was hit, and holds that what was not ended well.
func (a *killActor) judge(args []string, errs string, err error, child bool) {
	var exit *exec.ExitError
	killed := errors.As(err, &exit) && exit.Sys().(syscall.WaitStatus).Signal() == syscall.SIGKILL
	switch {
	case killed || child:
		a.k.hits.Add(1)
		if len(a.k.locks()) > 0 {
			a.k.over.Store(true) // others would wait for it in vain
		}
	case err == nil || expected(errs) || len(a.k.locks()) > 0:
		a.k.done.Add(1)
	default:
		a.t.Errorf("git-context %s: %v\n%s", strings.Join(args, " "), err, errs)
	}
	if strings.Contains(errs, "panic:") || strings.Contains(errs, "goroutine ") {
		a.t.Errorf("git-context %s: %s", strings.Join(args, " "), errs)
	}
}

// expected reports whether an error is what comes of others who work beside.
func expected(errs string) bool {
	for _, code := range []string{"busy", "branch-not-found", "branch-closed", "branch-current", "ref-locked",
		"push-refused", "topic-not-found", "milestone-not-found", "code-refused", "branch-busy", "nothing-changed"} {
		if strings.Contains(errs, `"code":"`+code+`"`) {
			return true
		}
	}
	return false
}

// locks are the lock files of git's in all repositories. Most are gone a moment later:
// those that are seen twice are meant.
func (k *killer) locks() []string {
	seen := map[string]bool{}
	var left []string
	for try := range 2 {
		err := filepath.WalkDir(k.dir, func(path string, d fs.DirEntry, err error) error {
			if err == nil && d.IsDir() && d.Name() == "objects" {
				return fs.SkipDir
			}
			if err == nil && !d.IsDir() && strings.HasSuffix(path, ".lock") {
				if try == 1 && seen[path] {
					left = append(left, path)
				}
				seen[path] = true
			}
			return nil // what goes away meanwhile is of no interest
		})
		if err != nil {
			k.t.Error(err)
		}
		if len(seen) == 0 {
			return nil
		}
		time.Sleep(20 * time.Millisecond)
	}
	return left
}
