//go:build unix

package test

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
)

// The commands that bring two sides together, and what they leave waiting.

// conflictPaths are the conflicts that a command's JSON names.
func conflictPaths(a *answer) ([]string, error) {
	var v struct{ Conflicts []struct{ Path, Kind string } }
	if err := a.said(&v); err != nil {
		return nil, err
	}
	list := []string{}
	for _, c := range v.Conflicts {
		list = append(list, c.Path+" "+c.Kind)
	}
	return list, nil
}

// conflictsAre holds that an answer names the conflicts that were foretold. Where a
// command was refused, even a part of it, it answers with that alone.
func conflictsAre(a *answer, slots map[string]modelSlot) error {
	if a.exit == exitRefused {
		return nil
	}
	got, err := conflictPaths(a)
	if err != nil {
		return err
	}
	var want []string
	for _, path := range slices.Sorted(maps.Keys(slots)) {
		want = append(want, path+" "+slots[path].kind)
	}
	if !slices.Equal(got, want) {
		return fmt.Errorf("conflicts %q, not %q", got, want)
	}
	return nil
}

// crowdless is a way to settle conflicts, but no union where others run at the same time:
// the model has to be told at once what it reads.
func (k player) crowdless(how string) string {
	if k.crowd && how == "union" {
		return "ours"
	}
	return how
}

func (k player) merge() modelCommand {
	o := modelMerge{source: k.branchName(k.op.a), summary: "merge " + strconv.Itoa(k.n)}
	args := []string{"merge", o.source, "-m", o.summary, "--json"}
	if o.prefer = k.crowdless(pick([]string{"", "", "", "ours", "theirs", "union"}, k.op.b)); o.prefer != "" {
		args = append(args, "-X", o.prefer)
	}
	if o.keep = k.op.c%3 == 2; o.keep {
		args = append(args, "--keep")
	}
	into := ""
	if k.op.c%4 == 3 {
		if into = k.branchName(k.op.c / 4); k.crowd {
			into = k.current() // the switch before the merge is a change of its own
		}
		args = append(args, "--into", into)
	}
	return k.command(func(m *model, a *answer) error {
		r, target := m.at(k.place, into)
		o := o
		o.target, o.into = target, into != ""
		return merged(a, m.mergeAt(k.place, r, o, k.at))
	}, args...)
}

// current is the branch that is current before the command.
func (k player) current() string { return k.repo().current[k.place.worktree] }

// mergeAt foretells MERGE, and which branch is current afterwards.
func (m *model) mergeAt(p modelPlace, r *modelRepo, o modelMerge, now int64) mergeForetold {
	f := m.merge(r, o, now)
	if f.exit == exitDone && (o.into || o.source == r.current[p.worktree] && r.heads[o.source].facts.status != "active") {
		r.current[p.worktree] = o.target
	}
	return f
}

// merged holds a MERGE to what was foretold, and names its milestone.
func merged(a *answer, f mergeForetold) error {
	if err := a.is(f.exit); err != nil || f.exit == exitRefused {
		return err
	}
	var v struct {
		ID       *string
		Steps    int
		UpToDate bool `json:"up_to_date"`
	}
	if err := a.said(&v); err != nil {
		return err
	}
	if v.UpToDate != f.upToDate || f.exit == exitDone && v.Steps != f.steps {
		return fmt.Errorf("up to date: %t, %d steps; not %t, %d", v.UpToDate, v.Steps, f.upToDate, f.steps)
	}
	if f.mark != nil {
		if v.ID == nil {
			return fmt.Errorf("no milestone was made")
		}
		f.mark.id = *v.ID
	}
	return conflictsAre(a, f.slots)
}

func (k player) abandon() modelCommand {
	o := modelMerge{source: k.branchName(k.op.a), abandon: true}
	if k.crowd && o.source == k.current() {
		o.source = "none"
	}
	c := k.command(func(m *model, a *answer) error {
		r, target := m.at(k.place, "")
		o := o
		if o.target = target; o.source == target && r.heads[target] != nil {
			if from := r.heads[target].facts.from; r.heads[from] != nil {
				o.target = from
			}
		}
		return merged(a, m.mergeAt(k.place, r, o, k.at))
	}, "merge", o.source, "--abandon", "--json")
	c.looks = true
	return c
}

