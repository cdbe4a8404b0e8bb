package store_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/git-context/git-context/refs/doc"
	"github.com/git-context/git-context/refs/fail"
	"github.com/git-context/git-context/refs/merge"
	"github.com/git-context/git-context/refs/share"
	"github.com/git-context/git-context/refs/store"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// Whichever of two clones merges what diverged, the memory is the same. So are
// its files, but for the order of what is a set: the keys of metadata.yaml, and
// in main.md each side's own items come first.
func TestMergeEitherWay(t *testing.T) {
	t.Parallel()
	checks(t, 2, func(tb testing.TB, rt *rapid.T) {
		f := newFleet(tb, 2)
		f.clones[0].diverge(rt, "common")
		f.settle()
		f.clones[0].diverge(rt, "left")
		f.clones[1].diverge(rt, "right")
		g := f.copy()
		prefer := merge.SettleUnion
		f.clones[0].sync(prefer)
		f.clones[1].sync(prefer)
		g.clones[1].sync(prefer)
		g.clones[0].sync(prefer)
		f.settle()
		g.settle()
		a, b := f.clones[0].content("main"), g.clones[0].content("main")
		for _, c := range []content{a, b} { // a union says ours first
			c.Topics["both"], c.Metadata.(map[string]any)["both"] = sorted(c.Topics["both"]), nil
		}
		if !slices.Contains(a.Plan, "{begin true}") {
			rt.Fatalf("what one side ticked is open: %v", a.Plan)
		}
		if diff := cmp.Diff(a, b); diff != "" {
			rt.Fatalf("A merged with B, and B with A: %s", diff)
		}
		if diff := cmp.Diff(f.clones[0].files("main"), g.clones[0].files("main")); diff != "" {
			rt.Fatalf("files of A merged with B, and B with A: %s", diff)
		}
	})
}

// sorted puts the lines of a text in order.
func sorted(text string) string {
	return strings.Join(slices.Sorted(strings.Lines(text)), "")
}

// diverge does random work that meets another clone's in one topic and one key.
func (r *repo) diverge(rt *rapid.T, who string) {
	for i := range rapid.IntRange(1, 4).Draw(rt, "commits") {
		r.work("main", fmt.Sprint(who, i), rapid.SampledFrom([]int{0, 3000, 9000}).Draw(rt, "size"))
	}
	r.remember("main", who, who+"\n")
	r.set("main", "env_config."+who, "1")
	r.set("main", "segment_"+who, "{a: 1}")
	r.plan(func(m *doc.Roadmap) error {
		m.AddTodo(who)
		m.AddMilestone("done by " + who)
		if who == "right" {
			if err := m.MarkTodo("begin", true); err != nil {
				return err
			}
		}
		return m.MarkMilestone("done by "+who, true)
	})
	if rapid.Bool().Draw(rt, "meet") && who != "common" {
		r.set("main", "both", who)
	}
}

// Two clones, one or both of which sealed a live file that began alike, lose and
// double nothing, whichever of them merges.
func TestMergeOfSegmentsThatBeginAlike(t *testing.T) {
	t.Parallel()
	for _, steps := range [][2]int{{4, 4}, {1, 4}} { // over the limit with the second, sealed by the third
		t.Run(fmt.Sprint(steps), func(t *testing.T) {
			t.Parallel()
			f := newFleet(t, 2)
			f.clones[0].work("main", "common", 4000)
			f.settle()
			var sealed []string
			for i, r := range f.clones {
				for n := range steps[i] {
					r.work("main", fmt.Sprint("clone ", i, " step ", n), 5000)
				}
				if names := r.git("ls-tree", "-r", "--name-only", "refs/context/heads/main", "log"); names != "" {
					sealed = append(sealed, strings.Fields(names)[0])
				}
			}
			if n := len(sealed); n == 0 || sealed[0] != sealed[n-1] || (n == 2) != (steps[0] == steps[1]) {
				t.Fatalf("the first segments are %v", sealed)
			}
			g := f.copy()
			f.settle()
			slices.Reverse(g.clones)
			g.settle()
			all := 1 + steps[0] + steps[1]
			for _, r := range slices.Concat(f.clones, g.clones) {
				if c := r.content("main"); len(c.Steps) != all || len(c.Milestones) != all {
					t.Errorf("%d steps, %d milestones: %v", len(c.Steps), len(c.Milestones), c.Steps)
				}
			}
			if diff := cmp.Diff(f.clones[0].files("main"), g.clones[0].files("main")); diff != "" {
				t.Errorf("the files depend on who merged: %s", diff)
			}
		})
	}
}

