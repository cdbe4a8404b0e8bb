package store_test

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"testing"

	"github.com/git-context/git-context/refs/doc"
	"github.com/git-context/git-context/refs/fail"
	"github.com/git-context/git-context/refs/merge"
	"github.com/git-context/git-context/refs/share"
	"github.com/git-context/git-context/refs/store"
)

// A slot is a place where two sides of a merge may meet.
type slot struct {
	path string // of its conflict, on the current branch
	set  func(r *repo, branch, value string)
	get  func(c content) string
}

var topicSlot = slot{"topics/k.md", func(r *repo, branch, value string) { r.remember(branch, "k", value+"\n") },
	func(c content) string { return c.Topics["k"] }}

var keySlot = slot{"metadata.yaml#seg.k", func(r *repo, branch, value string) { r.set(branch, "seg.k", value) },
	func(c content) string { return fmt.Sprint(c.Metadata.(map[string]any)["seg"].(map[string]any)["k"]) }}

var purposeSlot = slot{"metadata.yaml#branch.purpose", func(r *repo, branch, value string) { r.set(branch, "branch.purpose", value) },
	func(c content) string {
		return fmt.Sprint(c.Metadata.(map[string]any)["branch"].(map[string]any)["purpose"])
	}}

var goalSlot = slot{"main.md#Goal", func(r *repo, _, value string) { r.goal(value) },
	func(c content) string { return c.Plan[len(c.Plan)-1] }}

// settleAll settles what waits in one way and goes on.
func (r *repo) settleAll(how string) {
	r.t.Helper()
	s, ctx := r.open(), r.t.Context()
	st, err := merge.Waiting(ctx, s, "")
	r.must(err)
	for _, c := range st.Conflicts {
		_, err := merge.Resolve(ctx, s, "", c.Path, how, "")
		r.must(err)
	}
	_, err = share.Continue(ctx, s, store.Writer{}, "")
	r.must(err)
}

// crossClones lets each of two clones take in what the other one had before, and
// settle what conflicts with its own: neither merge stands in the other's history.
func crossClones(t *testing.T, a, b *repo) {
	t.Helper()
	var bundles []string
	for _, r := range []*repo{a, b} {
		file := filepath.Join(t.TempDir(), "bundle")
		ok(share.Bundle(t.Context(), r.open(), share.BundleOptions{File: file}))(t)
		bundles = append(bundles, file)
	}
	for i, r := range []*repo{b, a} {
		_, err := share.Unbundle(t.Context(), r.open(), store.Writer{}, bundles[i], nil)
		if errors.Is(err, fail.ErrConflict) {
			r.settleAll(merge.SettleOurs)
			err = nil
		}
		r.must(err)
	}
}

// Where the bases of a merge disagree, what one side alone changed since is taken,
// and where both sides say something of their own that is a conflict: no base
// makes one of them win in silence.
func TestCrissCrossOfClones(t *testing.T) {
	t.Parallel()
	for name, s := range map[string]slot{"topic": topicSlot, "key": keySlot, "purpose": purposeSlot, "goal": goalSlot} {
		for _, first := range []int{0, 1} { // whichever base git names first
			t.Run(fmt.Sprint(name, first), func(t *testing.T) {
				t.Parallel()
				crissCross(t, s, first)
			})
		}
	}
}

