package remake

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/store"
)

// subjectFork is the subject of a commit in the place of a lost one, see lostFork.
const subjectFork = "Replace a lost commit"

// forkTrailers are what it has as the commit before it.
var forkTrailers = []string{store.TrailerBranch, store.TrailerCreated, store.TrailerPurpose, store.TrailerStatus, store.TrailerNewest,
	store.TrailerCommits, store.TrailerCode, store.TrailerRoadmap}

// lostFork returns a commit without a tree in the place of a lost one from which several others come, with the parents that it gets; nil
// if one line goes on from there, or if nothing is known of its branch. Left out, it would be no merge base, so that what it wrote and one
// of the others removed would come back with the next merge. It gets the documents of its first parent; for topics and keys see [Holes.value].
func (h *Holes) lostFork(ctx context.Context, id git.ID, parents []git.ID) (*git.Commit, error) {
	child, err := h.childOf(ctx, id)
	if child == nil || err != nil || len(h.children[id]) < 2 {
		return nil, err
	}
	branch := branchBefore(child)
	parent, err := h.s.Repo().Commit(ctx, parents[0])
	if errors.Is(err, git.ErrNotFound) {
		parent, err = h.tell(ctx, parents[0])
	}
	if parent == nil || err != nil || branch == "" || store.BranchOf(parent) != branch {
		return nil, err
	}
	c := &git.Commit{ID: id, Tree: git.ID(strings.Repeat("0", len(id))), Parents: slices.Clone(parents), Author: child.Author,
		Committer: child.Committer, Message: subjectFork + "\n\n"}
	for _, key := range forkTrailers {
		if text := parent.Trailer(key); text != "" {
			c.Message += key + ": " + text + "\n"
		}
	}
	return c, nil
}

// branchBefore returns the branch of the first parent of a commit; "" for unknown.
func branchBefore(c *git.Commit) string {
	if !isBirth(c) {
		return store.BranchOf(c)
	}
	if _, from := store.ParseCreated(c.Trailer(store.TrailerCreated)); from != nil {
		return *from
	}
	return ""
}

// bornFrom returns the commit from which a branch probably began whose first commit follows a lost one; "" for another child, or none.
func (h *Holes) bornFrom(ctx context.Context, id git.ID) (git.ID, error) {
	child, err := h.childOf(ctx, id)
	if child == nil || !isBirth(child) || branchBefore(child) == "" || err != nil {
		return "", err
	}
	parent, err := h.closestOf(ctx, branchBefore(child), child, func(c *git.Commit) bool {
		return !c.Committer.When.After(child.Committer.When) && c.Trailer(store.TrailerNewest) < child.Trailer(store.TrailerNewest)
	})
	if parent == nil || err != nil {
		return "", err
	}
	return parent.ID, nil
}
