package store_test

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/git-context/git-context/refs/code"
	"github.com/git-context/git-context/refs/doc"
	"github.com/git-context/git-context/refs/fail"
	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/history"
	"github.com/git-context/git-context/refs/merge"
	"github.com/git-context/git-context/refs/share"
	"github.com/git-context/git-context/refs/store"
)

// made makes a milestone and returns its hash.
func (r *repo) made(branch, summary string) string {
	r.t.Helper()
	res, err := r.open(branch).Commit(r.t.Context(), store.CommitOptions{Branch: branch, Summary: summary})
	r.must(err)
	return string(res.Commit)
}

func (r *repo) rollback(branch, to string) code.RollbackResult {
	r.t.Helper()
	res, err := code.Rollback(r.t.Context(), r.open(branch), code.RollbackOptions{Branch: branch, To: to})
	r.must(err)
	return res
}

// To a merge, a rollback is a change like any other: what the other side did not
// touch stays rolled back, what it did since is taken or is a conflict.
func TestMergeAfterRollback(t *testing.T) {
	t.Parallel()
	r := newRepo(t)
	s, ctx := r.open(), t.Context()
	ok(share.Init(ctx, s, share.InitOptions{Goal: "Merge"}))(t)
	r.remember("main", "kept", "first")
	r.remember("main", "moved", "first")
	good := r.made("main", "Good")
	ok(s.CreateBranch(ctx, store.BranchOptions{Name: "before", NoSwitch: true}))(t)
	r.remember("before", "moved", "by before")
	for _, key := range []string{"kept", "moved", "fresh"} {
		r.remember("main", key, "wrong")
	}
	r.made("main", "Bad")
	ok(s.CreateBranch(ctx, store.BranchOptions{Name: "since", NoSwitch: true}))(t)
	r.made("since", "Went on")
	ok(s.CreateBranch(ctx, store.BranchOptions{Name: "against", NoSwitch: true}))(t)
	r.remember("against", "kept", "worse")
	if res := r.rollback("main", good); res.Unchanged || len(res.Changed) != 2 {
		t.Fatalf("rollback: %+v", res)
	}
	ok(merge.Merge(ctx, s, store.MergeOptions{Source: "since", Into: "main"}))(t)
	ok(merge.Merge(ctx, s, store.MergeOptions{Source: "before", Into: "main"}))(t)
	got := r.content("main")
	if want := map[string]string{"kept": "first", "moved": "by before"}; fmt.Sprint(got.Topics) != fmt.Sprint(want) {
		t.Errorf("topics %v, want %v", got.Topics, want)
	}
	if len(got.Milestones) != 6 {
		t.Errorf("milestones: %v", got.Milestones)
	}
	res, err := merge.Merge(ctx, s, store.MergeOptions{Source: "against", Into: "main"})
	if !errors.Is(err, fail.ErrConflict) || len(res.Conflicts) != 1 || res.Conflicts[0].Path != "topics/kept.md" {
		t.Errorf("a topic rolled back here and revised there: %v, %v", res.Conflicts, err)
	}
	r.fsck()
}

// What a rollback undid is no progress of what follows, here or where it is merged.
func TestProgressAfterRollback(t *testing.T) {
	t.Parallel()
	r := newRepo(t)
	s, ctx := r.open(), t.Context()
	ok(share.Init(ctx, s, share.InitOptions{}))(t)
	ok(s.CreateBranch(ctx, store.BranchOptions{Name: "exp", Purpose: "Try"}))(t)
	r.made("exp", "Right")
	r.remember("exp", "a", "right")
	good := r.made("exp", "Also right")
	r.remember("exp", "a", "wrong")
	r.made("exp", "Dead end")
	was := ok(history.Find(ctx, s, good))(t)
	if res := r.rollback("exp", good); res.Progress != was.Progress || res.Kind != doc.KindRollback {
		t.Errorf("progress %q, want %q", res.Progress, was.Progress)
	}
	next := ok(history.Find(ctx, s, r.made("exp", "Next")))(t)
	last := ok(history.Find(ctx, s, r.made("exp", "Last")))(t)
	merged := ok(merge.Merge(ctx, s, store.MergeOptions{Source: "exp", Into: "main"}))(t)
	sum := ok(history.Find(ctx, s, string(*merged.Commit)))(t)
	for _, text := range []string{next.Progress, last.Progress, sum.Contribution} {
		if strings.Contains(text, "Dead end") || !strings.Contains(text, "Right") || !strings.Contains(text, "Also right") {
			t.Errorf("progress:\n%s", text)
		}
	}
}

