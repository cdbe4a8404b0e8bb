package merge_test

import (
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/git-context/git-context/refs/doc"
	"github.com/git-context/git-context/refs/fail"
	"github.com/git-context/git-context/refs/internal/memtest"
	"github.com/git-context/git-context/refs/merge"
	"github.com/git-context/git-context/refs/share"
	"github.com/git-context/git-context/refs/store"
)

// A slot is a place where two sides of a merge may meet.
type slot struct {
	path string // of its conflict, on the current branch
	set  func(r *memtest.Repo, branch, value string)
	get  func(c memtest.Content) string
}

var topicSlot = slot{"topics/k.md", func(r *memtest.Repo, branch, value string) { r.Remember(branch, "k", value+"\n") },
	func(c memtest.Content) string { return c.Topics["k"] }}

var keySlot = slot{"metadata.yaml#seg.k", func(r *memtest.Repo, branch, value string) { r.Set(branch, "seg.k", value) },
	func(c memtest.Content) string {
		return fmt.Sprint(c.Metadata.(map[string]any)["seg"].(map[string]any)["k"])
	}}

var purposeSlot = slot{"metadata.yaml#branch.purpose", func(r *memtest.Repo, branch, value string) { r.Set(branch, "branch.purpose", value) },
	func(c memtest.Content) string {
		return fmt.Sprint(c.Metadata.(map[string]any)["branch"].(map[string]any)["purpose"])
	}}

var goalSlot = slot{"main.md#Goal", func(r *memtest.Repo, _, value string) { r.Goal(value) },
	func(c memtest.Content) string { return c.Plan[len(c.Plan)-1] }}

// settleAll settles what waits in one way and goes on.
func settleAll(r *memtest.Repo, how string) {
	r.T.Helper()
	s, ctx := r.Open(), r.T.Context()
	st, err := merge.Waiting(ctx, s, "")
	r.Must(err)
	for _, c := range st.Conflicts {
		_, err := merge.Resolve(ctx, s, "", c.Path, how, "")
		r.Must(err)
	}
	_, err = share.Continue(ctx, s, store.Writer{}, "")
	r.Must(err)
}

// crossClones lets each of two clones take in what the other one had before, and
// settle what conflicts with its own: neither merge stands in the other's history.
func crossClones(t *testing.T, a, b *memtest.Repo) {
	t.Helper()
	var bundles []string
	for _, r := range []*memtest.Repo{a, b} {
		file := filepath.Join(t.TempDir(), "bundle")
		memtest.OK(share.Bundle(t.Context(), r.Open(), share.BundleOptions{File: file}))(t)
		bundles = append(bundles, file)
	}
	for i, r := range []*memtest.Repo{b, a} {
		_, err := share.Unbundle(t.Context(), r.Open(), store.Writer{}, bundles[i], nil)
		if errors.Is(err, fail.ErrConflict) {
			settleAll(r, merge.SettleOurs)
			err = nil
		}
		r.Must(err)
	}
}

// Where the bases of a merge disagree, what one side alone changed since is taken,
// and where both sides say something of their own that is a conflict: no base
// makes one of them win in silence.
// The slots are played at once: what is decided about one does not depend on the others.
func TestCrissCrossOfClones(t *testing.T) {
	t.Parallel()
	for _, first := range []int{0, 1} { // whichever base git names first
		t.Run(fmt.Sprint(first), func(t *testing.T) {
			t.Parallel()
			crissCross(t, first)
		})
	}
}

