package history_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/git-context/git-context/refs/code"
	"github.com/git-context/git-context/refs/fail"
	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/history"
	"github.com/git-context/git-context/refs/internal/memtest"
	"github.com/git-context/git-context/refs/share"
	"github.com/git-context/git-context/refs/store"
)

// A commit whose Context-Id names no entry of its commit.md is a memory commit, but
// no milestone, and no view fails for it.
func TestMilestoneWithoutEntry(t *testing.T) {
	t.Parallel()
	r := memtest.New(t)
	s, ctx := r.Open(), t.Context()
	memtest.OK(share.Init(ctx, s, share.InitOptions{}))(t)
	first := r.CommitHash("main", "First")
	real := r.CommitHash("main", "Real")
	ghost := r.Git("commit-tree", git.BranchRef("main")+"^{tree}", "-p", real, "-m", "Ghost\n\nSaid.\n\nContext-Id: "+memtest.UnknownID+"\nContext-Branch: main\nAgent: eve")
	r.Git("update-ref", git.BranchRef("main"), ghost)

	log := memtest.OK(history.Log(ctx, s, history.LogOptions{Most: -1}))(t)
	commits := memtest.OK(history.LogCommits(ctx, s, log.Commits))(t)
	if len(commits) != 3 || commits[0].ID != "" || string(*commits[0].Hash) != ghost || commits[1].Summary != "Real" {
		t.Errorf("log: %+v", commits)
	}
	for name, one := range map[string]store.Commit{"log": commits[0], "alone": memtest.OK(history.ReadCommit(ctx, s, git.ID(ghost)))(t)} {
		if one.ID != "" || one.Branch != "main" || one.Summary != "Ghost" || one.Contribution != "Said." || one.Agent != "eve" || one.Tags == nil {
			t.Errorf("%s: %+v", name, one)
		}
	}
	if b := memtest.OK(history.BisectStart(ctx, s, "main", []string{first}))(t); b.Next == nil || string(*b.Next.Hash) != real {
		t.Errorf("bisect: %+v", b)
	}
	if m := memtest.OK(history.Find(ctx, s, "main"))(t); string(*m.Hash) != real {
		t.Errorf("main's newest milestone: %+v", m)
	}
	tip := memtest.OK(history.At(ctx, s, "", ghost))(t)
	if m := memtest.OK(history.CommitAt(ctx, s, tip, "main"))(t); string(*m.Hash) != real {
		t.Errorf("as it stood there: %+v", m)
	}
	half := 0.5
	note := memtest.OK(s.AddNote(ctx, store.NoteOptions{Rev: "main", Judgement: store.Judgement{Score: &half}}))(t)
	if string(note.Commit) != real {
		t.Errorf("noted: %+v", note)
	}
	if _, err := s.AddNote(ctx, store.NoteOptions{Rev: ghost, Judgement: store.Judgement{Score: &half}}); err == nil {
		t.Error("a ghost was noted")
	}
	if res := memtest.OK(s.Commit(ctx, store.CommitOptions{Summary: "Next"}))(t); res.ID == "" {
		t.Errorf("next: %+v", res)
	}
}

// A branch's name comes from a commit only if it is one: it stands in commands that
// are pasted.
func TestBranchOfNoName(t *testing.T) {
	t.Parallel()
	r := memtest.New(t)
	s, ctx := r.Open(), t.Context()
	memtest.OK(share.Init(ctx, s, share.InitOptions{}))(t)
	r.CommitHash("main", "First")
	odd := r.Git("commit-tree", git.BranchRef("main")+"^{tree}", "-p", git.BranchRef("main"), "-m", "x\n\nContext-Branch: x;touch pwn")
	r.Git("update-ref", git.TagRef("odd"), odd)
	for _, c := range memtest.OK(s.Tags(ctx))(t) {
		if c.Branch != "" {
			t.Errorf("tag: %+v", c)
		}
	}
	for name, err := range map[string]error{
		"rollback": memtest.Err(code.Rollback(ctx, s, code.RollbackOptions{To: odd})),
		"at":       memtest.Err(history.At(ctx, s, "", odd)),
		"revision": memtest.Err(s.Revision(ctx, odd)),
	} {
		var said *fail.Error
		if name == "at" && err == nil { // found by its time, as a commit of the code
			continue
		}
		if !errors.As(err, &said) || strings.Contains(fmt.Sprint(said.Message, said.Hints), "touch") {
			t.Errorf("%s: %v", name, err)
		}
	}
}
