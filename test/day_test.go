//go:build unix

package test

import (
	"bytes"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// A day is 24 hours of time that pass between the sessions of agents in two clones of a remote.
// Commands take their dates from the environment, and pass makes every file older, so that the ages
// which git, gc and fsck read from files agree with the dates. The day ends in the present: an id
// more than 24 hours ahead of the clock would be refused.
type day struct {
	*world // of the first clone
	root   string
	mark   string
	clones []*dayClone
	now    time.Time
	hits   int // processes that were killed at work, in the whole day
	most   daySize
}

// dayClone is a clone, and what was acknowledged in it, by branch and in order.
type dayClone struct {
	*world
	name          string
	told, commits map[string][]string
	merged        []string             // steps that merges brought to main
	open          []string             // branches to work on, besides main
	closed        []string             // merged or abandoned ones
	deleted       map[string]time.Time // and when
	names         int
}

// daySize is how much there is in a clone.
type daySize struct{ loose, packs, state int }

// What a clone may have at any moment. From dayGCAuto loose objects on, commands start a gc.
const (
	dayGCAuto = 200
	keepFor   = 6 * time.Hour // deleted branches
)

var dayLimits = daySize{loose: 5 * dayGCAuto, packs: 25, state: 150}

// TestDay plays a day: sessions begin, end and are killed, branches are made, merged, abandoned
// and deleted, the clones sync, and our gc and the user's run. At the end what was acknowledged
// exists once, ids increase, the views work, and no clone has grown without bound.
func TestDay(t *testing.T) {
	t.Parallel()
	every := 4 * time.Hour
	if soaking() {
		every = 15 * time.Minute
	}
	d, begin, n := newDay(t), time.Now(), 0
	for played := time.Duration(0); played < 24*time.Hour; played += every {
		d.sessions(n)
		d.pass(every)
		d.upkeep(n)
		n++
	}
	d.finish()
	steps, commits := 0, 0
	for _, c := range d.clones {
		steps, commits = steps+count(c.told), commits+count(c.commits)
	}
	if d.hits == 0 {
		t.Error("no process was killed at work")
	}
	t.Logf("figures: 24 hours in %d sessions, %d killed at work, %d steps and %d commits acknowledged; at most %d loose objects, %d packs, %d files of state; %s",
		2*n, d.hits, steps, commits, d.most.loose, d.most.packs, d.most.state, time.Since(begin).Round(time.Second))
}

func count(lists map[string][]string) (n int) {
	for _, list := range lists {
		n += len(list)
	}
	return n
}

// newDay makes two clones of a remote, 24 hours ago.
func newDay(t *testing.T) *day {
	w := newHome(t)
	d := &day{world: w, root: filepath.Dir(w.dir), now: time.Now().Add(-24 * time.Hour).Truncate(time.Second)}
	d.mark = "KILL_ROOT=" + d.root
	w.env = append(w.env, d.mark)
	d.dated()
	remote := w.beside("origin.git")
	w.git("init", "-q")
	w.git("commit", "-q", "--allow-empty", "-m", "code")
	w.git("init", "-q", "--bare", remote)
	w.git("remote", "add", "origin", remote)
	w.git("push", "-q", "origin", "HEAD:refs/heads/main")
	w.ok("init", "--goal", "Outlast the day")
	w.ok("push", "--yes")
	other := w.inDir(w.beside("other"))
	w.git("clone", "-q", remote, other.dir)
	other.ok("init")
	for i, w := range []*world{w, other} {
		w.inBackground(dayGCAuto)
		d.clones = append(d.clones, &dayClone{world: w, name: fmt.Sprint("clone-", i), told: map[string][]string{},
			commits: map[string][]string{}, deleted: map[string]time.Time{}})
	}
	t.Cleanup(func() { nothingRuns(t, d.mark) })
	return d
}

// dated gives the time of the day to all commands that begin from now on.
func (d *day) dated() {
	date := fmt.Sprintf("@%d +0000", d.now.Unix())
	set := func(w *world) {
		w.env = slices.DeleteFunc(slices.Clone(w.env), func(v string) bool { return strings.Contains(v, "_DATE=") })
		w.env = append(w.env, "GIT_COMMITTER_DATE="+date, "GIT_AUTHOR_DATE="+date)
	}
	set(d.world)
	for _, c := range d.clones {
		set(c.world)
	}
}

// pass lets time pass while nothing runs: every file is so much older.
func (d *day) pass(by time.Duration) {
	d.t.Helper()
	err := filepath.WalkDir(d.root, func(path string, e fs.DirEntry, err error) error {
		if err != nil || !e.Type().IsRegular() {
			return err
		}
		info, err := e.Info()
		if err != nil {
			return err
		}
		then := info.ModTime().Add(-by)
		return os.Chtimes(path, then, then)
	})
	if err != nil {
		d.t.Fatal(err)
	}
	d.now = d.now.Add(by)
	d.dated()
}

// sessions lets one session work in each clone, at the same time.
func (d *day) sessions(n int) {
	d.t.Helper()
	var wg sync.WaitGroup
	var all []*daySession
	for i, c := range d.clones {
		s := &daySession{dayClone: c, now: d.now, root: d.root, rng: rand.New(rand.NewPCG(uint64(n), uint64(i)))}
		all = append(all, s)
		wg.Go(s.play)
	}
	wg.Wait()
	nothingRuns(d.t, d.mark)
	hits := 0
	for _, s := range all {
		hits += s.hits
	}
	for _, s := range all {
		if s.refused != "" && hits == 0 {
			d.t.Errorf("nothing was killed, and %s", s.refused)
		}
	}
	d.hits += hits
	for _, c := range d.clones {
		d.measure(c)
	}
}

// upkeep is what is done between sessions: fsck repairs what killed processes left, which is old
// by now, and the user's git and ours collect garbage.
func (d *day) upkeep(n int) {
	d.t.Helper()
	expire := d.now.Add(-keepFor).Format(time.RFC3339)
	for i, w := range []*world{d.clones[0].world, d.clones[1].world, d.inDir(d.beside("origin.git"))} {
		_ = w.command(nil, w.bin, "fsck", "--fix").Run() // the next one reports what it did not repair
		if out, err := w.command(nil, w.bin, "fsck").CombinedOutput(); err != nil {
			d.t.Errorf("fsck of %s, once repaired: %v\n%s", filepath.Base(w.dir), err, out)
		}
		w.git("config", "context.deletedExpire", expire)
		switch (n + i) % 6 {
		case 0:
			w.ok("gc")
		case 2:
			w.git("gc", "-q", "--prune=1.hour.ago")
		case 4:
			w.git("repack", "-q", "-d")
		}
	}
}

// measure checks how much there is in a clone.
func (d *day) measure(c *dayClone) {
	d.t.Helper()
	p := c.packs()
	now := daySize{loose: p.loose, packs: p.packs}
	err := filepath.WalkDir(c.gitPath("context"), func(_ string, e fs.DirEntry, err error) error {
		if err == nil && !e.IsDir() {
			now.state++
		}
		return err
	})
	if err != nil {
		d.t.Error(err)
	}
	if now.loose > dayLimits.loose || now.packs > dayLimits.packs || now.state > dayLimits.state {
		d.t.Errorf("%s has %+v, more than %+v", c.name, now, dayLimits)
	}
	d.most = daySize{max(d.most.loose, now.loose), max(d.most.packs, now.packs), max(d.most.state, now.state)}
}

// finish brings the clones together and checks all that the day left.
func (d *day) finish() {
	d.t.Helper()
	for _, c := range d.clones {
		c.ok("commit", "-b", "main", "-m", "the rest")
	}
	for range 2 { // the second brings the first clone what the last one had
		for _, c := range d.clones {
			c.ok("sync")
		}
	}
	for i, c := range d.clones {
		other := d.clones[1-i]
		c.ordered()
		all := &agent{branch: "main", steps: slices.Concat(c.told["main"], other.told["main"], c.merged, other.merged),
			commits: slices.Concat(c.commits["main"], other.commits["main"])}
		c.holds(all)
		for _, branch := range slices.Concat(c.open, c.closed) {
			c.holds(&agent{branch: branch, steps: c.told[branch], commits: c.commits[branch]})
		}
		c.expired(d.now)
		for _, view := range [][]string{{}, {"--log"}, {"log"}, {"branch"}, {"roadmap"}, {"topics"}, {"status"}, {"stats"}, {"search", "step"}} {
			c.ok(view...)
		}
		c.ok("gc")
		d.measure(c)
		c.clean()
	}
	if a, b := d.clones[0].tip("main"), d.clones[1].tip("main"); a != b {
		d.t.Errorf("main is %s in one clone and %s in the other", a, b)
	}
}

// ordered checks that the ids of main's steps increase as they were acknowledged: entries are
// ordered by id. It does not check the order in which a view lists them, which differs where the
// id ranges of segments overlap.
func (c *dayClone) ordered() {
	c.t.Helper()
	if ids := c.told["main"]; !slices.IsSorted(ids) {
		c.t.Errorf("%s: the ids of main's steps do not increase: %v", c.name, ids)
	}
}

// expired checks that gc dropped the branches that were deleted long ago, and no other.
func (c *dayClone) expired(now time.Time) {
	c.t.Helper()
	c.git("config", "context.deletedExpire", now.Add(-keepFor).Format(time.RFC3339))
	for { // one in the background has the setting from before
		out, err := c.command(nil, c.bin, "gc").CombinedOutput()
		if err != nil {
			c.t.Fatalf("gc: %v\n%s", err, out)
		}
		if !bytes.Contains(out, []byte("another gc is running")) {
			break
		}
		time.Sleep(50 * time.Millisecond)
	}
	left := c.refs("refs/context/deleted/")
	for branch, when := range c.deleted {
		there := strings.Contains(left, "/"+branch+"-")
		if recent := when.After(now.Add(-keepFor)); there != recent {
			c.t.Errorf("%s: '%s' was deleted at %s, now it is %s; kept: %v", c.name, branch, when, now, there)
		} else if there {
			c.ok("branch", "--restore", branch)
			c.holds(&agent{branch: branch, steps: c.told[branch], commits: c.commits[branch]})
		}
	}
}
