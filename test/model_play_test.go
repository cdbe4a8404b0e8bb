//go:build unix

package test

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// The exit codes of CLI.md.
const (
	exitDone     = 0
	exitRefused  = 1
	exitConflict = 3
)

// modelCommand is one command at a place, and what the model foretells of it.
type modelCommand struct {
	place modelPlace
	git   bool // git itself, not git-context
	args  []string
	stdin string
	edit  string // what the code's file is to hold before
	at    int64  // the time of it, in seconds
	looks bool   // the whole state is to be looked at afterwards: ids that it does not tell

	// foretell makes the change in the model, and says where the answer is another one.
	foretell func(m *model, a *answer) error
	// ask is what an exchange with the hub does before, nil for all others: what others
	// push in between it does not see, unless it is to push that, too.
	ask func(m *model) error
}

// answer is what a command came to.
type answer struct {
	exit      int
	out, errs string
}

// is checks the exit code alone.
func (a *answer) is(exits ...int) error {
	if !slices.Contains(exits, a.exit) {
		return fmt.Errorf("exit %d, not %d", a.exit, exits)
	}
	return nil
}

// said reads the JSON of a command that went well.
func (a *answer) said(v any) error {
	if err := json.Unmarshal([]byte(a.out), v); err != nil {
		return fmt.Errorf("no JSON: %w: %q", err, a.out)
	}
	return nil
}

// id is the id that a command answers with.
func (a *answer) id() (string, error) {
	var v struct{ ID string }
	err := a.said(&v)
	if err == nil && v.ID == "" {
		err = fmt.Errorf("no id in %q", a.out)
	}
	return v.ID, err
}

// modelOp is what is drawn: numbers, which mean something once the model says what there
// is. A failure shrinks to few and small ones.
type modelOp struct {
	kind, place, a, b, c int
	view                 bool // the whole state is looked at afterwards
}

// The small alphabets.
func branchNames() []string { return []string{"main", "exp", "fix"} }
func topicNames() []string  { return []string{"lock", "pool", "test"} }
func slotTexts() []string   { return []string{"yes", "no", "maybe"} }
func itemTexts() []string   { return []string{"lexer", "parser", "store"} }

func pick(list []string, i int) string { return list[i%len(list)] }

// player makes a command of a drawn operation, from the model as it stands before.
type player struct {
	m     *model
	op    modelOp
	n     int // of the command in its sequence: makes texts that nobody else has
	place modelPlace
	at    int64
	crowd bool // others run at the same time
}

func (k player) repo() *modelRepo { return k.m.repos[k.place.repo] }

// on is the branch that a command acts on: mostly the current one.
func (k player) on(i int) (branch string, args []string) {
	if i%3 == 0 {
		branch = k.branchName(i / 3)
		return branch, []string{"-b", branch}
	}
	return "", nil
}

// branchName is the name of a branch, mostly of one that is there.
func (k player) branchName(i int) string {
	if names := slices.Sorted(maps.Keys(k.repo().heads)); i%7 != 6 {
		return pick(names, i)
	}
	return pick(branchNames(), i)
}

func (k player) command(foretell func(m *model, a *answer) error, args ...string) modelCommand {
	return modelCommand{place: k.place, args: args, at: k.at, foretell: foretell}
}

// milestones are those that a repository can name by id, oldest first.
func (r *modelRepo) milestones() []*modelNode {
	var tips, list []*modelNode
	for _, side := range []map[string]*modelNode{r.heads, r.tags} {
		for _, name := range slices.Sorted(maps.Keys(side)) {
			tips = append(tips, side[name])
		}
	}
	for n := range ancestors(tips...) {
		if n.mark != nil && n.mark.id != "" {
			list = append(list, n)
		}
	}
	slices.SortFunc(list, func(a, b *modelNode) int { return compareText(a.mark.id, b.mark.id) })
	return slices.Compact(list)
}

