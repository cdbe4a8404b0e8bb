//go:build unix

package test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// soaking says whether the long forms of the tests were asked for (make soak).
func soaking() bool { return os.Getenv("GIT_CONTEXT_SOAK") == "1" }

// agent works in a clone, or a worktree, of its own, on one memory branch.
type agent struct {
	*world
	name     string
	mark     string // see nothingRuns
	branch   string
	steps    []string // ids that were acknowledged
	commits  []string
	attempts []int // of each sync that came to an end
}

// fleet is agents that share a server.
type fleet struct {
	*server
	t      testing.TB
	agents []*agent
}

// memoryKinds are the servers that memory can be shared through: also one that
// takes branches alone, by the heads mapping.
func memoryKinds() []serverKind {
	var kinds []serverKind
	for _, k := range serverKinds {
		if k.takes != "none" {
			kinds = append(kinds, k)
		}
	}
	return kinds
}

// launch serves a memory and lets n agents clone it.
func (k serverKind) launch(t testing.TB, n int) *fleet {
	t.Helper()
	f := &fleet{server: k.serve(t), t: t}
	first := f.member(k)
	first.ok("init", "--goal", "Share everything")
	first.ok("push", "--yes")
	for i := range n {
		w := f.member(k)
		w.ok("init")
		name := fmt.Sprint("agent-", i)
		w.env = append(w.env, "GIT_CONTEXT_AGENT="+name)
		f.agents = append(f.agents, &agent{world: w, name: name, mark: userMark + w.dir, branch: "main"})
	}
	return f
}

// member is a user in a clone, told which mapping the server wants.
func (f *fleet) member(k serverKind) *world {
	w := f.clone(f.t)
	if !k.takesMemory() {
		w.git("config", "context.origin.mapping", "heads")
	}
	return w
}

// each runs work for all agents at once.
func (f *fleet) each(work func(a *agent)) {
	var wg sync.WaitGroup
	for _, a := range f.agents {
		wg.Go(func() { work(a) })
	}
	wg.Wait()
}

// work records a step and commits it.
func (a *agent) work(i int) {
	a.t.Helper()
	a.steps = append(a.steps, id(a.t, a.ok("-b", a.branch, "record", "-a", fmt.Sprintf("%s does %d", a.name, i), "--json")))
	a.commits = append(a.commits, id(a.t, a.ok("-b", a.branch, "commit", "-m", fmt.Sprintf("%s: %d", a.name, i), "--json")))
}

// synced is what a sync prints with --json.
type synced struct {
	Remote                  string
	Fetched, Merged, Pushed []string
	Attempts                int
}

// sync runs a sync, which must succeed.
func (a *agent) sync() synced {
	a.t.Helper()
	res, err := a.trySync(nil)
	if err != nil {
		a.t.Errorf("%s: git context sync: %v", a.name, err)
		return res
	}
	a.attempts = append(a.attempts, res.Attempts)
	return res
}

// trySync runs a sync that may fail, started by start if that is not nil.
func (a *agent) trySync(start func(*exec.Cmd) error) (res synced, err error) {
	var out, errs bytes.Buffer
	cmd := a.command(nil, a.bin, "sync", "--json")
	cmd.Stdout, cmd.Stderr = &out, &errs
	if start == nil {
		start = (*exec.Cmd).Start
	}
	if err := start(cmd); err != nil {
		return res, err
	}
	if err := cmd.Wait(); err != nil {
		return res, fmt.Errorf("%w: %s", err, &errs)
	}
	return res, json.Unmarshal(out.Bytes(), &res)
}

// settled holds, after a last sync in every clone, that every acknowledged step
// and milestone stands exactly once in every clone, in a fresh one, and so on the
// server, and that git finds nothing wrong anywhere.
func (f *fleet) settled(k serverKind) {
	f.t.Helper()
	for range 2 { // the second brings the first ones what the last one had left
		for _, a := range f.agents {
			a.sync()
		}
	}
	fresh := f.member(k)
	fresh.ok("init")
	want := map[string]*agent{} // what is acknowledged, by branch
	for _, a := range f.agents {
		all := want[a.branch]
		if all == nil {
			all = &agent{branch: a.branch}
			want[a.branch] = all
		}
		all.steps, all.commits = append(all.steps, a.steps...), append(all.commits, a.commits...)
	}
	for _, all := range want {
		places := []*world{fresh}
		for _, a := range f.agents {
			places = append(places, a.world)
		}
		tips := map[string]bool{}
		for _, w := range places {
			tips[w.holds(all)] = true
		}
		if len(tips) != 1 {
			f.t.Errorf("%s has %d tips after the last sync", all.branch, len(tips))
		}
	}
	for _, a := range f.agents {
		a.sound()
	}
	fresh.sound()
	for line := range strings.Lines(fresh.git("-C", f.dir, "fsck", "--strict", "--no-dangling")) {
		f.t.Errorf("git fsck of the server: %s", line)
	}
	f.report()
}

// holds checks a clone for all that was acknowledged on a branch, and returns
// the branch's tip.
func (w *world) holds(all *agent) string {
	w.t.Helper()
	branch := all.branch
	if w.command(nil, "git", "rev-parse", "-q", "--verify", "refs/context/heads/"+branch).Run() != nil {
		w.ok("switch", branch) // only the remote had it
	}
	w.once(branch, all.steps)
	var v struct{ Commits []struct{ ID string } }
	if err := json.Unmarshal(w.ok("--branch", branch, "--limit", "100000", "--json"), &v); err != nil {
		w.t.Fatal(err)
	}
	count := map[string]int{}
	for _, c := range v.Commits {
		count[c.ID]++
	}
	for _, id := range all.commits {
		if count[id] != 1 {
			w.t.Errorf("%s: acknowledged milestone %s of '%s' stands %d times", w.dir, id, branch, count[id])
		}
	}
	for id, n := range count {
		if n != 1 {
			w.t.Errorf("%s: milestone %s of '%s' stands %d times", w.dir, id, branch, n)
		}
	}
	return w.tip(branch)
}

// tip is the memory commit that a branch, or a revision of it, names.
func (w *world) tip(branch string) string {
	w.t.Helper()
	return strings.TrimSpace(w.git("rev-parse", "--verify", "refs/context/heads/"+branch))
}

// report logs how often syncs had to try again.
func (f *fleet) report() {
	syncs, retries, worst := 0, 0, 0
	for _, a := range f.agents {
		for _, n := range a.attempts {
			syncs++
			retries += max(n-1, 0)
			worst = max(worst, n)
		}
	}
	f.t.Logf("%d syncs, %d retries, at worst %d attempts", syncs, retries, worst)
}

// unlock takes away the locks that a killed git left in a repository, as git's
// message tells the user to.
func unlock(t testing.TB, gitDir string) {
	t.Helper()
	err := filepath.WalkDir(gitDir, func(path string, e os.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case e.IsDir() && (e.Name() == "objects" || e.Name() == "context" && filepath.Dir(path) == gitDir):
			return filepath.SkipDir // no git locks there
		case strings.HasSuffix(path, ".lock"):
			t.Logf("%s was left by a killed git", path)
			return os.Remove(path)
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}
