package remake

import (
	"context"

	"github.com/git-context/git-context/refs/doc"
	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/store"
)

// fromMessage writes a tree of a commit of a branch with the entry that its message tells, if any, behind those of its parent, and with
// what is here of its own documents.
func (h *Holes) fromMessage(ctx context.Context, tx *store.Transaction, c, parent *git.Commit) (git.ID, error) {
	tree := parent.Tree
	if c.Trailer(store.TrailerID) != "" {
		goal, err := h.goalAt(ctx, c)
		if err != nil {
			return "", err
		}
		if tree, err = tx.TreeFromMessage(ctx, h.s.TipOf(store.BranchOf(c), parent), c, goal); err != nil {
			return "", err
		}
	}
	return h.withOwn(ctx, c, tree)
}

// withOwn puts the log.md and the commit.md of a commit that are here into a tree, with their segments.
func (h *Holes) withOwn(ctx context.Context, c *git.Commit, tree git.ID) (git.ID, error) {
	own, edit := h.s.Repo().Edit(c.Tree), h.s.Repo().Edit(tree)
	for _, at := range []struct{ file, dir string }{{doc.CommitFile, doc.CommitDir}, {doc.LogFile, doc.LogDir}} {
		if h.covers(c.ID, at.file) {
			continue
		}
		live, ok, err := own.Entry(ctx, at.file)
		if !ok || err != nil {
			return "", err
		}
		if err := edit.Put(ctx, at.file, live.ID); err != nil {
			return "", err
		}
		if err := edit.Remove(ctx, at.dir); err != nil {
			return "", err
		}
		if h.covers(c.ID, at.dir) {
			continue
		}
		segments, err := own.List(ctx, at.dir)
		if err != nil {
			return "", err
		}
		for _, e := range segments {
			if h.covers(c.ID, at.dir+"/"+e.Name) {
				continue
			}
			if err := edit.Put(ctx, at.dir+"/"+e.Name, e.ID); err != nil {
				return "", err
			}
		}
	}
	return edit.Write(ctx)
}
