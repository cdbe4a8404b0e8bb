package main

import (
	"fmt"
	"io"
	"os"
	"time"
)

// experiment varies one thing.
type experiment struct {
	name  string
	sizes []int
	few   []int // of a quick run
	run   func(l *lab, sizes []int) error
}

var experiments = []experiment{
	{"refs", []int{1, 10, 100, 1000, 10_000}, []int{1, 30}, measureRefs},
	{"news", []int{1, 10, 100, 1000}, []int{1, 10}, measureNews},
	{"bytes", []int{1000, 4000, 16_000, 64_000}, []int{1000}, measureBytes},
	{"notes", []int{100, 10_000, 100_000}, []int{100}, measureNotes},
	{"growth", []int{500, 1000, 2000}, []int{10, 20}, measureGrowth},
	{"shared", []int{1, 2, 4, 8, 16, 32}, []int{1, 2}, func(l *lab, sizes []int) error { return measureCrowds(l, sizes, true) }},
	{"own", []int{1, 2, 4, 8, 16, 32}, []int{1, 2}, func(l *lab, sizes []int) error { return measureCrowds(l, sizes, false) }},
}

// measure makes the experiments and writes what came out.
func measure(quick bool, only string, out io.Writer) error {
	l, err := newLab(quick)
	if err != nil {
		return err
	}
	defer os.RemoveAll(l.dir)
	for _, e := range experiments {
		if only != "" && only != e.name {
			continue
		}
		begin := time.Now()
		sizes := e.sizes
		if quick {
			sizes = e.few
		}
		if err := e.run(l, sizes); err != nil {
			return fmt.Errorf("%s: %w", e.name, err)
		}
		fmt.Fprintf(os.Stderr, "%s: %.0f s\n", e.name, time.Since(begin).Seconds())
	}
	return l.out.write(out)
}

// runs is how often each case is measured, for a median.
func (l *lab) runs() int {
	if l.quick {
		return 2
	}
	return 5
}

// repeat measures a case and keeps its medians.
func (l *lab) repeat(h *host, experiment, via string, size int, once func(s series) error) error {
	s := series{}
	n := l.runs()
	if size >= 10_000 && experiment != "bytes" {
		n = min(n, 3) // each takes seconds
	}
	for range n {
		if err := h.counted(s, once); err != nil {
			return err
		}
	}
	l.out = append(l.out, s.medians(experiment, via, size)...)
	return nil
}

func (took ran) addTo(s series) {
	s.addTime("wall", took.wall)
	s.addTime("client cpu", took.cpu)
}

// syncs measures a sync, after work on the clone's branch if there is some.
func (c *clone) syncs(work int) func(s series) error {
	return func(s series) error {
		if work > 0 {
			begin := time.Now()
			if err := c.work("", work); err != nil {
				return err
			}
			s.addTime("commit", time.Since(begin))
		}
		took, err := c.context("sync")
		if err == nil {
			took.addTo(s)
		}
		return err
	}
}

// usual is a milestone's text, in bytes: ten steps of about 300.
const usual = 3000

// measureRefs syncs beside more and more branches of others.
func measureRefs(l *lab, sizes []int) error {
	for _, n := range sizes {
		for _, via := range []string{viaDaemon, viaPath} {
			if via == viaPath && n != sizes[0] && n != 1000 {
				continue
			}
			name := fmt.Sprintf("refs-%d-%s", n, via)
			h, err := l.newHost(name)
			if err != nil {
				return err
			}
			first, err := h.begin(name + "-first")
			if err != nil {
				return err
			}
			if err := h.addBranches(n-1, "main^0", true); err != nil {
				return err
			}
			if err := h.refsCase(n, via, name, first); err != nil {
				return err
			}
			if err := h.close(); err != nil {
				return err
			}
		}
	}
	return nil
}

// refsCase measures syncs of a new clone of a host with n branches.
func (h *host) refsCase(n int, via, name string, first *clone) error {
	l := h.lab
	h.take()
	c, took, err := h.join(name+"-clone", via)
	if err != nil {
		return err
	}
	h.idle()
	s := series{}
	took.addTo(s)
	h.take().addTo(s)
	l.out = append(l.out, s.medians("join", via, n)...)
	set := func(dir, key, value string) func() error {
		return func() error { return l.git(dir, "config", key, value) }
	}
	for _, e := range []struct {
		name   string
		before func() error
		once   func(series) error
	}{
		{"idle, loose refs", nil, c.syncs(0)},
		{"idle", func() error { return l.git(h.dir, "pack-refs", "--all") }, c.syncs(0)},
		{"idle, protocol 0", set(c.dir, "protocol.version", "0"), c.syncs(0)},
		{"one", set(c.dir, "protocol.version", "2"), c.syncs(usual)},
		{"one, receive.autogc=false", set(h.dir, "receive.autogc", "false"), c.syncs(usual)},
		{"nothing to push", set(h.dir, "receive.autogc", "true"), c.pushesNothing},
		{"diverged", nil, c.diverges(first)},
		{"own branch", nil, c.fetchesNews(first)},
		{"idle, own refs packed", func() error { return l.git(c.dir, "pack-refs", "--all") }, c.syncs(0)},
	} {
		if e.before != nil {
			if err := e.before(); err != nil {
				return err
			}
			time.Sleep(configSettles)
		}
		if _, err := c.context("sync"); err != nil {
			return err
		}
		if err := l.repeat(h, e.name, via, n, e.once); err != nil {
			return err
		}
	}
	return nil
}

// pushesNothing pushes what is there: the host says its refs, and that is all.
func (c *clone) pushesNothing(s series) error {
	took, err := c.lab.run(c.dir, "git", "push", "-q", "origin", "refs/context/roadmap")
	if err == nil {
		took.addTo(s)
	}
	return err
}

// diverges syncs a milestone beside one that another clone has brought.
func (c *clone) diverges(other *clone) func(s series) error {
	return func(s series) error {
		if err := other.brings(); err != nil {
			return err
		}
		return c.syncs(usual)(s)
	}
}

// fetchesOwn fetches the clone's branch, the roadmap and the notes, by their names.
func (c *clone) fetchesOwn(s series) error {
	took, err := c.lab.run(c.dir, "git", "fetch", "-q", "--no-tags", "--refmap=", "origin",
		"+refs/context/heads/main:refs/context/remotes/origin/heads/main",
		"+refs/context/roadmap:refs/context/remotes/origin/roadmap", "+refs/notes/context:refs/notes/remotes/origin/context")
	if err == nil {
		took.addTo(s)
	}
	return err
}

// fetchesNews does so after another clone has moved that branch.
func (c *clone) fetchesNews(other *clone) func(s series) error {
	return func(s series) error {
		if err := other.brings(); err != nil {
			return err
		}
		return c.fetchesOwn(s)
	}
}

// brings commits a milestone and syncs it, uncounted.
func (c *clone) brings() error {
	if err := c.work("", usual); err != nil {
		return err
	}
	if _, err := c.context("sync"); err != nil {
		return err
	}
	c.host.idle()
	c.host.take()
	return nil
}

// configSettles is longer than the time for which the program does not trust that a
// changed file will not change again.
const configSettles = 2500 * time.Millisecond