func compareText(a, b string) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

// noMilestone is the id of a milestone that nobody made.
const noMilestone = "01ARZ3NDEKTSV4RRFFQ69G5FAV"

// milestone is the id of some milestone; the newest for 0.
func (k player) milestone(i int) string {
	list := k.repo().milestones()
	if len(list) == 0 {
		return noMilestone
	}
	return list[len(list)-1-i%len(list)].mark.id
}

// named finds a milestone by its id; nil for none.
func (r *modelRepo) named(id string) *modelNode {
	for _, n := range r.milestones() {
		if n.mark.id == id {
			return n
		}
	}
	return nil
}

// next is a commit on top of a branch in which nothing has changed yet.
func (r *modelRepo) next(branch string) *modelNode {
	c := r.heads[branch].follow()
	c.roadmap = r.roadmap
	return c
}

// modelKinds are all operations; a kind that stands twice is drawn twice as often. Those
// that stand first are what a failure shrinks to.
func modelKinds() []func(player) modelCommand {
	return []func(player) modelCommand{
		player.record, player.record, player.commit, player.commit, player.remember, player.remember, player.forget,
		player.setKey, player.setKey, player.unsetKey, player.setPurpose, player.reviseRoadmap, player.reviseRoadmap, player.section,
		player.branch, player.branch, player.branch, player.switchTo, player.switchTo, player.merge, player.merge, player.merge, player.abandon,
		player.resolve, player.resolve, player.proceed, player.abort, player.rollback, player.tag, player.untag, player.note, player.note,
		player.deleteBranch, player.deleteBranch, player.restoreBranch, player.renameBranch,
		player.fetch, player.push, player.sync, player.sync, player.sync, player.sync, player.prefer, player.deleteThere,
		player.bundle, player.unbundle, player.importTrace, player.collect, player.fsck, player.spill, player.code, player.code,
	}
}

// beside are the operations that may be part of a batch: those whose outcome some order
// of the commands explains, whatever steps of theirs overlap.
func beside() []func(player) modelCommand {
	return []func(player) modelCommand{
		player.record, player.record, player.commit, player.commit, player.remember, player.forget, player.setKey, player.reviseRoadmap,
		player.branch, player.switchTo, player.merge, player.tag, player.note, player.importTrace, player.collect, player.sync, player.sync, player.prefer,
		player.deleteBranch, player.renameBranch, player.rollback,
	}
}

func (k player) record() modelCommand {
	branch, args := k.on(k.op.a)
	if k.op.b%3 == 2 {
		return k.recordAll(branch, append(args, "record", "--stdin"))
	}
	return k.recording(branch, args, "did job"+strconv.Itoa(k.n))
}

// recordAll records three steps with one command. Each is one for itself, and something
// else may come in between: beside other commands there is but one.
func (k player) recordAll(branch string, args []string) modelCommand {
	var lines strings.Builder
	var actions []string
	n := 3
	if k.crowd {
		n = 1
	}
	for i := range n {
		actions = append(actions, fmt.Sprint("did job", k.n, "x", i))
		fmt.Fprintf(&lines, `{"action":"%s"}`+"\n", actions[i])
	}
	c := k.command(func(m *model, a *answer) error {
		r, b := m.at(k.place, branch)
		if r.heads[b] == nil {
			return a.is(exitRefused)
		}
		said := slices.Collect(strings.Lines(a.out))
		if len(said) != len(actions) {
			return fmt.Errorf("%d answers, not %d: %q", len(said), len(actions), a.out)
		}
		for i, action := range actions {
			id, err := (&answer{out: said[i]}).id()
			if err != nil {
				return err
			}
			r.pending[b] = append(r.pending[b], &modelStep{id: id, action: action, origin: b})
		}
		return a.is(exitDone)
	}, args...)
	c.stdin = lines.String()
	return c
}

