package remake

import (
	"context"
	"slices"
	"strings"

	"github.com/git-context/git-context/refs/doc"
	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/store"
)

// record returns the trailers of a commit for what its parents have and it has no more, where one of these takes the place of a commit
// that is left out, which removed that: without a record it would come back. It returns "" for other commits.
func (h *Holes) record(ctx context.Context, c *git.Commit, tree git.ID, parents []git.ID) (string, error) {
	born := slices.Contains(h.holes[c.ID], hole{id: c.ID}) // see lostBirth
	isOut := func(p git.ID) bool { _, out := h.insteads[p]; return out }
	if !born && !slices.ContainsFunc(c.Parents, isOut) {
		return "", nil
	}
	var gone []string
	now := &git.Commit{Tree: tree, Message: c.Message}
	for _, p := range parents {
		was, err := h.treeOf(ctx, []git.ID{p})
		if err != nil {
			return "", err
		}
		if was == "" { // it is beyond the edge of a shallow clone
			continue
		}
		more, err := h.removed(ctx, now, &git.Commit{Tree: was, Message: c.Message})
		if err != nil {
			return "", err
		}
		gone = append(gone, more...)
	}
	slices.Sort(gone)
	var b strings.Builder
	for _, name := range slices.Compact(gone) {
		if !slices.Contains(c.Trailers(store.TrailerRemoves), name) {
			b.WriteString(store.TrailerRemoves + ": " + name + "\n")
		}
	}
	if _, _, block := c.Parts(); block == "" && b.Len() > 0 {
		return "\n" + b.String(), nil
	}
	return b.String(), nil
}

// removed lists what an earlier commit has and a later one lacks, as records name it.
func (h *Holes) removed(ctx context.Context, c, before *git.Commit) (gone []string, err error) {
	if store.BranchOf(c) == "" {
		var docs [2]*doc.Roadmap
		for i, tree := range []git.ID{c.Tree, before.Tree} {
			e, ok, err := h.s.Repo().Edit(tree).Entry(ctx, doc.RoadmapFile)
			if !ok || err != nil {
				return nil, ignoreLost(err)
			}
			data, err := h.s.Repo().Blob(ctx, e.ID)
			if err != nil {
				return nil, ignoreLost(err)
			}
			docs[i] = doc.ParseRoadmap(data)
		}
		if len(docs[0].Lost(docs[1])) > 0 {
			gone = []string{doc.RoadmapFile}
		}
		return gone, nil
	}
	branch := store.BranchOf(c)
	meta, err := h.s.TipOf(branch, c).Metadata(ctx)
	if err != nil {
		return nil, ignoreLost(err)
	}
	gone, err = store.RemovedSince(ctx, h.s.TipOf(branch, before), h.s.Repo().Edit(c.Tree), meta)
	return gone, ignoreLost(err)
}
