package remake

import (
	"context"

	"github.com/git-context/git-context/refs/doc"
	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/store"
)

// birth writes the tree of the first commit of a branch, as that branch is begun on its parent, nil for none; "" if the commit does not
// say when that was. It is the same as before unless the purpose has more than its trailer.
func birth(ctx context.Context, tx *store.Transaction, c, parent *git.Commit) (git.ID, error) {
	at, _ := store.ParseCreated(c.Trailer(store.TrailerCreated))
	if at == nil {
		return "", nil
	}
	b := store.Birth{Name: store.BranchOf(c), Purpose: c.Trailer(store.TrailerPurpose), Code: git.ID(c.Trailer(store.TrailerCode)),
		At: *at, ID: c.Trailer(store.TrailerNewest)}
	b.Roadmap, _ = store.ParseRoadmap(c.Trailer(store.TrailerRoadmap))
	if parent != nil {
		b.From = tx.Store.TipOf(store.BranchOf(parent), parent)
	} else if b.Roadmap != "" {
		data, err := tx.Store.RoadmapAt(ctx, b.Roadmap)
		if err != nil {
			return "", err
		}
		b.Goal = doc.ParseRoadmap(data).Goal()
	}
	signature, by, sign := tx.Signature, tx.Writer, tx.Sign
	defer func() { tx.Signature, tx.Writer, tx.Sign = signature, by, sign }()
	tx.Signature, tx.Sign = c.Committer, false
	tx.Writer.Agent, tx.Writer.Session, tx.Writer.Model = c.Trailer(store.TrailerAgent), c.Trailer(store.TrailerSession), c.Trailer(store.TrailerModel)
	draft, err := tx.NewBirth(ctx, b)
	if err != nil {
		return "", err
	}
	made, err := tx.WriteObjects(ctx, draft)
	return treeOf(made), err
}
