package store

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/git-context/git-context/refs/git"
)

// stoodAt reports whether the branch of a tip ever stood at a commit. It stood at
//
//  1. the commits of its first-parent line, and those of what it was made from;
//  2. those that came to it from another repository, by a merge that is no milestone.
//
// It never stood at what a MERGE brought, whatever the other branch was called. No
// date is asked: clocks lag.
func (s *Store) StoodAt(ctx context.Context, tip *git.Commit, at git.ID) (bool, error) {
	between, err := s.repo.View(ctx, "rev-list", "--ancestry-path", "--parents", "--end-of-options", string(tip.ID), "^"+string(at))
	if err != nil {
		return false, err
	}
	parents := map[git.ID]string{}
	for line := range strings.Lines(string(between)) {
		id, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
		parents[git.ID(id)] = rest
	}
	for queue := []git.ID{tip.ID}; len(queue) > 0; {
		id := queue[0]
		if id == at {
			return true, nil
		}
		follow := strings.Fields(parents[id])
		delete(parents, id) // once is enough
		if len(follow) > 1 {
			c, err := s.repo.Commit(ctx, id)
			if err != nil {
				return false, err
			}
			if c.Trailer(TrailerID) != "" {
				follow = follow[:1]
			}
		}
		queue = queue[1:]
		for _, p := range follow {
			queue = append(queue, git.ID(p))
		}
	}
	return false, nil
}

// homeOf is the branch that a memory commit belongs to: the one that it was made on or,
// where none is called that any more, the one that this was renamed to, which was made
// at the same time and stood at the commit. The current one goes before others. It is
// "" where the branch is gone.
func (s *Store) HomeOf(ctx context.Context, c *git.Commit) (string, error) {
	own := BranchOf(c)
	if own == "" {
		return "", nil
	}
	_, err := s.repo.Ref(ctx, git.BranchRef(own))
	if err == nil || !errors.Is(err, git.ErrNotFound) {
		return own, err
	}
	out, err := s.repo.View(ctx, "for-each-ref", "--format=%(refname)", "--contains="+string(c.ID), git.BranchPrefix)
	if err != nil {
		return "", err
	}
	current, err := s.Current(ctx)
	if err != nil {
		return "", err
	}
	names := strings.Fields(string(out))
	if i := slices.Index(names, git.BranchRef(current)); i > 0 {
		names[0], names[i] = names[i], names[0]
	}
	for _, ref := range names {
		name, _ := git.BranchName(ref)
		tip, err := s.Tip(ctx, name)
		if err != nil {
			return "", err
		}
		if tip.commit.Trailer(TrailerCreated) != c.Trailer(TrailerCreated) {
			continue
		}
		if stood, err := s.StoodAt(ctx, tip.commit, c.ID); err != nil || stood {
			return name, err
		}
	}
	return "", nil
}
