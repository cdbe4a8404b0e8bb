package incoming

import (
	"context"
	"errors"

	"github.com/git-context/git-context/refs/git"
)

// checkKnown checks that the commits of this repository at which the new ones begin are of the kind that their refs
// need. A commit of the roadmap that is pushed to a branch brings nothing new, so that no other check sees
// it. The kind shows in the names of the root of its tree.
func (c *Inspection) checkKnown(ctx context.Context, tips []Tip, commits []*Commit) error {
	type use struct {
		id   git.ID
		role Role
	}
	seen := map[use]bool{}
	check := func(id git.ID, roles Role, ref string) error {
		for _, r := range []Role{RoleBranch, RoleRoadmap, RoleNotes} {
			if roles&r == 0 || seen[use{id, r}] {
				continue
			}
			seen[use{id, r}] = true
			if err := c.knownRoot(ctx, &Commit{ID: id, Roles: r, Ref: ref}); err != nil {
				return err
			}
		}
		return nil
	}
	for _, t := range tips {
		if c.ByID[t.ID] == nil {
			if err := check(t.ID, t.Role, t.Name); err != nil {
				return err
			}
		}
	}
	for _, n := range commits {
		for _, p := range n.Parents {
			if c.ByID[p] == nil {
				if err := check(p, n.Roles, n.Ref); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// knownRoot checks the names in the root of a commit that was checked when it came, perhaps for another ref.
func (c *Inspection) knownRoot(ctx context.Context, n *Commit) error {
	commit, err := c.repo.Commit(ctx, n.ID)
	if errors.Is(err, git.ErrNotFound) { // beyond the edge of a shallow clone
		return nil
	}
	if err != nil {
		return err
	}
	entries, err := c.repo.Tree(ctx, commit.Tree)
	if err != nil {
		return err
	}
	root := folder{at: n, role: n.Roles, id: commit.Tree}
	for _, e := range entries {
		if _, fault := root.entryFault(&twins{entries: entries}, e, e.Name); fault != "" {
			return c.wrong(FlawTree, File{at: n, path: e.Name, ID: e.ID}, fault, nil)
		}
	}
	return nil
}
