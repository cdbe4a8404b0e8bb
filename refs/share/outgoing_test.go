package share

import (
	"errors"
	"testing"

	"github.com/git-context/git-context/internal/gittest"
	"github.com/git-context/git-context/refs/fail"
	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/internal/unwired"
	"github.com/git-context/git-context/refs/remote"
	"github.com/git-context/git-context/refs/store"
)

// A merge that every other clone would refuse is set aside, with the code that was handed over with it, and a valid one is not.
func TestCheckMade(t *testing.T) {
	t.Parallel()
	w := gittest.NewSandbox(t)
	w.Git(".", "init", "-q", "r")
	s, err := unwired.Open(t.Context(), store.Options{Dir: w.Path("r"), Env: w.Env})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	ctx := t.Context()
	made, err := Init(ctx, s, InitOptions{})
	if err != nil {
		t.Fatal(err)
	}
	next, err := s.Commit(ctx, store.CommitOptions{Summary: "Valid"})
	if err != nil {
		t.Fatal(err)
	}
	w.Git("r", "read-tree", string(made.Head))
	w.Write("r/junk", "junk")
	w.Git("r", "add", "junk")
	refused := git.ID(w.Git("r", "commit-tree", "-p", string(made.Head), "-m", "Merge", w.Git("r", "write-tree")))
	for id, want := range map[git.ID]bool{next.Commit: true, refused: false} {
		res := newResult("origin")
		ex := newExchanger(s, Options{}, remote.Remote{Name: "origin", Tracking: git.RemoteTracking("origin")}, &res)
		ex.merge, ex.push = true, true
		st := &refAction{ref: git.BranchRef("main"), branch: "main", ours: made.Head, theirs: made.Head, merged: &git.Commit{ID: id}, push: id, take: id}
		work := &refAction{ref: git.WorkRef("main"), push: made.Head, of: st}
		side := remote.RefSetOf([]git.Ref{{Name: st.ref, ID: made.Head}})
		if err := ex.checkMade(ctx, []*refAction{st, work}, &side, &side); err != nil {
			t.Fatal(err)
		}
		var why *fail.Error
		isRefused := errors.As(ex.aside[st.ref], &why) && why.Code == fail.OutgoingInvalid
		if isRefused == want || (st.push == id) != want || (st.take == id) != want || (work.push != "") != want {
			t.Errorf("valid: %v; set aside: %v; %+v, %+v", want, ex.aside, st, work)
		}
	}
}
