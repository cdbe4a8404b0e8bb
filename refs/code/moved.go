package code

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/store"
)

// movedTo is the code commit that HEAD was moved to for an intent, "" if it was not:
//
//  1. the worktree is gone: it was not;
//  2. HEAD has a reflog: the newest line with the intent's mark says it. A hook inherits
//     the mark, so that lines of its own have it too (see ours);
//  3. without one, HEAD itself stands where the intent put it. sure says that git has
//     ended well just now; else somebody else may have made the commit, which is then
//     known by its message.
func movedTo(ctx context.Context, s *store.Store, in *Intent, sure bool) (git.ID, error) {
	if !s.Repo().HasWorktree(in.Worktree) {
		return "", nil
	}
	head, err := s.Repo().HeadOf(ctx, in.Worktree)
	if errors.Is(err, git.ErrNotFound) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	moves, kept, err := s.Repo().MovesSince(ctx, in.Worktree, in.mark())
	if err != nil {
		return "", err
	}
	if kept {
		return logged(ctx, s, in, moves, head)
	}
	c, err := s.Repo().Commit(ctx, head)
	switch {
	case err != nil:
		return "", err
	case in.Rollback != nil && head == in.Rollback.Target:
		return head, nil
	case in.Commit != nil && follows(c, in.Head) && (sure || strings.Contains(c.Message, in.Commit.Summary)):
		return head, nil
	}
	return "", nil
}

// logged finds the intent's code commit among the moves of HEAD since.
func logged(ctx context.Context, s *store.Store, in *Intent, moves []git.HeadMove, head git.ID) (git.ID, error) {
	var found *git.Commit
	for i, m := range moves {
		if !strings.Contains(m.Reason, in.mark()) {
			continue
		}
		c, err := s.Repo().Commit(ctx, m.New)
		if errors.Is(err, git.ErrNotFound) { // thrown away long ago
			continue
		}
		if err != nil {
			return "", err
		}
		if !ours(in, m, c, found) {
			continue
		}
		next := head
		if i+1 < len(moves) {
			next = moves[i+1].Old
		}
		happened, err := happened(ctx, s, m, next)
		if err != nil {
			return "", err
		}
		if happened {
			found = c
		}
	}
	if found == nil {
		return "", nil
	}
	return found.ID, nil
}

// ours tells what an intent did to HEAD from what hooks did that inherited its mark: a
// rollback goes to where it said; a commit follows the HEAD before it. A hook that
// amends the commit puts another one in its place.
func ours(in *Intent, m git.HeadMove, c, found *git.Commit) bool {
	switch {
	case in.Rollback != nil:
		return c.ID == in.Rollback.Target
	case found == nil:
		return follows(c, m.Old)
	}
	return slices.Equal(c.Parents, found.Parents)
}

// follows says whether a code commit was made on another, or is a first one.
func follows(c *git.Commit, head git.ID) bool {
	if head.IsZero() {
		return len(c.Parents) == 0
	}
	return len(c.Parents) > 0 && c.Parents[0] == head
}

// happened says whether HEAD did move as a line of its reflog says: git may be killed
// between writing the line and moving the branch. next is where the following line
// begins, or HEAD now.
func happened(ctx context.Context, s *store.Store, m git.HeadMove, next git.ID) (bool, error) {
	if next.IsZero() {
		return !m.Old.IsZero(), nil
	}
	if next == m.New || next == m.Old {
		return next == m.New, nil
	}
	return s.Repo().IsAncestor(ctx, m.New, next) // the branch was moved from another worktree
}
