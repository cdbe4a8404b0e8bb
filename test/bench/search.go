package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/git-context/git-context/refs"
	"github.com/git-context/git-context/refs/store"
)

// The history that a search is measured on: 40 branches, 100,000 steps.
const (
	searchBranches   = 40
	searchMilestones = 10_000
	searchQuery      = "connection pool timeout in store.Open"
	recallText       = "store.Open runs into a timeout because idle connections are never closed, and the retry loop of the pool holds the lock"
)

// searched is what searching and recalling cost: with the cache and without it.
type searched struct{ warm, cold, recallWarm, recallCold time.Duration }

// printLong measures searches and pages, both on one memory.
func (b *bench) printLong(w io.Writer) error {
	if !b.wants(tableSearch) && !b.wants(tableWeb) {
		return nil
	}
	r, err := b.newRepo("search", 0)
	if err != nil {
		return err
	}
	if err := errors.Join(r.fillBranches(searchBranches, searchMilestones), r.settle()); err != nil {
		return err
	}
	if b.wants(tableSearch) {
		s, err := r.search()
		if err != nil {
			return err
		}
		if err := s.print(w); err != nil {
			return err
		}
	}
	if !b.wants(tableWeb) {
		return nil
	}
	s, err := r.web()
	if err != nil {
		return err
	}
	return s.print(w)
}

// search measures whole processes over a long history of many branches, in turn with
// the cache and after its deletion.
func (r *repo) search() (s searched, err error) {
	if s.warm, s.cold, err = r.timeCached("search", "--all", searchQuery); err != nil {
		return s, err
	}
	s.recallWarm, s.recallCold, err = r.timeCached("recall", recallText)
	return s, err
}

// timeCached times a command with the cache of searches and after its deletion.
func (r *repo) timeCached(args ...string) (warm, cold time.Duration, err error) {
	var warms, colds []time.Duration
	for i := range r.b.runs + 1 {
		if err := os.RemoveAll(filepath.Join(r.dir, ".git", "context", "cache", "search")); err != nil {
			return 0, 0, err
		}
		c, err := r.time(r.dir, r.b.bin, args...)
		if err == nil {
			err = r.waitForIndex()
		}
		if err != nil {
			return 0, 0, err
		}
		w, err := r.time(r.dir, r.b.bin, args...)
		if err != nil {
			return 0, 0, err
		}
		if i >= 1 { // the first warms the disk
			warms, colds = append(warms, w), append(colds, c)
		}
	}
	return median(warms), median(colds), nil
}

// waitForIndex waits until the gc has ended that a cold search started.
func (r *repo) waitForIndex() error {
	for range 600 {
		time.Sleep(100 * time.Millisecond)
		cmd := r.command(r.b.bin, "search", "--all", searchQuery)
		cmd.Dir = r.dir
		said, err := cmd.CombinedOutput()
		if err != nil {
			return fmt.Errorf("%w\n%s", err, said)
		}
		if !bytes.Contains(said, []byte("is being built")) {
			time.Sleep(time.Second) // its last steps
			return nil
		}
	}
	return errors.New("the gc in the background does not end")
}

// fillBranches makes branches, commits milestones in turn over them, and packs all.
func (r *repo) fillBranches(number, milestones int) error {
	if err := r.git("config", "context.notes", "lazy"); err != nil {
		return err
	}
	branches := make([]*refs.Store, number)
	defer func() {
		for _, s := range branches {
			if s != nil {
				_ = s.Close() // only children that were reading
			}
		}
	}()
	for i := range branches {
		name := fmt.Sprintf("try/%d", i)
		if err := r.git("context", "branch", name, "--no-switch", "--from", "main", "--purpose", "Try"); err != nil {
			return err
		}
		s, err := refs.Open(context.Background(), store.Options{Dir: r.dir, Env: r.env, Now: time.Now, Branch: name})
		if err != nil {
			return err
		}
		branches[i] = s
	}
	words := newProse()
	for i := range milestones {
		if err := words.milestone().commit(branches[i%number]); err != nil {
			return err
		}
		if i%1000 == 999 {
			if err := errors.Join(r.git("repack", "-qd"), r.git("prune-packed", "-q")); err != nil {
				return err
			}
		}
	}
	return errors.Join(r.git("gc", "-q"), r.git("config", "--unset", "context.notes"), r.git("config", "gc.auto", "6700"))
}

func (s searched) print(w io.Writer) error {
	ms := func(d time.Duration) float64 { return d.Seconds() * 1000 }
	_, err := fmt.Fprintf(w, "\nA search over %d commits and %d steps in %d branches (milliseconds, not ratios):\n\n"+
		"| operation | budget | |\n|---|---|---|\n| search | ≤ 30 ms | %.1f ms |\n| search, cold | ≤ 400 ms | %.1f ms |\n"+
		"| recall | ≤ 30 ms | %.1f ms |\n| recall, cold | ≤ 400 ms | %.1f ms |\n",
		searchMilestones, searchMilestones*stepsOfMilestone, searchBranches,
		ms(s.warm), ms(s.cold), ms(s.recallWarm), ms(s.recallCold))
	return err
}
