package remake

import (
	"cmp"
	"context"

	"github.com/git-context/git-context/refs/doc"
	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/store"
)

// birth writes the tree of the first commit of a branch, as that branch is begun on its parent, or with a goal if parent is nil; "" if the
// commit does not say when that was. It is the same as before unless the purpose has more than its trailer.
func birth(ctx context.Context, tx *store.Transaction, c, parent *git.Commit, goal string) (git.ID, error) {
	at, _ := store.ParseCreated(c.Trailer(store.TrailerCreated))
	if at == nil {
		return "", nil
	}
	b := store.Birth{Name: store.BranchOf(c), Purpose: c.Trailer(store.TrailerPurpose), Code: git.ID(c.Trailer(store.TrailerCode)),
		At: *at, ID: c.Trailer(store.TrailerNewest)}
	b.Roadmap, _ = store.ParseRoadmap(c.Trailer(store.TrailerRoadmap))
	if parent != nil {
		b.From = tx.Store.TipOf(store.BranchOf(parent), parent)
	} else {
		b.Goal = goal
	}
	signature, by := tx.Signature, tx.Writer
	defer func() { tx.Signature, tx.Writer = signature, by }()
	tx.Signature = c.Committer
	tx.Writer.Agent, tx.Writer.Session = cmp.Or(c.Trailer(store.TrailerAgent), c.Author.Name), c.Trailer(store.TrailerSession)
	tx.Writer.Model = c.Trailer(store.TrailerModel)
	draft, err := tx.NewBirth(ctx, b)
	if err != nil {
		return "", err
	}
	return tx.WriteTree(ctx, draft)
}

// goalAt returns the goal of a commit of the roadmap, as it is made again if it is; "" if that is lost.
func (h *Holes) goalAt(ctx context.Context, c *git.Commit) (string, error) {
	id, _ := store.ParseRoadmap(c.Trailer(store.TrailerRoadmap))
	if id == "" {
		return "", nil
	}
	tree, err := h.treeOf(ctx, []git.ID{id})
	if tree == "" || err != nil {
		return "", err
	}
	e, ok, err := h.s.Repo().Edit(tree).Entry(ctx, doc.RoadmapFile)
	if !ok || err != nil {
		return "", ignoreLost(err)
	}
	data, err := h.s.Repo().Blob(ctx, e.ID)
	if err != nil {
		return "", ignoreLost(err)
	}
	return doc.ParseRoadmap(data).Goal(), nil
}
