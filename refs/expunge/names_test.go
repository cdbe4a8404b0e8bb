package expunge_test

import (
	"errors"
	"testing"

	"github.com/git-context/git-context/refs/expunge"
	"github.com/git-context/git-context/refs/fail"
	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/git/pack"
	"github.com/git-context/git-context/refs/internal/memtest"
	"github.com/git-context/git-context/refs/share"
	"github.com/git-context/git-context/refs/store"
)

// Names that history holds are told each time, all of them, also when nothing else holds
// the text and no ref is called so any more.
func TestExpungeNames(t *testing.T) {
	t.Parallel()
	r := memtest.New(t)
	s, ctx := r.Open(), t.Context()
	memtest.OK(share.Init(ctx, s, share.InitOptions{}))(t)
	r.Branch("tok-999-br", "")
	memtest.OK(s.CreateBranch(ctx, store.BranchOptions{Writer: store.Writer{Agent: "tok-999-ag"}, Name: "other", Purpose: "Try", NoSwitch: true}))(t)
	m := r.Commit("tok-999-br", "One")
	memtest.OK(s.SetTag(ctx, store.Writer{}, "tok-999-tag", m.ID))(t)
	r.Remember("main", "tok-999-key", "text\n")
	names := []string{"branch 'tok-999-br'", "topic 'tok-999-key'", "agent 'tok-999-ag'"}
	checkWarnings(r, r.Expunge(expunge.Options{Match: "tok-999"}), append(names, "tag 'tok-999-tag'", "history keeps it after a rename or deletion")...)
	memtest.OK(s.RenameBranch(ctx, "tok-999-br", "fine"))(t)
	checkWarnings(r, r.Expunge(expunge.Options{Match: "tok-999"}), names...)
	_, err := expunge.Run(ctx, r.Open(), expunge.Options{Match: "tok-999"})
	var e *fail.Error
	if !errors.As(err, &e) || e.Code != "expunge-names" || !errors.Is(err, fail.ErrRefused) {
		t.Fatal(err)
	}
	checkWarnings(r, expunge.Result{Warnings: []string{e.Message}}, append(names, "history keeps names", "tag 'tok-999-tag'")...)
	checkWarnings(r, expunge.Result{Warnings: e.Hints}, "git context tag -d tok-999-tag", "renaming or deleting does not remove a name from history")
}

// One object stays, two stay.
func TestExpungeKept(t *testing.T) {
	t.Parallel()
	for n, want := range map[int]string{
		1: "1 object of the old history stays: 'refs/x' leads to it",
		2: "2 objects of the old history stay: 'refs/x' leads to them",
	} {
		if got := expunge.KeptReason(pack.Kept{By: pack.KeptByRef, Name: "refs/x", Objects: make([]git.ID, n)}); got != want {
			t.Error(got)
		}
	}
}
