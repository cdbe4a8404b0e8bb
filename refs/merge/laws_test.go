package merge_test

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
	"github.com/git-context/git-context/refs/internal/memtest"
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
	memtest.Check(t, 2, func(tb testing.TB, rt *rapid.T) {
		f := memtest.NewFleet(tb, 2)
		diverge(f.Clones[0], rt, "common")
		f.Settle()
		diverge(f.Clones[0], rt, "left")
		diverge(f.Clones[1], rt, "right")
		g := f.Copy()
		prefer := merge.SettleUnion
		f.Clones[0].Sync(prefer)
		f.Clones[1].Sync(prefer)
		g.Clones[1].Sync(prefer)
		g.Clones[0].Sync(prefer)
		f.Settle()
		g.Settle()
		a, b := f.Clones[0].Content("main"), g.Clones[0].Content("main")
		for _, c := range []memtest.Content{a, b} { // a union says ours first
			c.Topics["both"], c.Metadata.(map[string]any)["both"] = sorted(c.Topics["both"]), nil
		}
		if !slices.Contains(a.Plan, memtest.PlanLine(store.Item{Text: "begin", Done: true})) {
			rt.Fatalf("what one side ticked is open: %v", a.Plan)
		}
		if diff := cmp.Diff(a, b); diff != "" {
			rt.Fatalf("A merged with B, and B with A: %s", diff)
		}
		if diff := cmp.Diff(f.Clones[0].Files("main"), g.Clones[0].Files("main")); diff != "" {
			rt.Fatalf("files of A merged with B, and B with A: %s", diff)
		}
	})
}

// sorted puts the lines of a text in order.
func sorted(text string) string {
	return strings.Join(slices.Sorted(strings.Lines(text)), "")
}

