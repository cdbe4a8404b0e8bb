package code_test

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
	"github.com/git-context/git-context/refs/internal/memtest"
	"github.com/git-context/git-context/refs/merge"
	"github.com/git-context/git-context/refs/share"
	"github.com/git-context/git-context/refs/store"
)

func rollBack(r *memtest.Repo, branch, to string) code.RollbackResult {
	r.T.Helper()
	res, err := code.Rollback(r.T.Context(), r.Open(branch), code.RollbackOptions{Branch: branch, To: to})
	r.Must(err)
	return res
}

// To a merge, a rollback is a change like any other: what the other side did not
// touch stays rolled back, what it did since is taken or is a conflict.
func TestMergeAfterRollback(t *testing.T) {
	t.Parallel()
	r := memtest.New(t)
	s, ctx := r.Open(), t.Context()
	memtest.OK(share.Init(ctx, s, share.InitOptions{Goal: "Merge"}))(t)
	r.Remember("main", "kept", "first")
	r.Remember("main", "moved", "first")
	good := r.CommitHash("main", "Good")
	memtest.OK(s.CreateBranch(ctx, store.BranchOptions{Name: "before", NoSwitch: true}))(t)
	r.Remember("before", "moved", "by before")
	for _, key := range []string{"kept", "moved", "fresh"} {
		r.Remember("main", key, "wrong")
	}
	r.CommitHash("main", "Bad")
	memtest.OK(s.CreateBranch(ctx, store.BranchOptions{Name: "since", NoSwitch: true}))(t)
	r.CommitHash("since", "Went on")
	memtest.OK(s.CreateBranch(ctx, store.BranchOptions{Name: "against", NoSwitch: true}))(t)
	r.Remember("against", "kept", "worse")
	if res := rollBack(r, "main", good); res.Unchanged || len(res.Changed) != 2 {
		t.Fatalf("rollback: %+v", res)
	}
	memtest.OK(merge.Merge(ctx, s, store.MergeOptions{Source: "since", Into: "main"}))(t)
	memtest.OK(merge.Merge(ctx, s, store.MergeOptions{Source: "before", Into: "main"}))(t)
	got := r.Content("main")
	if want := map[string]string{"kept": "first", "moved": "by before"}; fmt.Sprint(got.Topics) != fmt.Sprint(want) {
		t.Errorf("topics %v, want %v", got.Topics, want)
	}
	if len(got.Commits) != 6 {
		t.Errorf("milestones: %v", got.Commits)
	}
	res, err := merge.Merge(ctx, s, store.MergeOptions{Source: "against", Into: "main"})
	if !errors.Is(err, fail.ErrConflict) || len(res.Conflicts) != 1 || res.Conflicts[0].Path != "topics/kept.md" {
		t.Errorf("a topic rolled back here and revised there: %v, %v", res.Conflicts, err)
	}
	r.Fsck()
}

// What a rollback undid is no progress of what follows, here or where it is merged.
func TestProgressAfterRollback(t *testing.T) {
	t.Parallel()
	r := memtest.New(t)
	s, ctx := r.Open(), t.Context()
	memtest.OK(share.Init(ctx, s, share.InitOptions{}))(t)
	memtest.OK(s.CreateBranch(ctx, store.BranchOptions{Name: "exp", Purpose: "Try"}))(t)
	r.CommitHash("exp", "Right")
	r.Remember("exp", "a", "right")
	good := r.CommitHash("exp", "Also right")
	r.Remember("exp", "a", "wrong")
	next := memtest.OK(history.Find(ctx, s, r.CommitHash("exp", "Dead end")))(t)
	if res := rollBack(r, "exp", good); res.Progress != next.Progress || res.Kind != doc.KindRollback {
		t.Errorf("progress %q, want that of the commit which followed, %q", res.Progress, next.Progress)
	}
	next = memtest.OK(history.Find(ctx, s, r.CommitHash("exp", "Next")))(t)
	last := memtest.OK(history.Find(ctx, s, r.CommitHash("exp", "Last")))(t)
	merged := memtest.OK(merge.Merge(ctx, s, store.MergeOptions{Source: "exp", Into: "main"}))(t)
	sum := memtest.OK(history.Find(ctx, s, string(*merged.Commit)))(t)
	for _, text := range []string{next.Progress, last.Progress, sum.Contribution} {
		if strings.Contains(text, "Dead end") || !strings.Contains(text, "Right") || !strings.Contains(text, "Also right") {
			t.Errorf("progress:\n%s", text)
		}
	}
}