func crissCross(t *testing.T, s slot, first int) {
	f := newFleet(t, 2)
	a, b := f.clones[first], f.clones[1-first]
	start := func() {
		s.set(a, "main", "start")
		f.exchange()
	}

	start() // one side changed it before the crossing, and again after it
	s.set(a, "main", "before")
	a.elsewhere("one")
	b.elsewhere("two")
	crossClones(t, a, b)
	s.set(b, "main", "after")
	a.elsewhere("three")
	a.crossing(t, b, "heads/main", "roadmap")
	f.exchange()
	for i, r := range f.clones {
		if got := s.get(r.content("main")); got != "after" && got != "after\n" {
			t.Errorf("clone %d has '%s', though only one side changed it", i, got)
		}
	}

	start() // the same, and it goes back to what it was
	s.set(a, "main", "before")
	a.elsewhere("four")
	b.elsewhere("five")
	crossClones(t, a, b)
	s.set(b, "main", "start")
	a.elsewhere("six")
	f.exchange()
	for i, r := range f.clones {
		if got := s.get(r.content("main")); got != "start" && got != "start\n" {
			t.Errorf("clone %d has '%s', though one side took it back and the other let it be", i, got)
		}
	}

	start() // both changed it, and each settled for its own
	s.set(a, "main", "a")
	s.set(b, "main", "b")
	crossClones(t, a, b)
	a.sync("")
	if got := b.clash(); !slices.Contains(got, s.path) {
		t.Errorf("conflicts: %v", got)
	}
	b.settleAll(merge.SettleUnion)
	f.settle()
}

// elsewhere changes what no slot is about.
func (r *repo) elsewhere(name string) {
	r.t.Helper()
	r.work("main", name, 0)
	r.plan(func(m *doc.Roadmap) error { m.AddTodo(name); return nil })
}

// crossing holds that two histories have several best common ancestors.
func (r *repo) crossing(t *testing.T, other *repo, names ...string) {
	t.Helper()
	for _, name := range names {
		r.git("fetch", "-q", other.dir, "refs/context/"+name+":refs/other")
		if out := r.git("merge-base", "--all", "refs/context/"+name, "refs/other"); len(out) < 2*40 {
			t.Fatalf("bases of %s: %s", name, out)
		}
		r.git("update-ref", "-d", "refs/other")
	}
}

// The same for two branches that took each other in at once, in two clones.
func TestCrissCrossOfBranches(t *testing.T) {
	t.Parallel()
	for name, s := range map[string]slot{"topic": topicSlot, "key": keySlot} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newFleet(t, 2)
			a, b := f.clones[0], f.clones[1]
			s.set(a, "main", "start")
			a.branch("exp", "main")
			b.work("main", "something else", 0)
			a.sync("")
			b.adopt("exp")
			crossBranches := func(values [2]string) {
				t.Helper()
				for i, branch := range []string{"main", "exp"} {
					a.work(branch, "before crossing", 0)
					if values[i] != "" {
						s.set(a, branch, values[i])
					}
				}
				f.exchange()
				for _, m := range []struct {
					r          *repo
					from, into string
				}{{a, "exp", "main"}, {b, "main", "exp"}} {
					res, err := merge.Merge(t.Context(), m.r.open(), store.MergeOptions{Source: m.from, Into: m.into, Keep: true, Prefer: merge.SettleOurs})
					m.r.must(err)
					if both := values[0] != "" && values[1] != ""; both != (len(res.Conflicts) > 0) {
						t.Errorf("merging %s: conflicts %+v", m.from, res.Conflicts)
					}
				}
				f.exchange()
				if out := a.git("merge-base", "--all", "refs/context/heads/main", "refs/context/heads/exp"); len(out) < 2*40 {
					t.Fatalf("bases: %s", out)
				}
			}

			crossBranches([2]string{"", "before"})
			s.set(a, "exp", "after")
			if res := a.merge("exp", "main"); len(res.Conflicts) > 0 {
				t.Errorf("conflicts though only one side changed it: %+v", res.Conflicts)
			}
			if got := s.get(a.content("main")); got != "after" && got != "after\n" {
				t.Errorf("main has '%s'", got)
			}

			crossBranches([2]string{"m", "e"})
			before := a.all()
			res, err := merge.Merge(t.Context(), a.open(), store.MergeOptions{Source: "exp"})
			if !errors.Is(err, fail.ErrConflict) || !slices.Equal(paths(res.Conflicts), []string{s.path}) || a.all() != before {
				t.Errorf("both changed it, and Merge = %+v, %v", res.Conflicts, err)
			}
			a.settleAll(merge.SettleUnion)
			f.settle()
		})
	}
}
