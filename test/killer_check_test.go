//go:build unix

package test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// settle makes locks old, has fsck take them away, and looks for what was acknowledged.
func (k *killer) settle() {
	nothingRuns(k.t, k.dir)
	old := time.Now().Add(-11 * time.Minute)
	for _, lock := range k.locks() {
		err := os.Chtimes(lock, old, old)
		if !ofMemory(lock) { // the user's own, as is left whenever git is killed
			err = os.Remove(lock)
		}
		if err != nil {
			k.t.Error(err)
		}
	}
	for _, dir := range []string{k.clones[0].dir, k.clones[1].dir, k.clones[0].beside("origin.git")} {
		w := k.clones[0].inDir(dir)
		_ = w.command(nil, w.bin, "fsck", "--fix").Run() // what it leaves the next one says
		if out, err := w.command(nil, w.bin, "fsck").CombinedOutput(); err != nil {
			k.t.Errorf("fsck of %s, once mended: %v\n%s", filepath.Base(dir), err, out)
		}
	}
	if left := k.locks(); len(left) > 0 {
		k.t.Errorf("locks were left: %v", left)
	}
	for _, c := range k.clones {
		c.holdsTouched()
	}
}

// ofMemory reports whether a lock is that of a ref of memory, or of all packed refs.
func ofMemory(lock string) bool {
	for _, part := range []string{"/refs/context/", "/refs/notes/", "/CONTEXT_HEAD.lock", "/packed-refs.lock"} {
		if strings.Contains(lock, part) {
			return true
		}
	}
	return false
}

// holdsTouched holds that what was acknowledged on branches that were worked on is
// there, once.
func (c *killClone) holdsTouched() {
	for branch := range c.touched {
		c.found(branch)
	}
	for branch := range c.touched {
		c.holdsBranch(branch)
	}
	clear(c.touched)
}

// found brings a branch back that was deleted, and learns whether it was renamed.
func (c *killClone) found(branch string) {
	there := func(branch string) bool {
		return c.command(nil, "git", "rev-parse", "-q", "--verify", "refs/context/heads/"+branch).Run() == nil
	}
	switch now := c.renamed[branch]; {
	case there(branch):
	case now != "" && (c.touched[now] || there(now)):
		c.steps[now] = append(c.steps[now], c.steps[branch]...)
		c.milestones[now] = append(c.milestones[now], c.milestones[branch]...)
		delete(c.steps, branch)
		delete(c.milestones, branch)
		c.touched[now] = true
		c.found(now)
	default:
		c.ok("branch", "--restore", branch)
	}
}

func (c *killClone) holdsBranch(branch string) {
	if len(c.steps[branch]) > 0 {
		c.once(branch, c.steps[branch])
	}
	if len(c.milestones[branch]) == 0 {
		return
	}
	var v struct{ Commits []struct{ ID string } }
	if err := json.Unmarshal(c.ok("--branch", branch, "--limit", "100000", "--json"), &v); err != nil {
		c.t.Error(err)
	}
	count := map[string]int{}
	for _, m := range v.Commits {
		count[m.ID]++
	}
	for _, id := range c.milestones[branch] {
		if count[id] != 1 {
			c.t.Errorf("acknowledged milestone %s of %s stands %d times", id, branch, count[id])
		}
	}
}

// finish brings the clones together: main has all that was acknowledged in any.
func (k *killer) finish() {
	var steps, milestones []string
	for _, c := range k.clones {
		steps, milestones = append(steps, c.steps["main"]...), append(milestones, c.milestones["main"]...)
		c.ok("commit", "-b", "main", "-m", "the rest")
	}
	for range 2 {
		for _, c := range k.clones {
			c.ok("sync")
		}
	}
	for _, c := range k.clones {
		for branch := range c.steps {
			c.touched[branch] = true
		}
		c.holdsTouched()
		c.steps["main"], c.milestones["main"] = steps, milestones
		c.holdsBranch("main")
		c.sound()
	}
	if a, b := k.clones[0].tip("main"), k.clones[1].tip("main"); a != b {
		k.t.Errorf("main is %s in one clone and %s in the other", a, b)
	}
}
