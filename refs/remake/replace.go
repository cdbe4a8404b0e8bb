package remake

import (
	"context"
	"maps"
	"slices"

	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/store"
)

// Mend makes history again without the holes. The notes go first, as the commits that replace others are noted on
// top; between follows them. Nothing has changed if it fails or is killed before one of the two moves. It returns the commits
// that were replaced: the walk over a reflog that names one ends at its hole.
func (h *Holes) Mend(ctx context.Context, by store.Writer, between func() error) ([]git.ID, error) {
	var replaced []git.ID
	m := move{s: h.s, by: by, why: "fsck: leave out what is lost", now: h.now}
	build := func(ctx context.Context, w *Rewriter, tx *store.Transaction) error {
		h.tx = tx
		err := h.rewrite(ctx, w)
		replaced = slices.AppendSeq(replaced, maps.Keys(w.commits))
		return err
	}
	m.build = build
	if h.Notes != nil {
		m.refs = []git.Ref{*h.Notes}
		if err := m.run(ctx); err != nil {
			return nil, err
		}
		if err := between(); err != nil {
			return nil, err
		}
	}
	if len(h.Refs)+len(h.Requests) == 0 {
		return replaced, nil
	}
	merges, err := waiting(ctx, h.s)
	if err != nil {
		return nil, err
	}
	m.refs, m.held = h.Refs, slices.Collect(maps.Keys(merges))
	m.build = func(ctx context.Context, w *Rewriter, tx *store.Transaction) error {
		if err := build(ctx, w, tx); err != nil {
			return err
		}
		for _, r := range h.Requests {
			if err := r.Move(ctx, tx, func(id git.ID) git.ID { return h.now(w, id) }); err != nil {
				return err
			}
		}
		return nil
	}
	m.done = func(w *Rewriter) error { return h.goOn(w, m.held) }
	err = m.run(ctx)
	return replaced, err
}

// now returns what a commit is; of one that is left out, what takes its place, "" for nothing: a commit of another branch
// does not.
func (h *Holes) now(w *Rewriter, id git.ID) git.ID {
	of := h.commits[id]
	for range len(h.insteads) + 1 { // a reflog may lead in a circle
		list, lost := h.insteads[id]
		switch {
		case !lost:
			if at := h.commits[id]; of != nil && at != nil && store.BranchOf(at) != store.BranchOf(of) {
				return ""
			}
			return w.Now(id)
		case len(list) == 0:
			return ""
		}
		id = list[0]
	}
	return ""
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
		now := *old
		now.Message = w.message(old)
		var parents []git.ID
		if !h.edge[id] {
			now.Parents = nil
			parents = h.resolved(id, ready)
			for _, p := range parents {
				now.Parents = append(now.Parents, w.Now(p))
			}
		}
		var err error
		if now.Tree, err = h.tree(ctx, old, parents); err != nil {
			return err
		}
		h.trees[id] = now.Tree
		record, err := h.record(ctx, old, now.Tree, parents)
		if err != nil {
			return err
		}
		now.Message += record
		if err := w.replace(ctx, old, now); err != nil {
			return err
		}
		if h.Objects[id] && w.Now(id) == id { // it is in a journal, with its signature
			written, err := h.s.Repo().WriteCommit(ctx, old)
			if err != nil {
				return err
			}
			if written != id { // the journal was damaged
				w.commits[id] = written
			}
		}
	}
	return nil
}