// The first milestone's progress is empty; after going back to it, it has that milestone.
func TestRollbackToTheFirst(t *testing.T) {
	t.Parallel()
	r := memtest.New(t)
	memtest.OK(share.Init(t.Context(), r.Open(), share.InitOptions{}))(t)
	first := r.CommitHash("main", "First")
	r.Remember("main", "a", "b")
	r.CommitHash("main", "Second")
	if res := rollBack(r, "main", first); res.Progress != "- main 1: First" {
		t.Errorf("progress %q", res.Progress)
	}
}

// Beside writers of the same branch and of the roadmap every one gets through, and
// nothing that was acknowledged is missing.
func TestRollbackBesideOthers(t *testing.T) {
	t.Parallel()
	r := memtest.New(t)
	ctx := t.Context()
	memtest.OK(share.Init(ctx, r.Open(), share.InitOptions{Goal: "One"}))(t)
	r.Remember("main", "a", "one")
	good := r.CommitHash("main", "Good")
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
			_, err := r.Open().Commit(ctx, store.CommitOptions{Summary: fmt.Sprint("Beside ", i),
				Roadmap: store.RoadmapChange{Todo: []string{fmt.Sprint("todo ", i)}}})
			return err
		})
		beside(func() error {
			_, err := r.Open().EditRoadmap(ctx, store.Writer{}, "goal", func(m *doc.Roadmap) error {
				m.SetGoal(fmt.Sprint("goal ", i))
				return nil
			})
			return err
		})
		beside(func() error {
			_, err := code.Rollback(ctx, r.Open(), code.RollbackOptions{To: good})
			return err
		})
	}
	all.Wait()
	rollBack(r, "main", good)
	view, _, err := r.Open().Roadmap(ctx, nil)
	r.Must(err)
	if view.Goal != "One" || len(view.Todo) != 0 {
		t.Errorf("roadmap: %+v", view)
	}
	kept := strings.Join(r.Content("main").Commits, "\n")
	for i := range 4 {
		if !strings.Contains(kept, fmt.Sprint("Beside ", i)) {
			t.Errorf("'Beside %d' is gone", i)
		}
	}
	r.Fsck()
}

// A branch goes back to where it stood, and nowhere else: not to a branch of its name
// that was merged and deleted, whatever its commits say, but to what came from
// another repository, and to what it was made from, however its clock went.
func TestRollbackWhereItStood(t *testing.T) {
	t.Parallel()
	p := memtest.NewClocked(t)
	ctx := t.Context()
	p.Remember("main", "a", "first")
	inherited := p.Commit("main", "Inherited")
	p.Now = p.Now.Add(-time.Hour)
	p.Commit("main", "By a clock that lags")
	memtest.OK(p.Open().CreateBranch(ctx, store.BranchOptions{Name: "exp", NoSwitch: true}))(t)
	p.Remember("exp", "a", "dead end")
	dead := p.Commit("exp", "Dead end")
	memtest.OK(merge.Merge(ctx, p.Open(), store.MergeOptions{Source: "exp", Into: "main"}))(t)
	memtest.OK(p.Open().DeleteBranch(ctx, "exp", true))(t)
	memtest.OK(p.Open().CreateBranch(ctx, store.BranchOptions{Name: "exp", NoSwitch: true}))(t)
	p.Remember("exp", "a", "anew")

	to := func(branch string, at git.ID) error {
		return memtest.Err(code.Rollback(ctx, p.Open(branch), code.RollbackOptions{Branch: branch, To: string(at)}))
	}
	said := memtest.ErrorCode(t, to("exp", dead), "rollback-elsewhere")
	if !strings.Contains(said.Message, "of another branch of that name") || len(said.Hints) != 1 {
		t.Errorf("%s\n%v", said.Message, said.Hints)
	}
	if err := to("exp", inherited); err != nil {
		t.Errorf("to what it was made from: %v", err)
	}

	main := git.BranchRef("main")
	theirs := p.Git("commit-tree", string(inherited)+"^{tree}", "-p", string(inherited), "-m", "Theirs\n\nContext-Branch: main")
	both := p.Git("commit-tree", main+"^{tree}", "-p", main, "-p", theirs, "-m", "Merge branch 'main' of there\n\nContext-Branch: main")
	p.Git("update-ref", main, both)
	if err := to("main", git.ID(theirs)); err != nil {
		t.Errorf("to what came from elsewhere: %v", err)
	}
	if said = memtest.ErrorCode(t, to("main", dead), "rollback-elsewhere"); len(said.Hints) != 1 { // nor did the new exp
		t.Errorf("%v", said.Hints)
	}
}