// diverge does random work that meets another clone's in one topic and one key.
func diverge(r *memtest.Repo, rt *rapid.T, who string) {
	for i := range rapid.IntRange(1, 4).Draw(rt, "commits") {
		r.Work("main", fmt.Sprint(who, i), rapid.SampledFrom([]int{0, 3000, 9000}).Draw(rt, "size"))
	}
	r.Remember("main", who, who+"\n")
	r.Set("main", "env_config."+who, "1")
	r.Set("main", "segment_"+who, "{a: 1}")
	r.Plan(func(m *doc.Roadmap) error {
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
		r.Set("main", "both", who)
	}
}

// Two clones, one or both of which sealed a live file that began alike, lose and
// double nothing, whichever of them merges.
func TestMergeOfSegmentsThatBeginAlike(t *testing.T) {
	t.Parallel()
	for _, steps := range [][2]int{{4, 4}, {1, 4}} { // over the limit with the second, sealed by the third
		t.Run(fmt.Sprint(steps), func(t *testing.T) {
			t.Parallel()
			f := memtest.NewFleet(t, 2)
			f.Clones[0].Work("main", "common", 4000)
			f.Settle()
			var sealed []string
			for i, r := range f.Clones {
				for n := range steps[i] {
					r.Work("main", fmt.Sprint("clone ", i, " step ", n), 5000)
				}
				if names := r.Git("ls-tree", "-r", "--name-only", "refs/context/heads/main", "log"); names != "" {
					sealed = append(sealed, strings.Fields(names)[0])
				}
			}
			if n := len(sealed); n == 0 || sealed[0] != sealed[n-1] || (n == 2) != (steps[0] == steps[1]) {
				t.Fatalf("the first segments are %v", sealed)
			}
			g := f.Copy()
			f.Settle()
			slices.Reverse(g.Clones)
			g.Settle()
			all := 1 + steps[0] + steps[1]
			for _, r := range slices.Concat(f.Clones, g.Clones) {
				if c := r.Content("main"); len(c.Steps) != all || len(c.Commits) != all {
					t.Errorf("%d steps, %d milestones: %v", len(c.Steps), len(c.Commits), c.Steps)
				}
			}
			if diff := cmp.Diff(f.Clones[0].Files("main"), g.Clones[0].Files("main")); diff != "" {
				t.Errorf("the files depend on who merged: %s", diff)
			}
		})
	}
}

// What a clone committed is not pending there again when another one's merge,
// whose own side knows less of that clone's journal, comes back.
func TestCommittedStepsStayCommitted(t *testing.T) {
	t.Parallel()
	f := memtest.NewFleet(t, 2)
	a, b := f.Clones[0], f.Clones[1]
	a.Work("main", "first", 0)
	f.Exchange()
	b.Remember("main", "k", "from b\n")
	a.Work("main", "second", 0)
	f.Settle()
	for i, r := range f.Clones {
		if c := r.Content("main"); len(c.Steps) != 2 {
			t.Errorf("clone %d: %v", i, c.Steps)
		}
		r.Work("main", fmt.Sprint("third of ", i), 0)
	}
	f.Settle()
	if c := a.Content("main"); len(c.Steps) != 4 {
		t.Errorf("%v", c.Steps)
	}
}

// contradict writes as many topics on both sides of a merge: two branches, or two
// clones. alike says whether they meet.
func contradict(t *testing.T, topics int, alike bool) (branches, clones *memtest.Fleet) {
	t.Helper()
	branches, clones = memtest.NewFleet(t, 1), memtest.NewFleet(t, 2)
	one := branches.Clones[0]
	one.Branch("exp", "main")
	for side, write := range []func(key, text string){
		func(key, text string) { one.Remember("main", key, text); clones.Clones[0].Remember("main", key, text) },
		func(key, text string) { one.Remember("exp", key, text); clones.Clones[1].Remember("main", key, text) },
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

	r := branches.Clones[0]
	for range 2 { // what was given up conflicts again
		before := r.AllRefs()
		res, err := merge.Merge(t.Context(), r.Open(), store.MergeOptions{Source: "exp"})
		if !errors.Is(err, fail.ErrConflict) || !slices.Equal(memtest.Paths(res.Conflicts), want) || r.AllRefs() != before {
			t.Errorf("Merge = %v, %v; refs moved: %v", memtest.Paths(res.Conflicts), err, r.AllRefs() != before)
		}
		st := memtest.OK(merge.Abort(t.Context(), r.Open(), ""))(t)
		if !slices.Equal(memtest.Paths(st.Conflicts), want) || r.AllRefs() != before {
			t.Errorf("MergeAbort = %+v", st)
		}
		if _, err := merge.Waiting(t.Context(), r.Open(), ""); !errors.Is(err, fail.ErrNotFound) {
			t.Errorf("after MergeAbort: %v", err)
		}
	}

	clones.Clones[0].Sync("")
	r = clones.Clones[1]
	hub := clones.Hub.SharedRefs()
	before := ""
	for range 2 {
		if got := r.Clash(); !slices.Equal(got, want) {
			t.Errorf("Sync: %v", got)
		}
		if before == "" {
			before = r.AllRefs() // what was fetched stays known
		}
		memtest.OK(merge.Abort(t.Context(), r.Open(), ""))(t)
		if r.AllRefs() != before || clones.Hub.SharedRefs() != hub {
			t.Errorf("refs moved:\n%s\n%s", before, r.AllRefs())
		}
	}
	if got := r.Content("main").Topics; got["topic3"] != "side 1\n" || len(got) != 5 {
		t.Errorf("topics after the conflict: %v", got)
	}
}

func TestDisjointMemoriesDoNotConflict(t *testing.T) {
	t.Parallel()
	branches, clones := contradict(t, 25, false)
	r := branches.Clones[0]
	if res := r.Merge("exp", "main"); len(res.Conflicts) > 0 {
		t.Errorf("Merge: %+v", res.Conflicts)
	}
	if n := len(r.Content("main").Topics); n != 50 {
		t.Errorf("%d topics", n)
	}
	clones.Settle()
	for _, r := range clones.Clones {
		if n := len(r.Content("main").Topics); n != 50 {
			t.Errorf("%d topics", n)
		}
	}
}

// A sync in conflict on several branches and the roadmap is settled in one go, and
// the other clone gets just that.
func TestSyncConflictsSettled(t *testing.T) {
	t.Parallel()
	f := memtest.NewFleet(t, 2)
	a, b := f.Clones[0], f.Clones[1]
	a.Branch("exp", "main")
	a.Sync("")
	b.Adopt("exp")
	for i, r := range f.Clones {
		who := fmt.Sprint("clone ", i)
		r.Work("main", who, 0)
		r.Remember("main", "k", who+"\n")
		r.Set("main", "seg.port", fmt.Sprint(8080+i))
		r.Set("main", `seg."a.b"`, fmt.Sprint(i))
		r.Remember("exp", "k", who+" on exp\n")
		r.Goal("goal of " + who)
	}
	a.Sync("")
	want := []string{"exp:topics/k.md", "main.md#Goal", `metadata.yaml#seg."a.b"`, "metadata.yaml#seg.port", "topics/k.md"}
	if got := b.Clash(); !slices.Equal(got, want) {
		t.Fatalf("conflicts %v", got)
	}
	s, ctx := b.Open(), t.Context()
	memtest.OK(merge.Resolve(ctx, s, "", "exp:topics/k.md", merge.SettleTheirs, ""))(t)
	memtest.OK(merge.Resolve(ctx, s, "", "main.md#Goal", "", "Both goals"))(t)
	memtest.OK(merge.Resolve(ctx, s, "", `metadata.yaml#seg."a.b"`, merge.SettleOurs, ""))(t)
	memtest.OK(merge.Resolve(ctx, s, "", "metadata.yaml#seg.port", merge.SettleUnion, ""))(t)
	if _, err := share.Continue(ctx, s, store.Writer{}, ""); !errors.Is(err, fail.ErrConflict) {
		t.Errorf("MergeContinue with one open: %v", err)
	}
	if got := b.Clash(); !slices.Contains(got, "topics/k.md") { // a sync keeps what was resolved
		t.Errorf("conflicts %v", got)
	}
	memtest.OK(merge.Resolve(ctx, s, "", "topics/k.md", "", "settled\n"))(t)
	memtest.OK(share.Continue(ctx, s, store.Writer{}, ""))(t)
	f.Settle()
	for i, r := range f.Clones {
		c := r.Content("main")
		seg, err := json.Marshal(c.Metadata.(map[string]any)["seg"])
		if err != nil || c.Topics["k"] != "settled\n" || string(seg) != `{"a.b":1,"port":[8081,8080]}` {
			t.Errorf("clone %d: %v %s %v", i, c.Topics, seg, err)
		}
		if goal := c.Plan[len(c.Plan)-1]; goal != "Both goals" || len(c.Commits) != 2 {
			t.Errorf("clone %d: goal %q, milestones %v", i, goal, c.Commits)
		}
		if got := r.Content("exp").Topics["k"]; got != "clone 0 on exp\n" {
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
		meet   func(a, b *memtest.Repo)
		status string
		steps  int // on exp
		onMain []string
	}{
		{"worked on", func(a, b *memtest.Repo) { a.Merge("exp", "main"); b.Work("exp", "late", 0) }, doc.StatusActive, 2, []string{"early"}},
		{"both closed", func(a, b *memtest.Repo) { a.Merge("exp", "main"); b.Merge("exp", "main") }, doc.StatusMerged, 1, []string{"early"}},
		{"worked on and closed", func(a, b *memtest.Repo) { a.Merge("exp", "main"); b.Work("exp", "late", 0); b.Merge("exp", "main") },
			doc.StatusMerged, 2, []string{"early", "late"}},
		{"abandoned and closed", func(a, b *memtest.Repo) {
			_, err := merge.Merge(t.Context(), a.Open(), store.MergeOptions{Source: "exp", Abandon: true})
			a.Must(err)
			b.Merge("exp", "main")
		}, "", 1, []string{"early"}},
		{"told again only", func(a, b *memtest.Repo) { a.Merge("exp", "main"); b.Remember("exp", "k", "no milestone\n") }, doc.StatusMerged, 1, []string{"early"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			f := memtest.NewFleet(t, 2)
			a, b := f.Clones[0], f.Clones[1]
			a.Branch("exp", "main")
			a.Work("exp", "early", 0)
			a.Sync("")
			b.Adopt("exp")
			c.meet(a, b)
			g := f.Copy()
			slices.Reverse(g.Clones)
			f.Settle()
			g.Settle()
			var status []string
			for _, r := range slices.Concat(f.Clones, g.Clones) {
				exp, main := r.Content("exp"), r.Content("main")
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
	f := memtest.NewFleet(t, 1)
	a, b := f.Clones[0], memtest.New(t)
	memtest.OK(share.Init(t.Context(), b.Open(), share.InitOptions{Milestones: []string{"another plan"}}))(t)
	for i, r := range []*memtest.Repo{a, b} {
		for n := range 3 {
			r.Work("main", fmt.Sprint("side ", i, " ", n), 5000)
		}
		r.Remember("main", fmt.Sprint("own", i), "x\n")
		r.Set("main", fmt.Sprint("own", i), "x")
		r.Remember("main", "same", "said by both\n")
		memtest.OK(r.Open().SetTag(t.Context(), store.Writer{}, fmt.Sprint("tag", i), ""))(t)
	}
	a.Sync("")
	b.Git("remote", "add", "origin", f.Hub.Dir)
	memtest.OK(share.Init(t.Context(), b.Open(), share.InitOptions{}))(t)
	f.Clones = append(f.Clones, b)
	f.Settle()
	for i, r := range f.Clones {
		c := r.Content("main")
		if len(c.Steps) != 6 || len(c.Commits) != 6 {
			t.Errorf("clone %d: %v", i, c.Steps)
		}
		if want := map[string]string{"own0": "x\n", "own1": "x\n", "same": "said by both\n"}; !maps.Equal(c.Topics, want) {
			t.Errorf("clone %d: topics %v", i, c.Topics)
		}
		if want := "{another plan false},{begin false},Reach it"; strings.Join(c.Plan, ",") != want {
			t.Errorf("clone %d: plan %v", i, c.Plan)
		}
		if tags := memtest.OK(r.Open().Tags(t.Context()))(t); len(tags) != 2 {
			t.Errorf("clone %d: tags %v", i, tags)
		}
		if n := len(strings.Fields(r.Git("notes", "--ref=context", "list"))); n != 2*6 {
			t.Errorf("clone %d: %d notes", i, n/2)
		}
	}
}
