package remake

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/store"
)

// fill chooses the trees of which commits get the documents that they lack: those of the next commit of the branch, or of the branch begun
// again for its first one, and of its message, if it stays, see stays. A commit whose entry that tree does not have is left out. So is the
// last one of a branch, unless a ref of ours names it, which another check mends.
func (h *Holes) fill(ctx context.Context) error {
	named := map[git.ID]bool{}
	for _, r := range h.own {
		named[r.ID] = named[r.ID] || !strings.HasPrefix(r.Name, git.DeletedPrefix)
	}
	for _, r := range h.kept {
		named[r.ID] = true
	}
	if err := h.readChildren(ctx); err != nil {
		return err
	}
	next := map[git.ID]git.ID{}
	for _, id := range slices.Backward(h.order) {
		c := h.commits[id]
		tree := c.Tree
		if store.BranchOf(c) != "" && slices.ContainsFunc(h.holes[id], h.isLive) {
			switch tree = next[id]; {
			case c.Tree.IsZero() && !isBirth(c):
				h.make(c)
			case tree != "":
				if err := h.fillFrom(ctx, c, tree); err != nil {
					return err
				}
			case h.made[id] || named[id] && h.stays(c):
				h.make(c)
			case named[id] || h.given[id]:
				h.given[id] = true
			default:
				h.insteads[id] = c.Parents
			}
		}
		for i, p := range h.resolved(id, nil) {
			// Hidden history gives nothing to other commits, which must not have what it hides.
			switch parent := h.commits[p]; {
			case parent == nil || h.hidden[id] && !h.hidden[p]:
			case tree == "":
				h.given[p] = h.given[p] || h.given[id] && next[p] == ""
			case i == 0 && h.isNext(c, parent) || next[p] == "" && store.BranchOf(parent) == store.BranchOf(c):
				next[p] = tree
			}
		}
	}
	return nil
}

// stays reports whether a commit that a ref names and that lacks its documents goes on without a later one that has them: others come from
// it, which would have an older commit in common else, or no branch names it, or its branch has no whole commit to go back to.
func (h *Holes) stays(c *git.Commit) bool {
	isBranch := func(r git.Ref) bool { return r.ID == c.ID && strings.HasPrefix(r.Name, git.BranchPrefix) }
	if len(h.children[c.ID]) > 0 || !slices.ContainsFunc(h.own, isBranch) {
		return true
	}
	for at := c; ; {
		if !slices.ContainsFunc(h.holes[at.ID], h.isLive) {
			return false
		}
		parents := h.resolved(at.ID, nil)
		if len(parents) == 0 || h.commits[parents[0]] == nil || store.BranchOf(h.commits[parents[0]]) != store.BranchOf(c) {
			return true
		}
		if p := at.Parents[0]; h.Objects[p] && h.before[at.ID].id == "" && h.before[p].id == "" {
			return true // the check that sets refs back knows no older one: it ends at the lost commit
		}
		at = h.commits[parents[0]]
	}
}

// make lets a commit get documents of its parent and of its message, and the commits of its branch below it that lack theirs, too.
func (h *Holes) make(c *git.Commit) {
	h.made[c.ID] = true
	if isBirth(c) {
		return
	}
	parents := h.resolved(c.ID, nil)
	if len(parents) > 0 && h.commits[parents[0]] != nil && slices.ContainsFunc(h.holes[parents[0]], h.isLive) {
		h.made[parents[0]] = true
	}
}

// fillFrom lets a commit get its documents from a tree, without the entries of later commits.
func (h *Holes) fillFrom(ctx context.Context, c *git.Commit, tree git.ID) error {
	cuts, err := h.cutsOf(ctx, c, tree)
	if errors.Is(err, git.ErrNotFound) {
		h.insteads[c.ID], err = c.Parents, nil
	}
	h.docs[c.ID], h.cuts[c.ID] = tree, cuts
	return err
}