// What a clone committed is not pending there again when another one's merge,
// whose own side knows less of that clone's journal, comes back.
func TestCommittedStepsStayCommitted(t *testing.T) {
	t.Parallel()
	f := newFleet(t, 2)
	a, b := f.clones[0], f.clones[1]
	a.work("main", "first", 0)
	f.exchange()
	b.remember("main", "k", "from b\n")
	a.work("main", "second", 0)
	f.settle()
	for i, r := range f.clones {
		if c := r.content("main"); len(c.Steps) != 2 {
			t.Errorf("clone %d: %v", i, c.Steps)
		}
		r.work("main", fmt.Sprint("third of ", i), 0)
	}
	f.settle()
	if c := a.content("main"); len(c.Steps) != 4 {
		t.Errorf("%v", c.Steps)
	}
}

// contradict writes as many topics on both sides of a merge: two branches, or two
// clones. alike says whether they meet.
func contradict(t *testing.T, topics int, alike bool) (branches, clones *fleet) {
	t.Helper()
	branches, clones = newFleet(t, 1), newFleet(t, 2)
	one := branches.clones[0]
	one.branch("exp", "main")
	for side, write := range []func(key, text string){
		func(key, text string) { one.remember("main", key, text); clones.clones[0].remember("main", key, text) },
		func(key, text string) { one.remember("exp", key, text); clones.clones[1].remember("main", key, text) },
	} {
		for i := range topics {
			key := fmt.Sprint("topic", i)
			if !alike {
				key += fmt.Sprint("-", side)
			}
			write(key, fmt.Sprint("side ", side, "\n"))
		}
	}
	return branches, clones
}

func TestContradictionsConflict(t *testing.T) {
	t.Parallel()
	branches, clones := contradict(t, 5, true)
	want := []string{"topics/topic0.md", "topics/topic1.md", "topics/topic2.md", "topics/topic3.md", "topics/topic4.md"}

	r := branches.clones[0]
	for range 2 { // what was given up conflicts again
		before := r.all()
		res, err := merge.Merge(t.Context(), r.open(), store.MergeOptions{Source: "exp"})
		if !errors.Is(err, fail.ErrConflict) || !slices.Equal(paths(res.Conflicts), want) || r.all() != before {
			t.Errorf("Merge = %v, %v; refs moved: %v", paths(res.Conflicts), err, r.all() != before)
		}
		st := ok(merge.Abort(t.Context(), r.open(), ""))(t)
		if !slices.Equal(paths(st.Conflicts), want) || r.all() != before {
			t.Errorf("MergeAbort = %+v", st)
		}
		if _, err := merge.Waiting(t.Context(), r.open(), ""); !errors.Is(err, fail.ErrNotFound) {
			t.Errorf("after MergeAbort: %v", err)
		}
	}

	clones.clones[0].sync("")
	r = clones.clones[1]
	hub := clones.hub.shared()
	before := ""
	for range 2 {
		if got := r.clash(); !slices.Equal(got, want) {
			t.Errorf("Sync: %v", got)
		}
		if before == "" {
			before = r.all() // what was fetched stays known
		}
		ok(merge.Abort(t.Context(), r.open(), ""))(t)
		if r.all() != before || clones.hub.shared() != hub {
			t.Errorf("refs moved:\n%s\n%s", before, r.all())
		}
	}
	if got := r.content("main").Topics; got["topic3"] != "side 1\n" || len(got) != 5 {
		t.Errorf("topics after the conflict: %v", got)
	}
}

