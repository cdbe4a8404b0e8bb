//go:build unix

package test

import (
	"errors"
	"math/rand/v2"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// ends are the ways in which a sync that has been started can be made to end.
var ends = []struct {
	name        string
	leavesLocks bool // git may die with a ref's lock in its hand
	kill        func(cmd *exec.Cmd, mark string)
}{
	// Its children live on, and may finish what they were told to do.
	{"alone", false, func(cmd *exec.Cmd, _ string) { _ = cmd.Process.Kill() }},
	{"with its group", true, func(cmd *exec.Cmd, _ string) { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }},
	{"with all it started", true, func(_ *exec.Cmd, mark string) {
		for pid := range running(mark) {
			_ = syscall.Kill(pid, syscall.SIGKILL) // it may have ended by itself
		}
	}},
}

// A sync killed at any moment loses nothing, and the next one finishes its work.
func TestSyncKilled(t *testing.T) {
	t.Parallel()
	for i, end := range ends {
		k := serverKinds[i%2] // by path, where the receiving side dies too, and by git daemon
		t.Run(end.name+", "+k.name, func(t *testing.T) {
			t.Parallel()
			f := k.launch(t, 2)
			victim, other := f.agents[0], f.agents[1]
			most, rng, killed := victim.timeSync(), rand.New(rand.NewPCG(3, 4)), 0
			for i := 0; i < rounds() || killed == 0 && i < patience*rounds(); i++ {
				other.work(i)
				other.sync()
				victim.work(i)
				var timer *time.Timer
				_, err := victim.trySync(func(cmd *exec.Cmd) error {
					if err := cmd.Start(); err != nil {
						t.Fatal(err)
					}
					timer = time.AfterFunc(time.Duration(rng.Int64N(int64(most))), func() { end.kill(cmd, victim.mark) })
					return nil
				})
				timer.Stop()
				if err != nil {
					killed++
				}
				most = aim(most, err != nil)
				if end.leavesLocks {
					nothingRuns(t, victim.mark)
					nothingRuns(t, f.mark())
					unlock(t, filepath.Join(victim.dir, ".git"))
					unlock(t, f.dir)
				}
				if i%2 == 0 {
					victim.sync()
				}
			}
			if killed == 0 {
				t.Error("no sync was killed at work")
			}
			t.Logf("%d syncs were killed at work", killed)
			f.settled(k)
		})
	}
}

// rounds is how often something is made to end.
func rounds() int {
	if soaking() {
		return 100
	}
	return 6
}

// patience is how many times as many rounds are played until one hits.
const patience = 5

// aim corrects how long to wait at most before the blow: a machine that was busy
// when a sync was timed may be idle now.
func aim(most time.Duration, hit bool) time.Duration {
	if hit {
		return most * 3 / 2
	}
	return max(most/2, 5*time.Millisecond)
}

// timeSync says how long a sync may take: with something to merge, about twice as
// long as with something to push alone.
func (a *agent) timeSync() time.Duration {
	a.t.Helper()
	a.work(-1)
	start := time.Now()
	a.sync()
	return 2 * time.Since(start)
}

// A server that goes away at any moment makes a sync fail, with an error and
// not a trace, and loses nothing; when it is back the next one finishes.
func TestSyncCutOff(t *testing.T) {
	t.Parallel()
	for _, k := range serverKinds[1:4] {
		t.Run(k.name, func(t *testing.T) {
			t.Parallel()
			f := k.launch(t, 2)
			a, other := f.agents[0], f.agents[1]
			most, rng, failed := a.timeSync(), rand.New(rand.NewPCG(5, 6)), 0
			for i := 0; i < rounds() || failed == 0 && i < patience*rounds(); i++ {
				other.work(i)
				other.sync()
				a.work(i)
				gone := make(chan struct{})
				time.AfterFunc(time.Duration(rng.Int64N(int64(most))), func() { f.cut(); close(gone) })
				_, err := a.trySync(nil)
				if err != nil {
					failed++
					a.saysWhy(err)
				}
				most = aim(most, err != nil)
				<-gone
				nothingRuns(t, f.mark())
				unlock(t, f.dir)
				f.mend()
				if i%2 == 0 {
					a.sync()
				}
			}
			if failed == 0 {
				t.Error("no sync was cut off")
			}
			t.Logf("%d syncs were cut off", failed)
			f.settled(k)
		})
	}
}

// saysWhy holds that a failed sync ended as the command line promises.
func (a *agent) saysWhy(err error) {
	a.t.Helper()
	var exit *exec.ExitError
	if !errors.As(err, &exit) || exit.ExitCode() != 1 || !strings.Contains(err.Error(), `"error"`) {
		a.t.Errorf("a sync without its server: %v", err)
	}
}
