//go:build unix

package test

import (
	"fmt"
	"maps"
	"slices"
)

// The commands that make, move, merge and remove branches.

func keepSummary(n int, branch string) string {
	if n == 1 {
		return "Keep 1 pending step of " + branch
	}
	return fmt.Sprintf("Keep %d pending steps of %s", n, branch)
}

func (k player) branch() modelCommand {
	name := pick(branchNames(), k.op.a)
	args, from, stay := []string{"branch", name, "--json"}, "", k.op.c%4 == 3 || k.crowd // to make a branch and to switch to it are two steps
	if k.op.b%3 == 2 {
		from = k.milestone(k.op.b / 3)
		args = append(args, "--from", from)
	}
	purpose := ""
	if k.op.c%2 == 1 {
		purpose = "to " + pick(slotTexts(), k.op.c/2)
		args = append(args, "--purpose", purpose)
	}
	if stay {
		args = append(args, "--no-switch")
	}
	return k.command(func(m *model, a *answer) error {
		r, current := m.at(k.place, "")
		start, parent := r.heads[current], current
		if from != "" {
			if start = r.named(from); start != nil {
				parent = r.homeOf(start, current)
			}
		}
		if r.heads[name] != nil || start == nil {
			return a.is(exitRefused)
		}
		c := start.follow()
		c.branch, c.roadmap = name, r.roadmap
		c.steps, c.marks = map[*modelStep]bool{}, map[*modelMark]bool{}
		c.facts = modelFacts{purpose: purpose, from: parent, status: "active", created: k.at}
		r.heads[name] = c
		delete(r.held, name)
		if !stay {
			r.current[k.place.worktree] = name
		}
		return a.is(exitDone)
	}, args...)
}

// homeOf is the name of the branch that a commit belongs to: the one that it was made on
// or, where none is called so any more, the one that this was renamed to.
func (r *modelRepo) homeOf(n *modelNode, current string) string {
	if r.heads[n.branch] != nil {
		return n.branch
	}
	names := slices.Sorted(maps.Keys(r.heads))
	if i := slices.Index(names, current); i > 0 {
		names[0], names[i] = names[i], names[0]
	}
	for _, name := range names {
		tip := r.heads[name]
		if holds(tip, n) && tip.facts.created == n.facts.created && tip.facts.from == n.facts.from && stood(tip, n) {
			return name
		}
	}
	return n.branch
}

func (k player) switchTo() modelCommand {
	name := pick(branchNames(), k.op.a)
	if k.crowd && k.repo().heads[name] == nil { // what a remote has is looked up first, and taken then
		name = k.repo().current[k.place.worktree]
	}
	return k.command(func(m *model, a *answer) error {
		r := m.repos[k.place.repo]
		if r.heads[name] == nil {
			if r.remote.heads[name] == nil {
				return a.is(exitRefused)
			}
			r.heads[name] = r.remote.heads[name]
			r.shared[name] = true
			delete(r.held, name)
		}
		r.current[k.place.worktree] = name
		return a.is(exitDone)
	}, "switch", name, "--json")
}

func (k player) deleteBranch() modelCommand {
	name, flag := k.branchName(k.op.a), []string{"-d", "-D"}[k.op.b%2]
	return k.command(func(m *model, a *answer) error {
		r := m.repos[k.place.repo]
		if r.heads[name] == nil || slices.Contains(r.current, name) {
			return a.is(exitRefused)
		}
		if flag == "-D" {
			r.keepPending(name)
		} else if len(r.pending[name]) > 0 || r.onlyHere(name) {
			return a.is(exitRefused)
		}
		r.deleted[name] = append(r.deleted[name], r.heads[name])
		delete(r.heads, name)
		delete(r.held, name)
		return a.is(exitDone)
	}, append([]string{"branch", flag, name}, map[string][]string{"-D": {"--yes"}}[flag]...)...)
}

