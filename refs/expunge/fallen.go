package expunge

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"

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
	here := func(ctx context.Context, id git.ID) bool {
		_, err := s.Repo().Commit(ctx, id)
		return err == nil
	}
	for _, name := range names {
		var newest git.ID
		what := "is gone"
		now, err := s.Repo().Ref(ctx, name)
		switch {
		case errors.Is(err, git.ErrNotFound):
			if newest, err = Gone(ctx, s, name, here); newest != "" {
				if _, again := s.Repo().Ref(ctx, name); !errors.Is(again, git.ErrNotFound) { // it was made meanwhile
					newest = ""
				}
			}
		case err == nil:
			newest, err = Behind(ctx, s, git.Ref{Name: name, ID: now}, here)
			what = "fell back to " + now.Short()
		}
		if err != nil {
			return err
		}
		if newest != "" {
			return fail.New(fail.ErrRefused, fail.RefBehind, fmt.Sprintf("ref '%s' %s: by its reflog it is at %s, which an expunge would delete; nothing was changed",
				name, what, newest.Short()), "git context fsck --fix")
		}
	}
	return nil
}

// Behind returns the commit at which a ref is by its reflog, if that is whole, may be here, and the ref fell back to an older one: its file is
// lost, so that an older packed value counts again, or it is the old one, since git flushes the new file and not its name. The
// reflog has the newer value then, as git writes its line first. Who moves a ref back has a newer line. "" for a ref that did not fall back.
//
// A process that git was killed in, or whose disk was full, between the line and the move, leaves the same: its commit was not
// acknowledged, and is whole. In a reftable both are in one table, so that there is nothing to find. It costs reading the reflog.
func Behind(ctx context.Context, s *store.Store, r git.Ref, whole func(context.Context, git.ID) bool) (git.ID, error) {
	file, ok := s.Repo().RefFile(r.Name)
	if !ok {
		return "", nil
	}
	past, err := s.Repo().RefPast(ctx, r.Name)
	if err != nil || len(past) == 0 || past[0] == r.ID || past[0].IsZero() {
		return "", err
	}
	// A process that moves the ref holds its lock from before it writes the line until the ref has moved.
	if _, err := os.Lstat(file + ".lock"); err == nil {
		return "", nil
	}
	now, err := s.Repo().Ref(ctx, r.Name)
	if errors.Is(err, git.ErrNotFound) || err == nil && now != r.ID {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	again, err := s.Repo().RefPast(ctx, r.Name)
	if err != nil || len(again) == 0 || again[0] != past[0] || !whole(ctx, past[0]) {
		return "", err
	}
	follows, err := s.Repo().IsAncestor(ctx, r.ID, past[0])
	if git.ExitCode(err) > 0 { // their history has a hole, which fsck reports
		return "", nil
	}
	if err != nil || !follows && !slices.Contains(past, r.ID) { // the ref has it, if it was undone or amended since
		return "", err
	}
	err = RefuseExpunged(ctx, s, past[0], past[0].Short(), "")
	if errors.Is(err, fail.ErrRefused) { // it must not come back
		return "", nil
	}
	return past[0], err
}

// Gone returns the commit that a ref which does not exist named last by its reflog; "" if nothing would be lost with it, or if it may have
// been meant. git writes the first line of a reflog before it makes the ref, and may be killed in between; so one with that line
// alone counts only where nothing else leads to the commit.
func Gone(ctx context.Context, s *store.Store, name string, whole func(context.Context, git.ID) bool) (git.ID, error) {
	moves, err := s.Repo().Moves(ctx, name)
	if len(moves) == 0 || err != nil {
		return "", err
	}
	id := moves[len(moves)-1].New
	if id.IsZero() || !whole(ctx, id) {
		return "", nil
	}
	if len(moves) == 1 {
		out, err := s.Repo().View(ctx, "for-each-ref", "--contains="+string(id), "--format=%(refname)", git.BranchPrefix, git.TagPrefix,
			git.DeletedPrefix, git.NotesRef, git.RoadmapRef)
		if len(out) > 0 || git.ExitCode(err) > 0 { // else another ref has a hole, which comes first
			return "", nil
		}
		if err != nil {
			return "", err
		}
	}
	branch, ok := git.BranchName(name)
	if !ok {
		return id, nil
	}
	err = RefuseExpunged(ctx, s, id, branch, "")
	if errors.Is(err, fail.ErrRefused) || errors.Is(err, git.ErrNotFound) { // the roadmap is lost, too
		return "", nil
	}
	return id, err
}