func crissCross(t *testing.T, first int) {
	f := memtest.NewFleet(t, 2)
	a, b := f.Clones[first], f.Clones[1-first]
	slots := map[string]slot{"topic": topicSlot, "key": keySlot, "purpose": purposeSlot, "goal": goalSlot}
	set := func(r *memtest.Repo, value string) {
		for _, name := range slices.Sorted(maps.Keys(slots)) {
			slots[name].set(r, "main", value)
		}
	}
	want := func(value, why string) {
		for i, r := range f.Clones {
			for name, s := range slots {
				if got := strings.TrimSuffix(s.get(r.Content("main")), "\n"); got != value {
					t.Errorf("%s of clone %d has '%s', though %s", name, i, got, why)
				}
			}
		}
	}
	start := func() {
		set(a, "start")
		f.Exchange()
	}

	start() // one side changed it before the crossing, and again after it
	set(a, "before")
	elsewhere(a, "one")
	elsewhere(b, "two")
	crossClones(t, a, b)
	set(b, "after")
	elsewhere(a, "three")
	crossing(a, t, b, "heads/main", "roadmap")
	f.Exchange()
	want("after", "only one side changed it")

	start() // the same, and it goes back to what it was
	set(a, "before")
	elsewhere(a, "four")
	elsewhere(b, "five")
	crossClones(t, a, b)
	set(b, "start")
	elsewhere(a, "six")
	f.Exchange()
	want("start", "one side took it back and the other let it be")

	start() // both changed it, and each settled for its own
	set(a, "a")
	set(b, "b")
	crossClones(t, a, b)
	a.Sync("")
	conflicts := b.Clash()
	for name, s := range slots {
		if !slices.Contains(conflicts, s.path) {
			t.Errorf("no conflict in %s, only in %v", name, conflicts)
		}
	}
	settleAll(b, merge.SettleUnion)
	f.Settle()
}

// elsewhere changes what no slot is about.
func elsewhere(r *memtest.Repo, name string) {
	r.T.Helper()
	r.Work("main", name, 0)
	r.Plan(func(m *doc.Roadmap) error { m.AddTodo(name); return nil })
}

// crossing holds that two histories have several best common ancestors.
func crossing(r *memtest.Repo, t *testing.T, other *memtest.Repo, names ...string) {
	t.Helper()
	for _, name := range names {
		r.Git("fetch", "-q", other.Dir, "refs/context/"+name+":refs/other")
		if out := r.Git("merge-base", "--all", "refs/context/"+name, "refs/other"); len(out) < 2*40 {
			t.Fatalf("bases of %s: %s", name, out)
		}
		r.Git("update-ref", "-d", "refs/other")
	}
}

// The same for two branches that took each other in at once, in two clones.
func TestCrissCrossOfBranches(t *testing.T) {
	t.Parallel()
	for name, s := range map[string]slot{"topic": topicSlot, "key": keySlot} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := memtest.NewFleet(t, 2)
			a, b := f.Clones[0], f.Clones[1]
			s.set(a, "main", "start")
			a.Branch("exp", "main")
			b.Work("main", "something else", 0)
			a.Sync("")
			b.Adopt("exp")
			crossBranches := func(values [2]string) {
				t.Helper()
				for i, branch := range []string{"main", "exp"} {
					a.Work(branch, "before crossing", 0)
					if values[i] != "" {
						s.set(a, branch, values[i])
					}
				}
				f.Exchange()
				for _, m := range []struct {
					r          *memtest.Repo
					from, into string
				}{{a, "exp", "main"}, {b, "main", "exp"}} {
					res, err := merge.Merge(t.Context(), m.r.Open(), store.MergeOptions{Source: m.from, Into: m.into, Keep: true, Prefer: merge.SettleOurs})
					m.r.Must(err)
					if both := values[0] != "" && values[1] != ""; both != (len(res.Conflicts) > 0) {
						t.Errorf("merging %s: conflicts %+v", m.from, res.Conflicts)
					}
				}
				f.Exchange()
				if out := a.Git("merge-base", "--all", "refs/context/heads/main", "refs/context/heads/exp"); len(out) < 2*40 {
					t.Fatalf("bases: %s", out)
				}
			}

			crossBranches([2]string{"", "before"})
			s.set(a, "exp", "after")
			if res := a.Merge("exp", "main"); len(res.Conflicts) > 0 {
				t.Errorf("conflicts though only one side changed it: %+v", res.Conflicts)
			}
			if got := s.get(a.Content("main")); got != "after" && got != "after\n" {
				t.Errorf("main has '%s'", got)
			}

			crossBranches([2]string{"m", "e"})
			before := a.AllRefs()
			res, err := merge.Merge(t.Context(), a.Open(), store.MergeOptions{Source: "exp"})
			if !errors.Is(err, fail.ErrConflict) || !slices.Equal(memtest.Paths(res.Conflicts), []string{s.path}) || a.AllRefs() != before {
				t.Errorf("both changed it, and Merge = %+v, %v", res.Conflicts, err)
			}
			settleAll(a, merge.SettleUnion)
			f.Settle()
		})
	}
}
