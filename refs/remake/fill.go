package remake

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/git-context/git-context/refs/doc"
	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/store"
)

// fill chooses the trees of all commits; false if a commit has none, because no commit that is whole follows.
// A commit whose entry that tree has no more is left out.
func (h *Holes) fill(ctx context.Context) (bool, error) {
	next := map[git.ID]git.ID{}
	for _, id := range slices.Backward(h.order) {
		c := h.commits[id]
		tree := c.Tree
		if h.hollow[id] {
			if tree = next[id]; tree == "" {
				return false, nil
			}
			later, err := h.laterCommits(ctx, c, tree)
			if errors.Is(err, git.ErrNotFound) {
				h.insteads[id], err = c.Parents, nil
			}
			if err != nil {
				return false, err
			}
			h.later[id] = later
		}
		h.trees[id] = tree
		for i, p := range h.resolved(id, nil) {
			if i == 0 || next[p] == "" {
				next[p] = tree
			}
		}
	}
	return true, nil
}

// laterCommits returns the entries of a tree's commit.md that follow that of a commit. git.ErrNotFound: it has no such
// entry.
func (h *Holes) laterCommits(ctx context.Context, c *git.Commit, tree git.ID) (map[string]bool, error) {
	entry := c.Trailer(store.TrailerID)
	if !doc.ValidID(entry) {
		return nil, nil
	}
	data, err := h.commitFile(ctx, tree)
	if err != nil {
		return nil, err
	}
	heads, err := doc.EntryHeads(doc.CommitFile, data)
	if err != nil {
		return nil, err
	}
	at := slices.IndexFunc(heads, func(e doc.EntryHead) bool { return e.ID == entry })
	if at < 0 {
		return nil, fmt.Errorf("entry '%s': %w", entry, git.ErrNotFound)
	}
	later := map[string]bool{}
	for _, e := range heads[at+1:] {
		later[e.ID] = true
	}
	return later, nil
}

func (h *Holes) commitFile(ctx context.Context, tree git.ID) ([]byte, error) {
	list, err := h.s.Repo().Tree(ctx, tree)
	if err != nil {
		return nil, err
	}
	at := slices.IndexFunc(list, func(e git.TreeEntry) bool { return e.Name == doc.CommitFile })
	if at < 0 {
		return nil, fmt.Errorf("%s: %w", doc.CommitFile, git.ErrNotFound)
	}
	return h.s.Repo().Blob(ctx, list[at].ID)
}

// tree returns what a commit gets: its own tree, or the next one without the entries of later commits.
func (h *Holes) tree(ctx context.Context, id git.ID) (git.ID, error) {
	if len(h.later[id]) == 0 {
		return h.trees[id], nil
	}
	data, err := h.commitFile(ctx, h.trees[id])
	if err != nil {
		return "", err
	}
	left, err := doc.RemoveEntries(doc.CommitFile, doc.Entries{Live: data}, h.later[id])
	if err != nil {
		return "", err
	}
	blob, err := h.s.Repo().WriteBlob(ctx, left.Live)
	if err != nil {
		return "", err
	}
	edit := h.s.Repo().Edit(h.trees[id])
	if err := edit.Put(ctx, doc.CommitFile, blob); err != nil {
		return "", err
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

// isShared reports whether what remotes have lacks one of the objects, too.
func (h *Holes) isShared(ctx context.Context, theirs []git.ID) (bool, error) {
	if len(theirs) == 0 {
		return false, nil
	}
	lost, err := h.s.Repo().Lost(ctx, theirs)
	return len(lost) > 0, err
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

// Mend makes history again without the holes. The notes go first, as the commits that replace others are noted on
// top. Nothing has changed if it fails or is killed before one of the two moves. It returns the commits that were
// replaced: the walk over a reflog that names one ends at its hole.
func (h *Holes) Mend(ctx context.Context, by store.Writer) ([]git.ID, error) {
	var replaced []git.ID
	for _, refs := range [][]git.Ref{h.notes(), h.Refs} {
		if len(refs) == 0 {
			continue
		}
		_, err := swap(ctx, h.s, by, "fsck: leave out what is lost", refs, func(ctx context.Context, w *Rewriter) error {
			err := h.rewrite(ctx, w)
			replaced = slices.AppendSeq(replaced, maps.Keys(w.commits))
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	return replaced, nil
}

func (h *Holes) notes() []git.Ref {
	if h.Notes == nil {
		return nil
	}
	return []git.Ref{*h.Notes}
}

func (h *Holes) rewrite(ctx context.Context, w *Rewriter) error {
	ready := map[git.ID]bool{}
	for _, id := range h.order {
		old := h.commits[id]
		_, out := h.insteads[id]
		ready[id] = !out
		if out || !h.again[id] {
			continue
		}
		if h.Objects[id] { // with its signature
			id, err := h.s.Repo().WriteCommit(ctx, old)
			if err != nil {
				return err
			}
			if id != old.ID { // the journal was damaged
				w.commits[old.ID] = id
			}
		}
		tree, err := h.tree(ctx, id)
		if err != nil {
			return err
		}
		now := *old
		now.Tree, now.Message = tree, w.message(old)
		if !h.edge[id] {
			now.Parents = nil
			for _, p := range h.resolved(id, ready) {
				now.Parents = append(now.Parents, w.Now(p))
			}
		}
		if err := w.replace(ctx, old, now); err != nil {
			return err
		}
	}
	return nil
}