func TestDisjointMemoriesDoNotConflict(t *testing.T) {
	t.Parallel()
	branches, clones := contradict(t, 25, false)
	r := branches.clones[0]
	if res := r.merge("exp", "main"); len(res.Conflicts) > 0 {
		t.Errorf("Merge: %+v", res.Conflicts)
	}
	if n := len(r.content("main").Topics); n != 50 {
		t.Errorf("%d topics", n)
	}
	clones.settle()
	for _, r := range clones.clones {
		if n := len(r.content("main").Topics); n != 50 {
			t.Errorf("%d topics", n)
		}
	}
}

// A sync in conflict on several branches and the roadmap is settled in one go, and
// the other clone gets just that.
func TestSyncConflictsSettled(t *testing.T) {
	t.Parallel()
	f := newFleet(t, 2)
	a, b := f.clones[0], f.clones[1]
	a.branch("exp", "main")
	a.sync("")
	b.adopt("exp")
	for i, r := range f.clones {
		who := fmt.Sprint("clone ", i)
		r.work("main", who, 0)
		r.remember("main", "k", who+"\n")
		r.set("main", "seg.port", fmt.Sprint(8080+i))
		r.set("main", `seg."a.b"`, fmt.Sprint(i))
		r.remember("exp", "k", who+" on exp\n")
		r.goal("goal of " + who)
	}
	a.sync("")
	want := []string{"exp:topics/k.md", "main.md#Goal", `metadata.yaml#seg."a.b"`, "metadata.yaml#seg.port", "topics/k.md"}
	if got := b.clash(); !slices.Equal(got, want) {
		t.Fatalf("conflicts %v", got)
	}
	s, ctx := b.open(), t.Context()
	ok(merge.Resolve(ctx, s, "", "exp:topics/k.md", merge.SettleTheirs, ""))(t)
	ok(merge.Resolve(ctx, s, "", "main.md#Goal", "", "Both goals"))(t)
	ok(merge.Resolve(ctx, s, "", `metadata.yaml#seg."a.b"`, merge.SettleOurs, ""))(t)
	ok(merge.Resolve(ctx, s, "", "metadata.yaml#seg.port", merge.SettleUnion, ""))(t)
	if _, err := share.Continue(ctx, s, store.Writer{}, ""); !errors.Is(err, fail.ErrConflict) {
		t.Errorf("MergeContinue with one open: %v", err)
	}
	if got := b.clash(); !slices.Contains(got, "topics/k.md") { // a sync keeps what was resolved
		t.Errorf("conflicts %v", got)
	}
	ok(merge.Resolve(ctx, s, "", "topics/k.md", "", "settled\n"))(t)
	ok(share.Continue(ctx, s, store.Writer{}, ""))(t)
	f.settle()
	for i, r := range f.clones {
		c := r.content("main")
		seg, err := json.Marshal(c.Metadata.(map[string]any)["seg"])
		if err != nil || c.Topics["k"] != "settled\n" || string(seg) != `{"a.b":1,"port":[8081,8080]}` {
			t.Errorf("clone %d: %v %s %v", i, c.Topics, seg, err)
		}
		if goal := c.Plan[len(c.Plan)-1]; goal != "Both goals" || len(c.Milestones) != 2 {
			t.Errorf("clone %d: goal %q, milestones %v", i, goal, c.Milestones)
		}
		if got := r.content("exp").Topics["k"]; got != "clone 0 on exp\n" {
			t.Errorf("clone %d: exp says %q", i, got)
		}
	}
}

