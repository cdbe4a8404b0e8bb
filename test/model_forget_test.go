//go:build unix

package test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// modelSecret is what is recorded by accident, and forgotten at the end.
const modelSecret = "hunter2hunter2"

// spill writes the secret somewhere.
func (k player) spill() modelCommand {
	branch, args := k.on(k.op.a)
	if k.op.b%3 == 2 {
		key := pick(topicNames(), k.op.c)
		return k.change(branch, append(args, "remember", key, modelSecret, "--json"), func(c *modelNode) bool {
			c.topics[key] = modelSecret
			return true
		})
	}
	return k.recording(branch, args, fmt.Sprint("knows ", modelSecret, " ", k.n))
}

// forgetAll expunges the secret in one clone, cleans the hub by the commands that are
// printed, lets the other clones obey, and holds that it is nowhere while all else stands.
func (g *game) forgetAll() error {
	g.stage = "after expunge"
	for _, place := range modelPlaces() {
		if place.worktree > 0 {
			continue
		}
		obeyed := false
		if place.repo > 0 { // 1: nothing of what the hub has forgotten is here
			a, err := g.bare(place, []int{exitDone, exitRefused}, "expunge", "--from", "origin", "--yes")
			if err != nil {
				return err
			}
			obeyed = a.exit == exitDone
		}
		if err := g.forgetHere(place, obeyed); err != nil {
			return err
		}
	}
	g.m.expunge()
	g.hashes = newModelHashes()
	g.hashes.branchesAlone = true
	for round := range 2 {
		for _, place := range modelPlaces() {
			if place.worktree > 0 {
				continue
			}
			if err := g.last(place, round > 0); err != nil {
				return err
			}
		}
	}
	for _, dir := range []string{"ann", "bob", "cat"} {
		if err := g.w.lacks(dir, modelSecret); err != nil {
			return err
		}
	}
	return nil
}

// forgetHere expunges the secret in one clone, and cleans the hub of it. One that has
// obeyed the hub may have forgotten all of it by that.
func (g *game) forgetHere(place modelPlace, obeyed bool) error {
	a, err := g.bare(place, []int{exitDone, exitRefused}, "expunge", "--match", modelSecret, "--yes", "--json")
	if err != nil {
		return err
	}
	done, held := a.exit == exitDone, g.m.repos[place.repo].holdsSecret()
	if done != held && (done || !obeyed) {
		return fmt.Errorf("%s: expunge ends with %d, but the secret is there: %t\n%s", place.dir, a.exit, held, a.errs)
	}
	if !done {
		return nil
	}
	var v struct{ Remotes []struct{ Commands []string } }
	if err := json.Unmarshal([]byte(a.out), &v); err != nil {
		return err
	}
	for _, remote := range v.Remotes {
		for _, line := range remote.Commands {
			cmd := exec.Command("sh", "-ec", line)
			cmd.Dir, cmd.Env = filepath.Join(g.w.root, place.dir), g.w.home.env
			if out, err := cmd.CombinedOutput(); err != nil {
				return fmt.Errorf("%s: %w\n%s", line, err, out)
			}
		}
	}
	return nil
}

// bare runs a command of which the model foretells the exit code alone.
func (g *game) bare(place modelPlace, exits []int, args ...string) (*answer, error) {
	g.n++
	var a *answer
	c := player{m: g.m, n: g.n, place: place, at: int64(g.n)}.command(func(_ *model, got *answer) error {
		a = got
		return got.is(exits...)
	}, args...)
	err := g.run([]modelCommand{c}, false)
	return a, err
}

// holdsSecret reports whether anything that a repository keeps holds the secret.
func (r *modelRepo) holdsSecret() bool {
	for _, steps := range r.pending {
		for _, s := range steps {
			if strings.Contains(s.action, modelSecret) {
				return true
			}
		}
	}
	var tips []*modelNode
	for _, s := range []modelSide{r.modelSide, r.remote} {
		tips = slices.AppendSeq(slices.AppendSeq(tips, maps.Values(s.heads)), maps.Values(s.tags))
	}
	for _, list := range r.deleted {
		tips = append(tips, list...)
	}
	for n := range ancestors(tips...) {
		if n.holdsSecret() {
			return true
		}
	}
	return false
}

func (n *modelNode) holdsSecret() bool {
	for s := range n.steps {
		if strings.Contains(s.action, modelSecret) {
			return true
		}
	}
	for _, text := range n.slots() {
		if strings.Contains(text, modelSecret) {
			return true
		}
	}
	return false
}

// expunge rewrites all that the model knows. A commit that does not change, nor anything
// that it goes back to, stays the commit that it is.
func (m *model) expunge() {
	done := map[*modelNode]*modelNode{}
	for _, s := range m.sides() {
		for name, n := range s.heads {
			s.heads[name] = n.rewritten(done)
		}
		for name, n := range s.tags {
			s.tags[name] = n.rewritten(done)
		}
	}
	for _, r := range m.repos {
		for _, list := range r.deleted {
			for i, n := range list {
				list[i] = n.rewritten(done)
			}
		}
		for name, list := range r.pending {
			r.pending[name] = slices.DeleteFunc(list, func(s *modelStep) bool { return strings.Contains(s.action, modelSecret) })
		}
	}
}

func (n *modelNode) rewritten(done map[*modelNode]*modelNode) *modelNode {
	if c := done[n]; c != nil {
		return c
	}
	c := n.follow()
	c.parents, c.mark = nil, n.mark
	changed := n.holdsSecret()
	for _, p := range n.parents {
		to := p.rewritten(done)
		c.parents = append(c.parents, to)
		changed = changed || to != p
	}
	maps.DeleteFunc(c.steps, func(s *modelStep, _ bool) bool { return strings.Contains(s.action, modelSecret) })
	for key, text := range c.topics {
		if strings.Contains(text, modelSecret) {
			c.topics[key] = strings.ReplaceAll(text, modelSecret, "(expunged)")
		}
	}
	if done[n] = c; !changed {
		done[n] = n
	}
	return done[n]
}

// lacks holds that no object and no file of a clone holds a text.
func (w *modelWorld) lacks(dir, text string) error {
	out, err := w.git(dir, "", "cat-file", "--batch-all-objects", "--batch")
	if err != nil {
		return err
	}
	if strings.Contains(out, text) {
		return fmt.Errorf("an object of %s still holds '%s'", dir, text)
	}
	return filepath.WalkDir(filepath.Join(w.root, dir), func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		if err == nil && bytes.Contains(data, []byte(text)) {
			err = errors.New("it still holds '" + text + "'")
		}
		if err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		return nil
	})
}
