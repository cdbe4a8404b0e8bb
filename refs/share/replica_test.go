package share_test

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/git-context/git-context/refs/doc"
	"github.com/git-context/git-context/refs/fail"
	"github.com/git-context/git-context/refs/internal/memtest"
	"github.com/git-context/git-context/refs/merge"
	"github.com/git-context/git-context/refs/share"
	"github.com/git-context/git-context/refs/store"
)

// entrySet is what of a branch must stand: actions of steps, summaries of
// milestones.
type entrySet map[string]bool

// known is what one repository must hold of each branch, as far as it is committed.
type known map[string]entrySet

// learn adds what another repository has of a branch.
func (k known) learn(branch string, from entrySet) {
	if k[branch] == nil {
		k[branch] = entrySet{}
	}
	maps.Copy(k[branch], from)
}

// replicas plays random work on clones of one hub, and keeps what must come of it.
type replicas struct {
	*memtest.Fleet
	rt *rapid.T
	n  int

	have    []known // by clone
	fetched []known // what each clone saw of the hub last
	hub     known
	pending []map[string][]string        // by clone and branch: steps not yet committed
	topics  map[string]map[string]string // by branch: those that one clone alone wrote, once
	keys    map[string]map[string]string // the same of metadata
	items   map[string]bool              // to-dos, and whether somebody ticked them
	removed map[string]bool
	tags    map[string]string
}

func newReplicas(tb testing.TB, rt *rapid.T) *replicas {
	h := &replicas{Fleet: memtest.NewFleet(tb, rapid.IntRange(2, 3).Draw(rt, "clones")), rt: rt, hub: known{"main": {}},
		topics: map[string]map[string]string{}, keys: map[string]map[string]string{},
		items: map[string]bool{}, removed: map[string]bool{}, tags: map[string]string{}}
	for range h.Clones {
		h.have = append(h.have, known{"main": {}})
		h.fetched = append(h.fetched, known{"main": {}})
		h.pending = append(h.pending, map[string][]string{})
	}
	return h
}

func (h *replicas) next(what string) string { h.n++; return fmt.Sprint(what, " ", h.n) }

// draw picks a clone and one of its branches.
func (h *replicas) draw(t *rapid.T) (i int, branch string) {
	i = rapid.IntRange(0, len(h.Clones)-1).Draw(t, "clone")
	return i, rapid.SampledFrom(slices.Sorted(maps.Keys(h.have[i]))).Draw(t, "branch")
}

func (h *replicas) record(t *rapid.T) {
	i, branch := h.draw(t)
	for range rapid.IntRange(1, 3).Draw(t, "steps") {
		action, size := h.next("step"), rapid.SampledFrom([]int{0, 3000, 9000}).Draw(t, "size")
		_, err := h.Clones[i].Open(branch).Record(t.Context(), []store.NewStep{{Action: action, Observation: memtest.Text(size)}})
		h.Clones[i].Must(err)
		h.pending[i][branch] = append(h.pending[i][branch], action)
	}
	if rapid.Bool().Draw(t, "commit") {
		h.commit(i, branch)
	}
}

func (h *replicas) commit(i int, branch string) {
	summary := h.next("milestone")
	_, err := h.Clones[i].Open().Commit(h.rt.Context(), store.CommitOptions{Branch: branch, Summary: summary})
	h.Clones[i].Must(err)
	h.have[i][branch][summary] = true
	h.drain(i, branch)
	if h.n%3 == 0 {
		name := fmt.Sprint("tag", h.n)
		ch, err := h.Clones[i].Open(branch).SetTag(h.rt.Context(), store.Writer{}, name, "")
		h.Clones[i].Must(err)
		h.tags[name] = string(ch.Commit)
	}
}

func (h *replicas) drain(i int, branch string) {
	for _, action := range h.pending[i][branch] {
		h.have[i][branch][action] = true
	}
	delete(h.pending[i], branch)
}

// remember fills or empties slots that clones share, and one of its own.
func (h *replicas) remember(t *rapid.T) {
	i, branch := h.draw(t)
	r, key := h.Clones[i], rapid.SampledFrom([]string{"alpha", "beta"}).Draw(t, "key")
	if rapid.IntRange(0, 3).Draw(t, "forget") == 0 {
		_, err := r.Open(branch).Forget(t.Context(), store.Writer{}, key)
		if !errors.Is(err, fail.ErrNotFound) {
			r.Must(err)
		}
	} else {
		r.Remember(branch, key, "first\n"+h.next("text")+"\nlast\n")
	}
	own := fmt.Sprint("own-", h.n, "-", i)
	r.Remember(branch, own, own)
	put(h.topics, branch, own, own)
}