// The first milestone's progress is empty, and so it is after going back to it.
func TestRollbackToTheFirst(t *testing.T) {
	t.Parallel()
	r := newRepo(t)
	ok(share.Init(t.Context(), r.open(), share.InitOptions{}))(t)
	first := r.made("main", "First")
	r.remember("main", "a", "b")
	r.made("main", "Second")
	if res := r.rollback("main", first); res.Progress != "" {
		t.Errorf("progress %q", res.Progress)
	}
}

// Beside writers of the same branch and of the roadmap every one gets through, and
// nothing that was acknowledged is missing.
func TestRollbackBesideOthers(t *testing.T) {
	t.Parallel()
	r := newRepo(t)
	ctx := t.Context()
	ok(share.Init(ctx, r.open(), share.InitOptions{Goal: "One"}))(t)
	r.remember("main", "a", "one")
	good := r.made("main", "Good")
	var all sync.WaitGroup
	beside := func(do func() error) {
		all.Go(func() {
			if err := do(); err != nil {
				t.Error(err)
			}
		})
	}
	for i := range 4 {
		beside(func() error {
			_, err := r.open().Commit(ctx, store.CommitOptions{Summary: fmt.Sprint("Beside ", i),
				Roadmap: store.RoadmapChange{Todo: []string{fmt.Sprint("todo ", i)}}})
			return err
		})
		beside(func() error {
			_, err := r.open().EditRoadmap(ctx, store.Writer{}, "goal", func(m *doc.Roadmap) error {
				m.SetGoal(fmt.Sprint("goal ", i))
				return nil
			})
			return err
		})
		beside(func() error {
			_, err := code.Rollback(ctx, r.open(), code.RollbackOptions{To: good})
			return err
		})
	}
	all.Wait()
	r.rollback("main", good)
	view, _, err := r.open().Roadmap(ctx, nil)
	r.must(err)
	if view.Goal != "One" || len(view.Todo) != 0 {
		t.Errorf("roadmap: %+v", view)
	}
	kept := strings.Join(r.content("main").Milestones, "\n")
	for i := range 4 {
		if !strings.Contains(kept, fmt.Sprint("Beside ", i)) {
			t.Errorf("'Beside %d' is gone", i)
		}
	}
	r.fsck()
}

// A branch goes back to where it stood, and nowhere else: not to a branch of its name
// that was merged and deleted, whatever its commits say, but to what came from
// another repository, and to what it was made from, however its clock went.
func TestRollbackWhereItStood(t *testing.T) {
	t.Parallel()
	p := newPast(t)
	ctx := t.Context()
	p.remember("main", "a", "first")
	inherited := p.commit("main", "Inherited")
	p.now = p.now.Add(-time.Hour)
	p.commit("main", "By a clock that lags")
	ok(p.store().CreateBranch(ctx, store.BranchOptions{Name: "exp", NoSwitch: true}))(t)
	p.remember("exp", "a", "dead end")
	dead := p.commit("exp", "Dead end")
	ok(merge.Merge(ctx, p.store(), store.MergeOptions{Source: "exp", Into: "main"}))(t)
	ok(p.store().DeleteBranch(ctx, "exp", true))(t)
	ok(p.store().CreateBranch(ctx, store.BranchOptions{Name: "exp", NoSwitch: true}))(t)
	p.remember("exp", "a", "anew")

	to := func(branch string, at git.ID) error {
		return second(code.Rollback(ctx, p.store(branch), code.RollbackOptions{Branch: branch, To: string(at)}))
	}
	said := deniedAs(t, to("exp", dead), "rollback-elsewhere")
	if !strings.Contains(said.Message, "of another branch that was called so") || len(said.Hints) != 1 {
		t.Errorf("%s\n%v", said.Message, said.Hints)
	}
	if err := to("exp", inherited); err != nil {
		t.Errorf("to what it was made from: %v", err)
	}

	main := git.BranchRef("main")
	theirs := p.git("commit-tree", string(inherited)+"^{tree}", "-p", string(inherited), "-m", "Theirs\n\nContext-Branch: main")
	both := p.git("commit-tree", main+"^{tree}", "-p", main, "-p", theirs, "-m", "Merge branch 'main' of there\n\nContext-Branch: main")
	p.git("update-ref", main, both)
	if err := to("main", git.ID(theirs)); err != nil {
		t.Errorf("to what came from elsewhere: %v", err)
	}
	if said = deniedAs(t, to("main", dead), "rollback-elsewhere"); len(said.Hints) != 1 { // nor did the new exp
		t.Errorf("%v", said.Hints)
	}
}