func (k player) recording(branch string, args []string, action string) modelCommand {
	return k.command(func(m *model, a *answer) error {
		r, b := m.at(k.place, branch)
		if r.heads[b] == nil {
			return a.is(exitRefused)
		}
		id, err := a.id()
		if err != nil {
			return err
		}
		r.pending[b] = append(r.pending[b], &modelStep{id: id, action: action, origin: b})
		return a.is(exitDone)
	}, append(args, "record", "-a", action, "--json")...)
}

func (k player) commit() modelCommand {
	branch, args := k.on(k.op.a)
	summary := fmt.Sprint("milestone ", k.n)
	args = append(args, "commit", "-m", summary, "--json")
	done, todo := "", ""
	switch k.op.b % 5 {
	case 3:
		todo = pick(itemTexts(), k.op.c)
		args = append(args, "--todo", todo)
	case 4:
		done = pick(itemTexts(), k.op.c)
		args = append(args, "--done", done)
	}
	return k.command(func(m *model, a *answer) error {
		r, b := m.at(k.place, branch)
		if r.heads[b] == nil {
			return a.is(exitRefused)
		}
		roadmap := r.roadmap.follow()
		if done != "" && !roadmap.mark(listMilestones, done, true) && !roadmap.mark(listTodo, done, true) {
			return a.is(exitRefused)
		}
		if todo != "" {
			roadmap.add(listTodo, todo)
		}
		var v struct {
			ID    string
			Steps struct{ Count int }
		}
		if err := a.said(&v); err != nil {
			return err
		}
		r.roadmap = roadmap.or(r.roadmap)
		c := r.next(b)
		if n := r.drain(b, c); n != v.Steps.Count {
			return fmt.Errorf("%d steps were committed, not %d", v.Steps.Count, n)
		}
		c.milestone(&modelMark{id: v.ID, summary: summary, origin: b})
		r.heads[b] = c
		return a.is(exitDone)
	}, args...)
}

func (k player) importTrace() modelCommand {
	branch, args := k.on(k.op.a)
	file := pick(modelTraces(), k.op.b)
	c := k.command(func(m *model, a *answer) error {
		r, b := m.at(k.place, branch)
		if r.heads[b] == nil {
			return a.is(exitRefused)
		}
		known := map[string]bool{}
		committed, pending := r.trace(b)
		for _, s := range append(committed, pending...) {
			known[s.source] = true
		}
		came := 0
		for i := range modelTraceSteps {
			s := &modelStep{action: fmt.Sprint(file, " ", i), origin: b, source: fmt.Sprint(file, "#", i)}
			if !known[s.source] {
				r.pending[b] = append(r.pending[b], s)
				came++
			}
		}
		var v struct{ Steps, Skipped int }
		if err := a.said(&v); err != nil {
			return err
		}
		if v.Steps != came || v.Steps+v.Skipped != modelTraceSteps {
			return fmt.Errorf("%d steps came and %d were skipped; %d should have come", v.Steps, v.Skipped, came)
		}
		return a.is(exitDone)
	}, append(args, "import", "--from", "swe-agent", "../"+file, "--json")...)
	c.looks = true
	return c
}

// modelTraces are files of another agent, beside the clones.
func modelTraces() []string { return []string{"one.traj", "two.traj"} }

const modelTraceSteps = 2

// collect is the user's own git gc, or that of memory, at any time.
func (k player) collect() modelCommand {
	if k.op.a%2 == 1 {
		return k.command(func(_ *model, a *answer) error { return a.is(exitDone) }, "gc", "--json")
	}
	c := k.command(func(_ *model, a *answer) error {
		if a.exit != exitDone && gaveWay(a.errs) {
			return nil
		}
		return a.is(exitDone)
	}, "gc", "-q")
	c.git = true
	return c
}

func (k player) fsck() modelCommand {
	return k.command(func(_ *model, a *answer) error { return a.is(exitDone) }, "fsck")
}