func (h *replicas) set(t *rapid.T) {
	i, branch := h.draw(t)
	h.Clones[i].Set(branch, rapid.SampledFrom([]string{"shared.a", "shared.b.c", "branch.purpose"}).Draw(t, "key"), h.next("value"))
	own := h.next("k")
	h.Clones[i].Set(branch, `own."`+own+`"`, own)
	put(h.keys, branch, own, own)
}

func put(m map[string]map[string]string, branch, key, value string) {
	if m[branch] == nil {
		m[branch] = map[string]string{}
	}
	m[branch][key] = value
}

func (h *replicas) plan(t *rapid.T) {
	i, _ := h.draw(t)
	item := h.next("item")
	what := rapid.SampledFrom([]string{"add", "tick", "remove", "goal"}).Draw(t, "what")
	h.Clones[i].Plan(func(m *doc.Roadmap) error {
		todo := m.Todo()
		at := todo[h.n%len(todo)] // there is always the one that the memory began with
		switch {
		case what == "goal":
			m.SetGoal(item)
		case what == "tick":
			h.items[at.Text] = true
			return m.MarkTodo(at.Text, true)
		case what == "remove" && at.Text != "begin":
			h.removed[at.Text] = true
			return m.RemoveTodo(at.Text)
		default:
			if m.AddTodo(item) {
				h.items[item] = false
			}
		}
		return nil
	})
}

func (h *replicas) branch(t *rapid.T) {
	i, from := h.draw(t)
	name := rapid.SampledFrom([]string{"exp", "try"}).Draw(t, "name") // two clones may make one of the same name
	if h.have[i][name] != nil {
		t.Skip("there already")
	}
	h.Clones[i].Branch(name, from)
	h.have[i][name] = entrySet{}
}

func (h *replicas) merge(t *rapid.T) {
	i, from := h.draw(t)
	into := rapid.SampledFrom(slices.Sorted(maps.Keys(h.have[i]))).Draw(t, "into")
	if from == into {
		t.Skip("itself")
	}
	summary := h.next("merge")
	o := store.MergeOptions{Source: from, Into: into, Summary: summary, Keep: rapid.Bool().Draw(t, "keep"), Prefer: h.prefer(t)}
	r := h.Clones[i]
	res, err := merge.Merge(t.Context(), r.Open(), o)
	if errors.Is(err, fail.ErrConflict) && o.Prefer == "" {
		res = h.resolve(t, i, into)
		err = nil
	}
	r.Must(err)
	if res.UpToDate {
		return
	}
	h.drain(i, from)
	h.have[i].learn(into, h.have[i][from])
	h.have[i][into][summary] = true
	if again, err := merge.Merge(t.Context(), r.Open(), store.MergeOptions{Source: from, Into: into}); err != nil || !again.UpToDate {
		t.Errorf("merging %s into %s again: %+v, %v", from, into, again, err)
	}
}

func (h *replicas) prefer(t *rapid.T) string {
	return rapid.SampledFrom([]string{"", merge.SettleOurs, merge.SettleTheirs, merge.SettleUnion}).Draw(t, "prefer")
}

// resolve settles what waits, each conflict in a way of its own.
func (h *replicas) resolve(t *rapid.T, i int, target string) merge.Result {
	r := h.Clones[i]
	st, err := merge.Waiting(t.Context(), r.Open(), target)
	r.Must(err)
	for _, c := range st.Conflicts {
		how := rapid.SampledFrom([]string{merge.SettleOurs, merge.SettleTheirs, merge.SettleUnion}).Draw(t, "how")
		_, err := merge.Resolve(t.Context(), r.Open(), target, c.Path, how, "")
		r.Must(err)
	}
	res, err := share.Continue(t.Context(), r.Open(), store.Writer{}, target)
	r.Must(err)
	return res
}