// onlyHere reports whether a branch has a milestone that no other branch reaches, here or
// at the remote.
func (r *modelRepo) onlyHere(name string) bool {
	var others []*modelNode
	for other, tip := range r.heads {
		if other != name {
			others = append(others, tip)
		}
	}
	others = slices.AppendSeq(others, maps.Values(r.remote.heads))
	known := ancestors(others...)
	for n := range ancestors(r.heads[name]) {
		if n.mark != nil && !known[n] {
			return true
		}
	}
	return false
}

func (k player) restoreBranch() modelCommand {
	name := pick(branchNames(), k.op.a)
	c := k.command(func(m *model, a *answer) error {
		r := m.repos[k.place.repo]
		n := len(r.deleted[name])
		if r.heads[name] != nil || n == 0 {
			return a.is(exitRefused)
		}
		r.heads[name], r.deleted[name] = r.deleted[name][n-1], r.deleted[name][:n-1]
		delete(r.held, name)
		return a.is(exitDone)
	}, "branch", "--restore", name, "--json")
	c.looks = true
	return c
}

func (k player) renameBranch() modelCommand {
	old, name := k.branchName(k.op.a), pick(branchNames(), k.op.b)
	return k.command(func(m *model, a *answer) error {
		r := m.repos[k.place.repo]
		if r.heads[old] == nil || r.heads[name] != nil || r.held[old] != nil && r.held[old].merge == nil {
			return a.is(exitRefused)
		}
		c := r.next(old)
		c.branch = name
		r.heads[name] = c
		delete(r.heads, old)
		for _, s := range r.pending[old] { // they belong to the branch, whatever it is called
			renamed := *s
			renamed.origin = name
			r.pending[name] = append(r.pending[name], &renamed)
		}
		delete(r.pending, old)
		if h := r.held[old]; h != nil {
			moved := *h
			o := *h.merge
			o.target, moved.merge = name, &o
			r.held[name] = &moved
			delete(r.held, old)
		}
		for i, current := range r.current {
			if current == old {
				r.current[i] = name
			}
		}
		return a.is(exitDone)
	}, "branch", "-m", old, name, "--json")
}

func (k player) rollback() modelCommand {
	branch, args := k.on(k.op.a)
	id := k.milestone(k.op.b)
	summary := fmt.Sprint("rollback ", k.n)
	return k.command(func(m *model, a *answer) error {
		r, b := m.at(k.place, branch)
		to := r.named(id)
		if r.heads[b] == nil || to == nil || !stood(r.heads[b], to) {
			return a.is(exitRefused)
		}
		c, roadmap := r.next(b), r.roadmap
		for path := range union(c.slots(), to.slots()) {
			c.setSlot(path, entry(to.slots(), path))
		}
		if to.roadmap != r.roadmap {
			then := to.roadmap.follow()
			then.parents = []*modelRoadmap{r.roadmap}
			then.lists[listOutcomes] = slices.Clone(r.roadmap.lists[listOutcomes])
			roadmap = then.or(r.roadmap)
		}
		made, err := a.id()
		if err != nil && a.exit == exitDone && len(r.heads[b].marks) == 0 {
			made, err = "", nil // nothing changed, and there is no milestone
		}
		if err != nil {
			return err
		}
		fresh := made != "" && r.named(made) == nil
		if changed := roadmap != r.roadmap || !c.sameSlots(r.heads[b]); changed != fresh && (changed || to.roadmap == r.roadmap) {
			return fmt.Errorf("a milestone was made: %t, but something changed: %t", fresh, changed)
		}
		if !fresh {
			return a.is(exitDone)
		}
		if roadmap == r.roadmap && to.roadmap != r.roadmap { // by blank lines alone, it may be
			roadmap = r.roadmap.follow()
		}
		r.roadmap, c.roadmap = roadmap, roadmap
		c.milestone(&modelMark{id: made, summary: summary, origin: b})
		r.heads[b] = c
		return a.is(exitDone)
	}, append(args, "rollback", id, "-m", summary, "--json")...)
}
