package merge_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/git-context/git-context/refs"
	"github.com/git-context/git-context/refs/history"
	"github.com/git-context/git-context/refs/internal/memtest"
	"github.com/git-context/git-context/refs/merge"
	"github.com/git-context/git-context/refs/share"
	"github.com/git-context/git-context/refs/store"
	"pgregory.net/rapid"
)

// play does random work on a few branches and keeps what each must hold.
type play struct {
	t     *rapid.T
	r     *memtest.Repo
	s     *refs.Store
	n     int
	names []string
	steps map[string]map[string]bool // by branch: the actions of its steps
	marks map[string]map[string]bool // by branch: the summaries of its milestones
}

func (h *play) ok(err error) {
	h.t.Helper()
	if err != nil {
		h.t.Fatal(err)
	}
}

func (h *play) on(branch string) *refs.Store { return h.r.Open(branch) }

// work records some steps and may commit them.
func (h *play) work(t *rapid.T) {
	branch := rapid.SampledFrom(h.names).Draw(t, "branch")
	for range rapid.IntRange(1, 3).Draw(t, "steps") {
		h.n++
		action := fmt.Sprintf("%s %d", branch, h.n)
		size := rapid.SampledFrom([]int{0, 3000, 9000}).Draw(t, "size")
		_, err := h.on(branch).Record(t.Context(), []store.NewStep{{Action: action, Observation: memtest.Text(size)}})
		h.ok(err)
		h.steps[branch][action] = true
	}
	if rapid.Bool().Draw(t, "commit") {
		h.n++
		summary := fmt.Sprintf("milestone %d", h.n)
		_, err := h.s.Commit(t.Context(), store.CommitOptions{Branch: branch, Summary: summary})
		h.ok(err)
		h.marks[branch][summary] = true
	}
}

func (h *play) branch(t *rapid.T) {
	if len(h.names) == 5 {
		t.Skip("enough branches")
	}
	h.n++
	name := fmt.Sprintf("b%d", h.n)
	from := rapid.SampledFrom(h.names).Draw(t, "from")
	_, err := h.s.CreateBranch(t.Context(), store.BranchOptions{Name: name, From: from, NoSwitch: true})
	h.ok(err)
	h.names = append(h.names, name)
	h.steps[name], h.marks[name] = map[string]bool{}, map[string]bool{}
}

func (h *play) merge(t *rapid.T) {
	from, into := rapid.SampledFrom(h.names).Draw(t, "from"), rapid.SampledFrom(h.names).Draw(t, "into")
	if from == into {
		t.Skip("itself")
	}
	h.n++
	summary := fmt.Sprintf("merge %d", h.n)
	res, err := merge.Merge(t.Context(), h.s, store.MergeOptions{Source: from, Into: into, Summary: summary})
	h.ok(err)
	if res.UpToDate {
		return // a branch's own past is no news to it, though it was born without it
	}
	for action := range h.steps[from] {
		h.steps[into][action] = true
	}
	for mark := range h.marks[from] {
		h.marks[into][mark] = true
	}
	h.marks[into][summary] = true
	again, err := merge.Merge(t.Context(), h.s, store.MergeOptions{Source: from, Into: into})
	h.ok(err)
	if !again.UpToDate {
		t.Errorf("merging %s into %s again brought %+v", from, into, again)
	}
}

// check holds every branch against the model: each step and milestone once, none
// missing, none too many, and totals that say so.
func (h *play) check(t *rapid.T) {
	for _, name := range h.names {
		tip, err := h.s.Tip(t.Context(), name)
		h.ok(err)
		steps, total, err := history.Steps(t.Context(), h.s, tip, 0, 1_000_000)
		h.ok(err)
		seen := map[string]bool{}
		for _, s := range steps {
			if seen[s.Action] || !h.steps[name][s.Action] {
				t.Errorf("%s: step '%s' stands twice, or should not be there", name, s.Action)
			}
			seen[s.Action] = true
		}
		if len(seen) != len(h.steps[name]) || total != len(seen) {
			t.Errorf("%s: %d steps, total %d; want %d", name, len(seen), total, len(h.steps[name]))
		}
		marks, total, err := history.Commits(t.Context(), h.s, tip, 0, 1_000_000)
		h.ok(err)
		found := map[string]bool{}
		for _, m := range marks {
			if found[m.Summary] || !h.marks[name][m.Summary] || m.Hash == nil {
				t.Errorf("%s: milestone '%s' stands twice, or should not be there, or nowhere in history", name, m.Summary)
			}
			found[m.Summary] = true
		}
		if len(found) != len(h.marks[name]) || total != len(found) {
			t.Errorf("%s: %d milestones, total %d; want %d", name, len(found), total, len(h.marks[name]))
		}
	}
}

// Over random histories of branching and merging every branch holds exactly what
// it recorded and what was merged into it.
func TestMergesLoseAndDoubleNothing(t *testing.T) {
	t.Parallel()
	memtest.Check(t, 30, func(tb testing.TB, rt *rapid.T) {
		r := memtest.New(tb)
		h := &play{t: rt, r: r, s: r.Open(), names: []string{"main"},
			steps: map[string]map[string]bool{"main": {}}, marks: map[string]map[string]bool{"main": {}}}
		_, err := share.Init(rt.Context(), h.s, share.InitOptions{})
		h.ok(err)
		rt.Repeat(map[string]func(*rapid.T){"work": h.work, "branch": h.branch, "merge": h.merge})
		h.check(rt)
	})
}

// Once a branch took in so many others that its totals do not tell them apart any
// more, merging goes on and doubles nothing.
func TestMergesOfVeryManyBranches(t *testing.T) {
	t.Parallel()
	r := memtest.New(t)
	s := r.Open()
	ctx := t.Context()
	memtest.OK(share.Init(ctx, s, share.InitOptions{}))(t)
	long := strings.Repeat("x", 190)
	work := func(branch string, size int) {
		memtest.OK(r.Open(branch).Record(ctx, []store.NewStep{{Action: "on " + branch, Observation: memtest.Text(size)}}))(t)
		memtest.OK(s.Commit(ctx, store.CommitOptions{Branch: branch, Summary: "done"}))(t)
	}
	memtest.OK(s.CreateBranch(ctx, store.BranchOptions{Name: "early", NoSwitch: true}))(t)
	work("main", 10) // so that the same steps stand in other segments here
	first := "b0-" + long
	for i := range 142 {
		name := fmt.Sprintf("b%d-%s", i, long)
		memtest.OK(s.CreateBranch(ctx, store.BranchOptions{Name: name, From: "main", NoSwitch: true}))(t)
		if i == 0 {
			work(first, 9000)
		}
		memtest.OK(merge.Merge(ctx, s, store.MergeOptions{Source: name, Into: "main"}))(t)
	}
	work("main", 10) // seals what the first one brought
	meta := memtest.OK(memtest.OK(s.Tip(ctx, "main"))(t).Metadata(ctx))(t)
	if _, folded := meta.Totals().Origins["_others"]; !folded {
		t.Error("the totals were not folded: nothing was tested")
	}
	memtest.OK(merge.Merge(ctx, s, store.MergeOptions{Source: first, Into: "early"}))(t)
	work("early", 10)
	memtest.OK(merge.Merge(ctx, s, store.MergeOptions{Source: "early", Into: "main"}))(t)
	tip := memtest.OK(s.Tip(ctx, "main"))(t)
	steps, total, err := history.Steps(ctx, s, tip, 0, 1000)
	if err != nil || len(steps) != 4 || total != 4 {
		t.Errorf("%d steps, total %d, want 4 (%v)", len(steps), total, err)
	}
}