func (h *replicas) sync(t *rapid.T) {
	i, _ := h.draw(t)
	h.syncClone(t, i, h.prefer(t))
	if name := rapid.SampledFrom([]string{"exp", "try"}).Draw(t, "adopt"); h.have[i][name] == nil && h.fetched[i][name] != nil {
		h.adopt(i, name)
	}
}

func (h *replicas) adopt(i int, name string) {
	h.Clones[i].Switch(name)
	h.Clones[i].Switch("main")
	h.have[i].learn(name, h.fetched[i][name])
}

func (h *replicas) syncClone(t *rapid.T, i int, prefer string) {
	r := h.Clones[i]
	_, err := share.Sync(t.Context(), r.Open(), share.Options{Prefer: prefer})
	if errors.Is(err, fail.ErrConflict) && prefer == "" {
		h.resolve(t, i, "")
		r.Sync("")
		err = nil
	}
	r.Must(err)
	for branch := range h.have[i] {
		h.have[i].learn(branch, h.hub[branch])
		h.hub.learn(branch, h.have[i][branch])
	}
	h.fetched[i] = known{}
	for branch, set := range h.hub {
		h.fetched[i].learn(branch, set)
	}
}

// finish commits what is pending, brings everything everywhere and holds it
// against the model.
func (h *replicas) finish(t *rapid.T) {
	for round := range 2 {
		for i := range h.Clones {
			for _, branch := range slices.Sorted(maps.Keys(h.pending[i])) {
				h.commit(i, branch)
			}
			h.syncClone(t, i, merge.SettleUnion)
			for _, name := range slices.Sorted(maps.Keys(h.hub)) {
				if h.have[i][name] == nil && round == 1 {
					h.adopt(i, name)
				}
			}
		}
	}
	h.Settle()
	for i, r := range h.Clones {
		for branch, want := range h.hub {
			h.check(t, i, branch, want, r.Content(branch))
		}
		for name, id := range h.tags {
			if got := r.Git("rev-parse", "refs/context/tags/"+name); got != id {
				t.Errorf("clone %d: tag %s is %s, want %s", i, name, got, id)
			}
		}
	}
}

func (h *replicas) check(t *rapid.T, i int, branch string, want entrySet, c memtest.Content) {
	got := entrySet{}
	for _, entry := range slices.Concat(c.Steps, c.Commits) {
		got[entry[strings.Index(entry, " ")+1:]] = true
	}
	if !maps.Equal(got, want) {
		t.Errorf("clone %d, branch %s has %v, want %v", i, branch, got, want)
	}
	for key, text := range h.topics[branch] {
		if c.Topics[key] != text {
			t.Errorf("clone %d, branch %s: topic %s is '%s'", i, branch, key, c.Topics[key])
		}
	}
	for key, text := range c.Topics {
		if strings.Contains(text, "<<<<<<<") {
			t.Errorf("clone %d, branch %s: a base's markers stand in topic %s: %s", i, branch, key, text)
		}
	}
	own, _ := c.Metadata.(map[string]any)["own"].(map[string]any)
	for key, value := range h.keys[branch] {
		if own[key] != value {
			t.Errorf("clone %d, branch %s: own.%s is %v", i, branch, key, own[key])
		}
	}
	if strings.Contains(fmt.Sprint(c.Metadata), "<<<<<<<") {
		t.Errorf("clone %d, branch %s: a base's markers stand in %v", i, branch, c.Metadata)
	}
	for item, ticked := range h.items {
		if h.removed[item] {
			continue
		}
		if !slices.Contains(c.Plan, memtest.PlanLine(store.Item{Text: item, Done: true})) &&
			(ticked || !slices.Contains(c.Plan, memtest.PlanLine(store.Item{Text: item}))) {
			t.Errorf("clone %d: item '%s' (ticked: %v) is missing in %v", i, item, ticked, c.Plan)
		}
	}
}

// Over random histories of clones that branch, merge and sync, every clone ends
// with all that any of them was told, once, and they are alike.
func TestReplicasLoseAndDoubleNothing(t *testing.T) {
	t.Parallel()
	memtest.Check(t, 3, func(tb testing.TB, rt *rapid.T) {
		h := newReplicas(tb, rt)
		rt.Repeat(map[string]func(*rapid.T){"record": h.record, "remember": h.remember, "set": h.set, "plan": h.plan,
			"branch": h.branch, "merge": h.merge, "sync": h.sync, "sync again": h.sync})
		h.finish(rt)
	})
}
