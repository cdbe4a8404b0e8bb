//go:build unix

package test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// crowd is how many agents make how many commits each.
func crowd() (agents, each int) {
	if soaking() {
		return 16, 20
	}
	return 4, 5
}

// Many clones commit to one branch and sync after every commit.
func TestSyncOfOneBranch(t *testing.T) {
	t.Parallel()
	agents, each := crowd()
	for _, k := range memoryKinds() {
		t.Run(k.name, func(t *testing.T) {
			t.Parallel()
			f := k.launch(t, agents)
			f.each(func(a *agent) {
				for i := range each {
					a.work(i)
					before := a.tip("main")
					a.sync()
					a.mergedOnce(before)
				}
			})
			f.settled(k)
		})
	}
}

// mergedOnce holds that a sync kept one merge of its own at most, however often it
// tried. Others may have merged on top of that before the notes got through.
func (a *agent) mergedOnce(before string) {
	a.t.Helper()
	own := strings.Fields(a.git("rev-list", "--merges", "--grep=^Agent: "+a.name+"$", before+"..refs/context/heads/main"))
	if len(own) > 1 {
		a.t.Errorf("%s had %s, and made %d merges in one sync: %v", a.name, before, len(own), own)
	}
}

// Many clones, each with a branch of its own, meet in the notes alone: no push of
// a branch is ever rejected.
func TestSyncOfOwnBranches(t *testing.T) {
	t.Parallel()
	agents, each := crowd()
	kinds := memoryKinds()
	if !soaking() { // the way to the server makes no difference here; the names there might
		kinds = []serverKind{kinds[0], kinds[len(kinds)-1]}
	}
	for _, k := range kinds {
		t.Run(k.name, func(t *testing.T) {
			t.Parallel()
			f := k.launch(t, agents)
			log := filepath.Join(t.TempDir(), "pushes")
			for i, a := range f.agents {
				a.branch = fmt.Sprint("own/", i)
				a.ok("branch", a.branch, "--purpose", "Own work")
				a.keepPushes(log)
			}
			f.each(func(a *agent) {
				for i := range each {
					a.work(i)
					a.sync()
				}
			})
			rejectedAreNotes(t, log)
			f.settled(k)
		})
	}
}

// A git that keeps what a push says of each ref.
const pushKeeper = `#!/bin/sh
case " $* " in
*" --porcelain "*) ;;
*) exec '%[1]s' "$@" ;;
esac
said=$('%[1]s' "$@")
code=$?
printf '%%s\n' "$said" | tee -a '%[2]s'
exit $code
`

// keepPushes lets git-context find such a git.
func (a *agent) keepPushes(log string) {
	a.t.Helper()
	real, err := exec.LookPath("git")
	if err != nil {
		a.t.Fatal(err)
	}
	dir := a.t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "git"), fmt.Appendf(nil, pushKeeper, real, log), 0o777); err != nil {
		a.t.Fatal(err)
	}
	a.env = append(a.env, "PATH="+dir+string(os.PathListSeparator)+os.Getenv("PATH"))
}

// rejectedAreNotes reads the lines of `git push --porcelain`.
func rejectedAreNotes(t *testing.T, log string) {
	t.Helper()
	data, err := os.ReadFile(log)
	if err != nil {
		t.Fatal(err)
	}
	done, rejected := 0, 0
	for line := range strings.Lines(string(data)) {
		flag, rest, _ := strings.Cut(line, "\t")
		names, _, _ := strings.Cut(rest, "\t")
		switch {
		case flag == "!" && (strings.HasSuffix(names, ":refs/notes/context") || strings.HasSuffix(names, ":refs/heads/context/notes")):
			rejected++
		case flag == "!":
			t.Errorf("rejected: %s", line)
		case len(flag) == 1:
			done++
		}
	}
	if done == 0 {
		t.Errorf("no push got through:\n%s", data)
	}
	t.Logf("of %d updates that were pushed %d were notes that came late", done+rejected, rejected)
}

// Two worktrees of one clone sync at the same time, on one branch and on two.
func TestSyncOfTwoWorktrees(t *testing.T) {
	t.Parallel()
	for _, branch := range []string{"main", "own/linked"} {
		t.Run(branch, func(t *testing.T) {
			t.Parallel()
			k := serverKinds[0]
			f := k.launch(t, 2)
			linked := *f.agents[0].world
			linked.dir = filepath.Join(t.TempDir(), "linked")
			f.agents[0].git("worktree", "add", "-q", linked.dir)
			second := &agent{world: &linked, name: "linked", branch: branch}
			if branch != "main" {
				second.ok("branch", branch, "--purpose", "Own work")
			}
			f.agents = append(f.agents, second)
			f.each(func(a *agent) {
				for i := range 5 {
					a.work(i)
					a.sync()
				}
			})
			f.settled(k)
		})
	}
}

// The user's git collects garbage in clones and on the server meanwhile.
func TestSyncDuringGC(t *testing.T) {
	t.Parallel()
	k := serverKinds[0]
	f := k.launch(t, 3)
	done := make(chan struct{})
	var gc sync.WaitGroup
	for _, dir := range []string{f.agents[0].dir, f.agents[1].dir, f.dir} {
		gc.Go(func() {
			for {
				select {
				case <-done:
					return
				case <-time.After(200 * time.Millisecond):
					f.agents[0].collect(dir)
				}
			}
		})
	}
	f.each(func(a *agent) {
		for i := range 5 {
			a.work(i)
			a.sync()
		}
	})
	close(done)
	gc.Wait()
	f.settled(k)
}

// collect runs git gc as a user may at any time. It gives way where another gc
// runs, and where a ref is locked while it packs refs.
func (w *world) collect(dir string) {
	out, err := w.command(nil, "git", "-C", dir, "gc", "-q").CombinedOutput()
	if err != nil && !strings.Contains(string(out), "gc is already running") && !strings.Contains(string(out), ".lock") {
		w.t.Errorf("git gc: %v\n%s", err, out)
	}
}
