package expunge

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/git-context/git-context/refs/fail"
	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/store"
)

// CheckFallen refuses an expunge while a ref is behind its reflog, or is gone though it has one, as after the loss of its file: an expunge
// empties the reflogs, and deletes what only they lead to. fsck sets such a ref forward.
func CheckFallen(ctx context.Context, s *store.Store) error {
	names, err := s.Repo().LoggedRefs(git.BranchPrefix, git.RoadmapRef, git.NotesRef)
	if err != nil {
		return err
	}
	for _, name := range names {
		newest, now, err := fallen(ctx, s, name)
		if err != nil {
			return err
		}
		if newest == "" {
			continue
		}
		what := "is gone"
		if now != "" {
			what = "fell back to " + now.Short()
		}
		return fail.New(fail.ErrRefused, fail.RefBehind, fmt.Sprintf("ref '%s' %s: by its reflog it is at %s, which an expunge would delete; nothing was changed",
			name, what, newest.Short()), "git context fsck --fix")
	}
	return nil
}

// fallen returns the commit of a ref by its reflog if that is here, may be here, and the ref is gone or at an older commit, which it returns, too.
func fallen(ctx context.Context, s *store.Store, name string) (newest, now git.ID, err error) {
	past, err := s.Repo().RefPast(ctx, name)
	if err != nil || len(past) == 0 || past[0].IsZero() {
		return "", "", err
	}
	now, err = s.Repo().Ref(ctx, name)
	if errors.Is(err, git.ErrNotFound) {
		now, err = "", nil
	}
	if err != nil || now == past[0] {
		return "", "", err
	}
	if file, ok := s.Repo().RefFile(name); ok {
		if _, err := os.Lstat(file + ".lock"); err == nil { // who moves it writes the line first
			return "", "", nil
		}
	}
	if again, err := s.Repo().Ref(ctx, name); again != now && err == nil {
		return "", "", nil
	}
	if infos, err := s.Repo().Infos(ctx, past[:1]); err != nil || infos[0].Type != "commit" {
		return "", "", err
	}
	if now == "" && len(past) == 1 { // git writes the first line before it makes the ref, and may be killed in between
		out, err := s.Repo().View(ctx, "for-each-ref", "--contains="+string(past[0]), "--format=%(refname)", git.BranchPrefix, git.TagPrefix,
			git.DeletedPrefix, git.NotesRef, git.RoadmapRef)
		if err != nil || len(out) > 0 {
			return "", "", err
		}
	}
	if now != "" {
		if follows, err := s.Repo().IsAncestor(ctx, now, past[0]); err != nil || !follows {
			return "", "", err
		}
	}
	err = RefuseExpunged(ctx, s, past[0], past[0].Short(), "")
	if errors.Is(err, fail.ErrRefused) { // it must not come back
		return "", "", nil
	}
	return past[0], now, err
}
