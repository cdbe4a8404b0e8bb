package main

import (
	"bytes"
	"fmt"
	"os/exec"
	"strings"
	"time"
)

// other is the branch of another agent.
func other(i int) string { return fmt.Sprintf("refs/context/heads/agent/%05d", i) }

// addBranches makes branches of other agents on the host: each with a commit of its own, or all at the same one.
func (h *host) addBranches(n int, from string, own bool) error {
	at, err := h.lab.run(h.dir, "git", "rev-parse", "refs/context/heads/"+from)
	if err != nil {
		return err
	}
	tip := strings.TrimSpace(at.out)
	var in bytes.Buffer
	for i := range n {
		if own {
			text := fmt.Sprintf("topic of agent %d\n", i)
			fmt.Fprintf(&in, "commit %s\ncommitter A <a@example.com> 1700000000 +0000\ndata 7\nA topic\nfrom %s\nM 100644 inline topics/own.md\ndata %d\n%s\n",
				other(i), tip, len(text), text)
		} else {
			fmt.Fprintf(&in, "reset %s\nfrom %s\n\n", other(i), tip)
		}
	}
	return h.lab.feed(h.dir, &in, "git", "fast-import", "--quiet")
}

// feed runs a program on an input.
func (l *lab) feed(dir string, in *bytes.Buffer, name string, args ...string) error {
	cmd := exec.Command(name, args...)
	cmd.Dir, cmd.Env, cmd.Stdin = dir, l.env, in
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%s %s: %w\n%s", name, strings.Join(args, " "), err, out)
	}
	return nil
}

// idle waits until every connection has been counted: a client does not wait for the
// host's end of it.
func (h *host) idle() {
	for h.live.Load() > 0 {
		time.Sleep(time.Millisecond)
	}
}

// measureNews syncs a milestone of one's own, after others brought theirs.
func measureNews(l *lab, sizes []int) error {
	h, err := l.newHost("news")
	if err != nil {
		return err
	}
	feeder, err := h.begin("news-feeder")
	if err != nil {
		return err
	}
	agents := sizes[len(sizes)-1]
	if err := h.addBranches(agents, "main", false); err != nil {
		return err
	}
	c, _, err := h.join("news-clone", viaDaemon)
	if err != nil {
		return err
	}
	if err := l.git(feeder.dir, "fetch", "-q", "origin", "refs/context/heads/agent/*:refs/context/heads/agent/*"); err != nil {
		return err
	}
	narrow, _, err := h.join("news-narrow", viaDaemon)
	if err != nil {
		return err
	}
	if err := l.git(narrow.dir, "config", "context.origin.branches", "main"); err != nil {
		return err
	}
	if _, err := narrow.context("sync"); err != nil { // which drops what is left out
		return err
	}
	for _, n := range sizes {
		all, own := series{}, series{}
		for range max(1, min(l.runs(), 300/n)) {
			if err := feeder.news(h, n); err != nil {
				return err
			}
			if err := c.work("", usual); err != nil {
				return err
			}
			if err := h.counted(all, c.syncs(0)); err != nil {
				return err
			}
			if err := h.counted(own, narrow.syncs(0)); err != nil {
				return err
			}
		}
		l.out = append(l.out, all.medians("news", viaDaemon, n)...)
		l.out = append(l.out, own.medians("news, own branch", viaDaemon, n)...)
	}
	return h.close()
}

// counted adds what something costs its clone and the host.
func (h *host) counted(s series, once func(s series) error) error {
	h.idle()
	h.take()
	if err := once(s); err != nil {
		return err
	}
	h.idle()
	h.take().addTo(s)
	return nil
}

// news brings milestones of n agents to the host, with their notes.
func (c *clone) news(h *host, n int) error {
	for i := range n {
		if err := c.work(strings.TrimPrefix(other(i), "refs/context/heads/"), usual); err != nil {
			return err
		}
	}
	fetch := []string{"fetch", "-q", h.dir, "+refs/notes/context:refs/notes/theirs"}
	for _, args := range [][]string{fetch,
		{"notes", "--ref=refs/notes/context", "merge", "-q", "-s", "cat_sort_uniq", "refs/notes/theirs"},
		{"push", "-q", h.dir, "refs/context/heads/agent/*:refs/context/heads/agent/*", "refs/notes/context"}} {
		if err := c.lab.git(c.dir, args...); err != nil {
			return err
		}
	}
	return nil
}
