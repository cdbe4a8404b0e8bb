package remake

import (
	"context"
	"strings"

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
	own, err := Left(ctx, h.s.Repo(), c.Tree)
	if err != nil {
		return "", err
	}
	edit := h.s.Repo().Edit(tree)
	for _, at := range []struct{ file, dir string }{{doc.CommitFile, doc.CommitDir}, {doc.LogFile, doc.LogDir}} {
		if own.Files[at.file] == "" {
			continue
		}
		if err := edit.Remove(ctx, at.dir); err != nil {
			return "", err
		}
		for path, blob := range own.Files {
			if path != at.file && !strings.HasPrefix(path, at.dir+"/") {
				continue
			}
			if err := edit.Put(ctx, path, blob); err != nil {
				return "", err
			}
		}
	}
	return edit.Write(ctx)
}
