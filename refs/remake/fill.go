package remake

import (
	"context"
	"errors"
	"slices"

	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/store"
)

// fill chooses the trees of all commits; false if a commit has none, because no commit that is whole follows.
// A commit whose entry that tree does not have is left out. So is a lost tip of hidden history. Hidden history gives no
// tree to other commits, which must not have what it hides.
func (h *Holes) fill(ctx context.Context) (bool, error) {
	next := map[git.ID]git.ID{}
	for _, id := range slices.Backward(h.order) {
		c := h.commits[id]
		tree := c.Tree
		if h.hollow[id] {
			tree = next[id]
			tip := tree == ""
			if tip {
				left, err := Left(ctx, h.s.Repo(), c.Tree)
				if err == nil && left.Needed() && h.hidden[id] {
					h.insteads[id] = c.Parents
					continue
				}
				if err != nil || len(left.Lost) == 0 || left.Needed() {
					return false, err
				}
				tree, h.patches[c.Tree] = c.Tree, left.Files
			}
			cuts, err := h.cutsOf(ctx, c, tree)
			if errors.Is(err, git.ErrNotFound) {
				if tip {
					return false, nil
				}
				h.insteads[id], err = c.Parents, nil
			}
			if err != nil {
				return false, err
			}
			h.cuts[id] = cuts
		}
		h.trees[id] = tree
		for i, p := range h.resolved(id, nil) {
			if h.hidden[id] && !h.hidden[p] {
				continue
			}
			parent := h.commits[p]
			own := i == 0 && parent != nil && store.BranchOf(parent) == store.BranchOf(c) // else it may be the first of a branch
			if own || next[p] == "" {
				next[p] = tree
			}
		}
	}
	return true, nil
}

// tree returns what a commit gets: its own tree, or the next one without the entries of later commits.
func (h *Holes) tree(ctx context.Context, id git.ID) (git.ID, error) {
	edit := h.s.Repo().Edit(h.trees[id])
	if files := h.patches[h.trees[id]]; files != nil {
		edit = h.s.Repo().Edit("")
		for path, blob := range files {
			if err := edit.Put(ctx, path, blob); err != nil {
				return "", err
			}
		}
	}
	for _, cut := range h.cuts[id] {
		for _, path := range cut.drop {
			if err := edit.Remove(ctx, path); err != nil {
				return "", err
			}
		}
		blob, err := h.s.Repo().WriteBlob(ctx, cut.live)
		if err != nil {
			return "", err
		}
		if err := edit.Put(ctx, cut.file, blob); err != nil {
			return "", err
		}
	}
	if !edit.Changed() {
		return h.trees[id], nil
	}
	return edit.Write(ctx)
}

// resolved returns the parents of a commit without lost ones, each once. ready limits what takes their place; nil: all.
func (h *Holes) resolved(id git.ID, ready map[git.ID]bool) (list []git.ID) {
	seen := map[git.ID]bool{}
	var add func(p git.ID, instead bool)
	add = func(p git.ID, instead bool) {
		insteads, lost := h.insteads[p]
		if seen[p] {
			return
		}
		seen[p] = true
		for _, q := range insteads {
			add(q, true)
		}
		// A reflog may lead to what follows the commit.
		if !lost && (!instead || ready == nil || ready[p] || h.shared[p]) {
			list = append(list, p)
		}
	}
	for _, p := range h.commits[id].Parents {
		add(p, false)
	}
	return list
}

// isShared reports whether what remotes have lacks one of the objects, too: a fetch brings it back.
func (h *Holes) isShared(ctx context.Context, theirs []git.ID) (bool, error) {
	if len(theirs) == 0 {
		return false, nil
	}
	lost, err := h.s.Repo().Lost(ctx, theirs)
	for id := range lost {
		if h.Objects[id] {
			return true, err
		}
	}
	return false, err
}

// follow marks the commits that are to be made again: those with holes, and what names one of them.
func (h *Holes) follow() {
	for _, id := range h.order {
		c := h.commits[id]
		roadmap, _ := store.ParseRoadmap(c.Trailer(store.TrailerRoadmap))
		h.again[id] = h.Objects[id] || h.hollow[id] || h.again[roadmap] ||
			slices.ContainsFunc(c.Parents, func(p git.ID) bool { return h.Objects[p] || h.again[p] })
	}
}