func (k player) resolve() modelCommand {
	how := pick([]string{"ours", "theirs", "union"}, k.op.b)
	path := "topics/none.md"
	r, target := k.m.at(k.place, "")
	if h := r.held[target]; h != nil {
		path = pick(slices.Sorted(maps.Keys(h.slots)), k.op.a)
	}
	return k.command(func(m *model, a *answer) error {
		r, target := m.at(k.place, "")
		h := r.held[target]
		if h == nil {
			return a.is(exitRefused)
		}
		slot, ok := h.slots[path]
		if !ok {
			return a.is(exitRefused)
		}
		slot.settled, slot.text = true, settledBy(how, slot.ours, slot.theirs)
		held := *h
		held.slots = maps.Clone(h.slots)
		held.slots[path] = slot
		r.held[target] = &held
		if err := a.is(exitDone); err != nil {
			return err
		}
		return conflictsAre(a, held.slots)
	}, "resolve", path, "--"+how, "--json")
}

// proceed is merge --continue.
func (k player) proceed() modelCommand {
	return k.command(func(m *model, a *answer) error {
		r, target := m.at(k.place, "")
		h := r.held[target]
		switch {
		case h == nil:
			return a.is(exitRefused)
		case h.merge != nil:
			return merged(a, m.merge(r, *h.merge, k.at))
		}
		f := m.continueSync(r, target)
		if err := a.is(f.exits...); err != nil || f.early {
			return err
		}
		return conflictsAre(a, f.slots)
	}, "merge", "--continue", "--json")
}

func (k player) abort() modelCommand {
	return k.command(func(m *model, a *answer) error {
		r, target := m.at(k.place, "")
		if r.held[target] == nil {
			return a.is(exitRefused)
		}
		delete(r.held, target)
		return a.is(exitDone)
	}, "merge", "--abort", "--json")
}

func (k player) fetch() modelCommand {
	return k.command(func(m *model, a *answer) error {
		r := m.repos[k.place.repo]
		m.fetch(r)
		r.noteShared(r.heads)
		return a.is(exitDone)
	}, "fetch", "--json")
}

func (k player) push() modelCommand {
	args, x := []string{"push", "--yes", "--json"}, modelExchange{push: true, first: true}
	if k.op.a%3 == 2 {
		x.only = []string{k.branchName(k.op.b)}
		args = append(args, "origin", x.only[0])
	}
	return k.exchange(x, args...)
}

func (k player) sync() modelCommand {
	return k.exchange(modelExchange{merge: true, push: true}, "sync", "--json")
}

// prefer is a sync that settles every conflict.
func (k player) prefer() modelCommand {
	how := k.crowdless(pick([]string{"ours", "theirs", "union"}, k.op.a))
	return k.exchange(modelExchange{merge: true, push: true, prefer: how}, "sync", "-X", how, "--json")
}

func (k player) exchange(x modelExchange, args ...string) modelCommand {
	c := k.command(func(m *model, a *answer) error {
		x := x
		r, target := m.at(k.place, "")
		x.target = target
		f := m.withHub(r, x)
		if f.late {
			return errors.New("the hub would not have taken that")
		}
		if err := a.is(f.exits...); err != nil || f.early {
			return err
		}
		return conflictsAre(a, f.slots)
	}, args...)
	c.ask = func(m *model) error { return m.ask(m.repos[k.place.repo]) }
	return c
}

func (k player) deleteThere() modelCommand {
	name := pick([]string{"exp", "fix", "tags/best", "main"}, k.op.a)
	return k.command(func(m *model, a *answer) error {
		return a.is(m.deleteOnHub(m.repos[k.place.repo], name))
	}, "push", "--delete", "origin", name, "--json")
}

func modelBundle(i int) string { return pick([]string{"one.bundle", "two.bundle"}, i) }

func (k player) bundle() modelCommand {
	file := modelBundle(k.op.a)
	return k.command(func(m *model, a *answer) error {
		m.bundles[file] = m.repos[k.place.repo].modelSide.clone()
		return a.is(exitDone)
	}, "bundle", "../"+file, "--json")
}

func (k player) unbundle() modelCommand {
	file := modelBundle(k.op.a)
	return k.command(func(m *model, a *answer) error {
		side, ok := m.bundles[file]
		if !ok {
			return a.is(exitRefused)
		}
		r, target := m.at(k.place, "")
		r.bundle = side.clone()
		f := m.exchange(r, modelExchange{merge: true, adopt: true, bundle: file, target: target}, &r.bundle)
		if err := a.is(f.exits...); err != nil {
			return err
		}
		return conflictsAre(a, f.slots)
	}, "unbundle", "../"+file, "--json")
}
