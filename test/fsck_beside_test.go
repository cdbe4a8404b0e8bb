//go:build unix

package test

import (
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
)

// Fsck, with and without --fix, runs again and again beside four agents who record,
// commit, branch, merge, rename, delete, switch and sync: it finds nothing, and no step
// is lost.
func TestFsckBesideWriters(t *testing.T) {
	t.Parallel()
	rounds, most := 3, 25 // checks: of a busy machine they would take all
	if soaking() {
		rounds, most = 30, 300
	}
	p := prepare(t)
	w := p.world(t)
	var agents sync.WaitGroup
	var steps [4][]string
	for a := range steps {
		agents.Go(func() { steps[a] = w.works(a, rounds) })
	}
	var working atomic.Bool
	working.Store(true)
	go func() {
		agents.Wait()
		working.Store(false)
	}()
	checks := 0
	for ; working.Load() && checks < most; checks++ {
		var args []string
		if checks%2 == 1 {
			args = []string{"--fix"}
		}
		for _, found := range w.problems(args...) {
			t.Errorf("check %d %v found %+v", checks, args, found)
		}
	}
	if checks < 3 {
		t.Errorf("only %d checks while agents were at work", checks)
	}
	agents.Wait()
	count := len(p.steps["main"])
	all := p.steps["main"]
	for _, ids := range steps {
		all = append(all, ids...)
	}
	w.ok("commit", "-m", "The rest")
	w.once("main", all)
	for _, found := range w.problems() {
		t.Errorf("at the end: %+v", found)
	}
	w.sound()
	t.Logf("figures: %d checks beside four agents, %d steps acknowledged, 0 lost", checks, len(all)-count)
}

// An expunge gives every commit another name while fsck looks: that is no problem either.
func TestFsckBesideExpunge(t *testing.T) {
	t.Parallel()
	const milestones = 20
	w := newWorld(t)
	for i := range milestones {
		w.ok("record", "-a", fmt.Sprintf("word%d", i))
		w.ok("commit", "-m", fmt.Sprint("milestone ", i))
	}
	for pair := range 2 { // it looks three times: no more than two may come between
		var working atomic.Bool
		working.Store(true)
		go func() {
			defer working.Store(false)
			for i := range 2 {
				if out, err := w.command(nil, w.bin, "expunge", "--yes", "--match", fmt.Sprintf("word%d", 2*pair+i)).CombinedOutput(); err != nil {
					t.Errorf("expunge: %v\n%s", err, out)
				}
			}
		}()
		for check := 0; working.Load(); check++ {
			for _, found := range w.problems() {
				t.Errorf("pair %d, check %d found %+v", pair, check, found)
			}
		}
	}
	w.sound()
}

// works is one agent: each round it tries something on a branch of its own, merges that
// into main, and brings what it has to the others. It returns the ids of its steps, all
// of which end in main.
func (w *world) works(agent, rounds int) []string {
	rng := rand.New(rand.NewPCG(uint64(agent), 7))
	var ids []string
	must := func(args ...string) []byte {
		out, err := w.command([]string{"GIT_CONTEXT_AGENT=" + fmt.Sprint("agent ", agent)}, w.bin, args...).Output()
		if err != nil {
			w.t.Errorf("agent %d: %v: %v", agent, args, err)
		}
		return out
	}
	for round := range rounds {
		name := fmt.Sprintf("try/%d-%d", agent, round)
		must("branch", name, "--purpose", "Try", "--no-switch")
		for range 2 {
			ids = append(ids, id(w.t, must("record", "-b", name, "-a", "try", "--json")))
		}
		must("commit", "-b", name, "-m", "Tried")
		ids = append(ids, id(w.t, must("record", "-b", name, "-a", "again", "--json")))
		if rng.IntN(2) == 0 {
			must("branch", "-m", name, name+"-named")
			name += "-named"
		}
		must("merge", name, "--into", "main", "-m", "Merged")
		ids = append(ids, id(w.t, must("record", "-b", "main", "-a", "go on", "--json")))
		switch rng.IntN(3) {
		case 0:
			must("commit", "-b", "main", "-m", "Went on", "--score", "0.5")
		case 1:
			must("branch", "-d", name)
		default:
			must("remember", fmt.Sprint("topic", agent), fmt.Sprint("round ", round), "-b", "main")
		}
		if round%2 == 0 {
			must("sync")
		}
	}
	return ids
}
