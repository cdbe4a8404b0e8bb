package refs_test

import (
	"strings"
	"testing"

	"github.com/git-context/git-context/refs/history"
	"github.com/git-context/git-context/refs/internal/memtest"
	"github.com/git-context/git-context/refs/merge"
	"github.com/git-context/git-context/refs/share"
	"github.com/git-context/git-context/refs/store"
)

func TestOneDay(t *testing.T) {
	r := memtest.New(t)
	s, ctx := r.Open(), t.Context()
	init := memtest.OK(share.Init(ctx, s, share.InitOptions{Goal: "Fix the pool", Milestones: []string{"Find it"}, Purpose: "The trunk"}))(t)
	if !init.Created || init.Branch != "main" {
		t.Errorf("Init = %+v", init)
	}
	memtest.OK(s.Record(ctx, []store.NewStep{{Observation: "500 on /users", Thought: "pool", Action: "go test"}}))(t)
	got := memtest.OK(r.Open().Commit(ctx, store.CommitOptions{Summary: "Pool is initialised", Contribution: "It is.\n\nReally."}))(t)
	if got.Steps != (store.StepRange{First: 1, Last: 1, Count: 1}) || len(got.Warnings) > 0 {
		t.Errorf("Commit = %+v", got)
	}
	b := memtest.OK(s.CreateBranch(ctx, store.BranchOptions{Name: "exp", Purpose: "Try sqlx"}))(t)
	if !b.Current || b.CreatedFrom == nil || *b.CreatedFrom != "main" {
		t.Errorf("CreateBranch = %+v", b)
	}
	memtest.OK(s.Record(ctx, []store.NewStep{{Action: "go get sqlx"}, {Action: "go build"}}))(t)
	memtest.OK(s.Commit(ctx, store.CommitOptions{Summary: "sqlx builds"}))(t)
	memtest.OK(s.Record(ctx, []store.NewStep{{Action: "go vet"}}))(t)
	memtest.OK(s.Switch(ctx, "main"))(t)
	m := memtest.OK(merge.Merge(ctx, s, store.MergeOptions{Source: "exp"}))(t)
	if m.Steps != 3 || m.UpToDate || len(m.Conflicts) > 0 || len(m.Warnings) > 0 {
		t.Errorf("Merge = %+v", m)
	}
	again := memtest.OK(merge.Merge(ctx, s, store.MergeOptions{Source: "exp"}))(t)
	if !again.UpToDate {
		t.Errorf("second Merge = %+v", again)
	}
	tip := memtest.OK(s.Tip(ctx, "main"))(t)
	steps, total, err := history.Steps(ctx, s, tip, 0, 10)
	if err != nil || total != 4 || len(steps) != 4 {
		t.Errorf("Steps: %d of %d, %v", len(steps), total, err)
	}
	commits, total, err := history.Commits(ctx, s, tip, 0, 10)
	if err != nil || total != 3 || len(commits) != 3 {
		t.Errorf("Milestones: %d of %d, %v", len(commits), total, err)
	}
	for _, c := range commits {
		if c.Hash == nil {
			t.Errorf("milestone %s has no commit", c.Summary)
		}
	}
	if n := len(strings.Fields(r.Git("notes", "--ref=context", "list"))); n != 2*3 {
		t.Errorf("%d notes, want 3", n/2)
	}
	r.Fsck()
}
