package code

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/store"
)

// movedTo returns the code commit to which HEAD moved for an intent, "" if it did not:
//
//  1. the worktree is gone: it did not;
//  2. HEAD has a reflog: the newest line with the intent's mark decides. Hooks inherit
//     the mark, so their own lines have it too (see ours);
//  3. otherwise HEAD itself decides, if it is where the intent put it. sure reports that
//     git has just succeeded; if not, another process may have made the commit, and
//     its message must match.
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

// logged finds the intent's code commit among the moves of HEAD.
func logged(ctx context.Context, s *store.Store, in *Intent, moves []git.HeadMove, head git.ID) (git.ID, error) {
	var found *git.Commit
	for i, m := range moves {
		if !strings.Contains(m.Reason, in.mark()) {
			continue
		}
		c, err := s.Repo().Commit(ctx, m.New)
		if errors.Is(err, git.ErrNotFound) { // the commit was collected
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

// ours distinguishes moves of HEAD by an intent from those of hooks with its mark: a
// rollback moves to its target; a commit follows the previous HEAD. A hook that amends the
// commit replaces it.
func ours(in *Intent, m git.HeadMove, c, found *git.Commit) bool {
	switch {
	case in.Rollback != nil:
		return c.ID == in.Rollback.Target
	case found == nil && m.Old == "":
		return follows(c, in.Head)
	case found == nil:
		return follows(c, m.Old)
	}
	return slices.Equal(c.Parents, found.Parents)
}

// follows reports whether head is the first parent of a code commit, or both have none.
func follows(c *git.Commit, head git.ID) bool {
	if head.IsZero() {
		return len(c.Parents) == 0
	}
	return len(c.Parents) > 0 && c.Parents[0] == head
}

// happened reports whether HEAD did move as a line of its reflog records: git may be killed
// after it wrote the line and before it moved the branch. next is where the following line
// begins, or HEAD now.
func happened(ctx context.Context, s *store.Store, m git.HeadMove, next git.ID) (bool, error) {
	if next.IsZero() {
		return !m.Old.IsZero(), nil
	}
	if next == m.New || next == m.Old {
		return next == m.New, nil
	}
	return s.Repo().IsAncestor(ctx, m.New, next) // the branch was moved in another worktree
}
