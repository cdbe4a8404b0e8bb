package incoming

import (
	"context"
	"errors"

	"github.com/git-context/git-context/refs/git"
)

// use is a commit in the role of a ref.
type use struct {
	id   git.ID
	role Role
}

// checkKnown checks that the commits of this repository at which the new ones begin are of the kind that their refs
// need. A commit of the roadmap that is pushed to a branch brings nothing new, so that no other check sees
// it. The kind shows in the names of the root of its tree.
func (c *Inspection) checkKnown(ctx context.Context, tips []Tip, commits []*Commit) error {
	seen := map[use]bool{}
	check := func(id git.ID, roles Role, ref string) error {
		for _, r := range []Role{RoleBranch, RoleRoadmap, RoleNotes} {
			if roles&r == 0 {
				continue
			}
			if err := c.knownRoot(ctx, &Commit{ID: id, Roles: r, Ref: ref}, seen); err != nil {
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

// knownRoot checks the names in the root of a commit that was checked when it came, perhaps for another ref. An empty root has the kind
// of what the commit follows: somebody emptied it, and what comes on top has it again. What was seen in this role is not looked at
// again: many commits may follow one long row of empty ones.
func (c *Inspection) knownRoot(ctx context.Context, n *Commit, seen map[use]bool) error {
	for todo := []git.ID{n.ID}; len(todo) > 0; todo = todo[1:] {
		if seen[use{todo[0], n.Roles}] {
			continue
		}
		seen[use{todo[0], n.Roles}] = true
		commit, err := c.repo.Commit(ctx, todo[0])
		if errors.Is(err, git.ErrNotFound) { // beyond the edge of a shallow clone
			continue
		}
		if err != nil {
			return err
		}
		entries, err := c.repo.Tree(ctx, commit.Tree)
		if err != nil {
			return err
		}
		if len(entries) > 0 {
			if err := c.rootNames(n, commit.Tree, entries); err != nil {
				return err
			}
			continue
		}
		todo = append(todo, commit.Parents...)
	}
	return nil
}

// rootNames checks the names in a root for the role of a commit.
func (c *Inspection) rootNames(n *Commit, tree git.ID, entries []git.TreeEntry) error {
	root := folder{at: n, role: n.Roles, id: tree}
	for _, e := range entries {
		if _, fault := root.entryFault(&twins{entries: entries}, e, e.Name); fault != "" {
			return c.wrong(FlawTree, File{at: n, path: e.Name, ID: e.ID}, fault, nil)
		}
	}
	return nil
}