// tree returns what a commit gets: its own tree with what takes the place of its holes. parents are those that it gets.
func (h *Holes) tree(ctx context.Context, c *git.Commit, parents []git.ID) (git.ID, error) {
	if len(h.holes[c.ID]) == 0 {
		return c.Tree, nil
	}
	before, err := h.treeOf(ctx, parents)
	if err != nil {
		return "", err
	}
	if h.made[c.ID] {
		if err := h.documents(ctx, c, parents, before); err != nil {
			return "", err
		}
	}
	edit := h.s.Repo().Edit(c.Tree)
	for _, at := range h.holes[c.ID] {
		if isDocument(at.path) && h.docs[c.ID] != "" {
			continue
		}
		if empty := h.empty[at.id]; empty != nil {
			if _, err := h.s.Repo().WriteBlob(ctx, empty); err != nil {
				return "", err
			}
		}
		files, err := h.value(ctx, c, at, before)
		if err != nil {
			return "", err
		}
		if at.path == "" {
			edit = h.s.Repo().Edit("")
		} else if err := edit.Remove(ctx, at.path); err != nil {
			return "", err
		}
		if err := put(ctx, edit, at.path, files); err != nil {
			return "", err
		}
	}
	if h.docs[c.ID] != "" {
		if err := h.putDocuments(ctx, edit, c.ID); err != nil {
			return "", err
		}
	}
	return edit.Write(ctx)
}

// documents makes the documents that a commit gets: those of its branch begun again, or those of its parent, which has the tree before,
// with the entry that a journal or its message tells.
func (h *Holes) documents(ctx context.Context, c *git.Commit, parents []git.ID, before git.ID) error {
	var parent *git.Commit
	if len(parents) > 0 && before != "" {
		was := h.commits[parents[0]]
		if was == nil { // a remote has it
			var err error
			if was, err = h.s.Repo().Commit(ctx, parents[0]); err != nil {
				return err
			}
		}
		now := *was
		now.Tree, parent = before, &now
	}
	var err error
	switch {
	case isBirth(c):
		var goal string
		if goal, err = h.goalAt(ctx, c); err == nil {
			h.docs[c.ID], err = birth(ctx, h.tx, c, parent, goal)
		}
	case parent != nil:
		r := rebuilder{h: h, tx: h.tx}
		if err = ignoreLost(r.read(ctx)); err == nil { // where it is not known what is to be forgotten, no journal tells
			h.docs[c.ID], err = r.documents(ctx, c, parent)
		}
	}
	return err
}

// treeOf returns the tree of the first of some parents, as it is now; "" for none.
func (h *Holes) treeOf(ctx context.Context, parents []git.ID) (git.ID, error) {
	if len(parents) == 0 {
		return "", nil
	}
	if tree := h.trees[parents[0]]; tree != "" {
		return tree, nil
	}
	c, err := h.s.Repo().Commit(ctx, parents[0])
	if err != nil {
		return "", ignoreLost(err)
	}
	return c.Tree, nil
}

// put puts files below a path.
func put(ctx context.Context, edit *git.Edit, path string, files map[string]git.ID) error {
	for name, blob := range files {
		if err := edit.Put(ctx, strings.Trim(path+"/"+name, "/"), blob); err != nil {
			return err
		}
	}
	return nil
}

// putDocuments puts the documents that a commit gets.
func (h *Holes) putDocuments(ctx context.Context, edit *git.Edit, id git.ID) error {
	list, err := edit.List(ctx, "")
	if err != nil {
		return err
	}
	for _, e := range list {
		if !isDocument(e.Name) {
			continue
		}
		if err := edit.Remove(ctx, e.Name); err != nil {
			return err
		}
	}
	left, err := Left(ctx, h.s.Repo(), h.docs[id])
	if err != nil {
		return err
	}
	for path := range left.Files {
		if !isDocument(path) {
			delete(left.Files, path)
		}
	}
	if err := put(ctx, edit, "", left.Files); err != nil {
		return err
	}
	for _, cut := range h.cuts[id] {
		for _, path := range cut.drop {
			if err := edit.Remove(ctx, path); err != nil {
				return err
			}
		}
		blob, err := h.s.Repo().WriteBlob(ctx, cut.live)
		if err != nil {
			return err
		}
		if err := edit.Put(ctx, cut.file, blob); err != nil {
			return err
		}
	}
	return nil
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
func (h *Holes) isShared(ctx context.Context) (bool, error) {
	if len(h.theirs) == 0 {
		return false, nil
	}
	lost, err := h.s.Repo().Lost(ctx, h.theirs)
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
		h.again[id] = !h.given[id] && (h.Objects[id] || len(h.holes[id]) > 0 || h.again[roadmap] ||
			slices.ContainsFunc(c.Parents, func(p git.ID) bool { return h.Objects[p] || h.again[p] }))
	}
}
