package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"
)

// rounds is how often each clone of a crowd commits and syncs.
const rounds = 4

// crowd is clones that all work at once.
type crowd struct {
	host   *host
	clones []*clone

	mu       sync.Mutex
	attempts []int
	took     []time.Duration
	errs     []error
}

// measureCrowds lets more and more clones work at once, on one shared branch or on
// one each.
func measureCrowds(l *lab, sizes []int, shared bool) error {
	experiment := "own"
	if shared {
		experiment = "shared"
	}
	for _, n := range sizes {
		name := fmt.Sprintf("%s-%d", experiment, n)
		h, err := l.newHost(name)
		if err != nil {
			return err
		}
		cr := &crowd{host: h}
		if _, err := h.begin(name + "-first"); err != nil {
			return err
		}
		for i := range n {
			c, _, err := h.join(fmt.Sprintf("%s-%d", name, i), viaDaemon)
			if err != nil {
				return err
			}
			c.words.Seed(int64(i))
			if !shared {
				c.branch = fmt.Sprintf("agent/%d", i)
				if err := l.git(c.dir, "context", "branch", c.branch, "--purpose", "Try"); err != nil {
					return err
				}
			}
			cr.clones = append(cr.clones, c)
		}
		time.Sleep(configSettles)
		if err := cr.run(experiment); err != nil {
			return err
		}
		if err := cr.complete(shared); err != nil {
			return err
		}
		if err := h.close(); err != nil {
			return err
		}
	}
	return nil
}

// run lets all clones work at once.
func (cr *crowd) run(experiment string) error {
	h := cr.host
	h.idle()
	h.take()
	begin := time.Now()
	var all sync.WaitGroup
	for _, c := range cr.clones {
		all.Go(func() {
			for range rounds {
				if err := cr.once(c); err != nil {
					cr.mu.Lock()
					cr.errs = append(cr.errs, err)
					cr.mu.Unlock()
					return
				}
			}
		})
	}
	all.Wait()
	took := time.Since(begin)
	if err := errors.Join(cr.errs...); err != nil {
		return err
	}
	h.idle()
	s := series{}
	h.take().addTo(s)
	s.addTime("wall", took)
	s.add("syncs", float64(len(cr.took)))
	lost := 0
	for _, a := range cr.attempts {
		lost += max(a-1, 0)
	}
	s.add("tries lost", float64(lost))
	s.add("worst tries", float64(slices.Max(cr.attempts)))
	slices.Sort(cr.took)
	s.addTime("sync p50", cr.took[len(cr.took)/2])
	s.addTime("sync max", cr.took[len(cr.took)-1])
	h.lab.out = append(h.lab.out, s.medians(experiment, viaDaemon, len(cr.clones))...)
	return nil
}

func (cr *crowd) once(c *clone) error {
	if err := c.work("", usual); err != nil {
		return err
	}
	took, err := c.context("sync", "--json")
	if err != nil {
		return err
	}
	var said struct{ Attempts int }
	if err := json.Unmarshal([]byte(took.out), &said); err != nil {
		return fmt.Errorf("sync --json: %w", err)
	}
	cr.mu.Lock()
	defer cr.mu.Unlock()
	cr.attempts, cr.took = append(cr.attempts, said.Attempts), append(cr.took, took.wall)
	return nil
}

// complete holds that the host has what every clone acknowledged.
func (cr *crowd) complete(shared bool) error {
	c, _, err := cr.host.join(cr.clones[0].dir[len(cr.host.lab.dir)+1:]+"-after", viaDaemon)
	if err != nil {
		return err
	}
	want := 1 + rounds*len(cr.clones) // and the one of begin
	if !shared {
		c.branch, want = cr.clones[0].branch, rounds
		if _, err := c.lab.run(c.dir, c.lab.bin, "switch", c.branch); err != nil {
			return err
		}
	}
	took, err := c.lab.run(c.dir, c.lab.bin, "--branch", c.branch, "--json")
	if err != nil {
		return err
	}
	var said struct{ Total int }
	if err := json.Unmarshal([]byte(took.out), &said); err != nil {
		return err
	}
	if said.Total != want {
		return fmt.Errorf("the host has %d milestones, not %d", said.Total, want)
	}
	return nil
}