// A branch that one clone merged and closed while another one worked on is active
// again and has all of it; one that both closed stays closed.
func TestClosedAndWorkedOn(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name   string
		meet   func(a, b *repo)
		status string
		steps  int // on exp
		onMain []string
	}{
		{"worked on", func(a, b *repo) { a.merge("exp", "main"); b.work("exp", "late", 0) }, doc.StatusActive, 2, []string{"early"}},
		{"both closed", func(a, b *repo) { a.merge("exp", "main"); b.merge("exp", "main") }, doc.StatusMerged, 1, []string{"early"}},
		{"worked on and closed", func(a, b *repo) { a.merge("exp", "main"); b.work("exp", "late", 0); b.merge("exp", "main") },
			doc.StatusMerged, 2, []string{"early", "late"}},
		{"abandoned and closed", func(a, b *repo) {
			_, err := merge.Merge(t.Context(), a.open(), store.MergeOptions{Source: "exp", Abandon: true})
			a.must(err)
			b.merge("exp", "main")
		}, "", 1, []string{"early"}},
		{"told again only", func(a, b *repo) { a.merge("exp", "main"); b.remember("exp", "k", "no milestone\n") }, doc.StatusMerged, 1, []string{"early"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			f := newFleet(t, 2)
			a, b := f.clones[0], f.clones[1]
			a.branch("exp", "main")
			a.work("exp", "early", 0)
			a.sync("")
			b.adopt("exp")
			c.meet(a, b)
			g := f.copy()
			slices.Reverse(g.clones)
			f.settle()
			g.settle()
			var status []string
			for _, r := range slices.Concat(f.clones, g.clones) {
				exp, main := r.content("exp"), r.content("main")
				facts := exp.Metadata.(map[string]any)["branch"].(map[string]any)
				status = append(status, fmt.Sprint(facts["status"]))
				if len(exp.Steps) != c.steps {
					t.Errorf("exp has %v", exp.Steps)
				}
				for _, want := range c.onMain {
					if !slices.ContainsFunc(main.Steps, func(s string) bool { return strings.HasSuffix(s, " "+want) }) {
						t.Errorf("main lacks '%s': %v", want, main.Steps)
					}
				}
			}
			if slices.Sort(status); status[0] != status[3] || c.status != "" && status[0] != c.status {
				t.Errorf("status %v, want %s", status, c.status)
			}
		})
	}
}

// Two memories that began apart meet without a loss.
func TestUnrelatedHistories(t *testing.T) {
	t.Parallel()
	f := newFleet(t, 1)
	a, b := f.clones[0], newRepo(t)
	ok(share.Init(t.Context(), b.open(), share.InitOptions{Milestones: []string{"another plan"}}))(t)
	for i, r := range []*repo{a, b} {
		for n := range 3 {
			r.work("main", fmt.Sprint("side ", i, " ", n), 5000)
		}
		r.remember("main", fmt.Sprint("own", i), "x\n")
		r.set("main", fmt.Sprint("own", i), "x")
		r.remember("main", "same", "said by both\n")
		ok(r.open().SetTag(t.Context(), store.Writer{}, fmt.Sprint("tag", i), ""))(t)
	}
	a.sync("")
	b.git("remote", "add", "origin", f.hub.dir)
	ok(share.Init(t.Context(), b.open(), share.InitOptions{}))(t)
	f.clones = append(f.clones, b)
	f.settle()
	for i, r := range f.clones {
		c := r.content("main")
		if len(c.Steps) != 6 || len(c.Milestones) != 6 {
			t.Errorf("clone %d: %v", i, c.Steps)
		}
		if want := map[string]string{"own0": "x\n", "own1": "x\n", "same": "said by both\n"}; !maps.Equal(c.Topics, want) {
			t.Errorf("clone %d: topics %v", i, c.Topics)
		}
		if want := "{another plan false},{begin false},Reach it"; strings.Join(c.Plan, ",") != want {
			t.Errorf("clone %d: plan %v", i, c.Plan)
		}
		if tags := ok(r.open().Tags(t.Context()))(t); len(tags) != 2 {
			t.Errorf("clone %d: tags %v", i, tags)
		}
		if n := len(strings.Fields(r.git("notes", "--ref=context", "list"))); n != 2*6 {
			t.Errorf("clone %d: %d notes", i, n/2)
		}
	}
}
