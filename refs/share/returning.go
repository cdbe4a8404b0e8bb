package share

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/git-context/git-context/refs/doc"
	"github.com/git-context/git-context/refs/expunge"
	"github.com/git-context/git-context/refs/fail"
	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/remote"
)

// holdReturning sets aside branches and notes that would bring back to the other side what it has expunged, while its roadmap, which says so,
// is refused: anybody may put a commit on top of the tombstones that nobody takes in. roadmap is as the other side has it. What the other side
// itself still has in the ref is not held back, whatever the tombstones ask.
func (ex *exchanger) holdReturning(ctx context.Context, ours, theirs *remote.RefSet, roadmap git.ID) error {
	if !ex.push || ex.aside[git.RoadmapRef] == nil || roadmap == "" || ours.Empty() {
		return nil
	}
	known, err := tombstonesAt(ctx, ex.s, ours.Roadmap)
	if err != nil {
		return err
	}
	there, err := ex.readableTombstones(ctx, ours.Roadmap, roadmap)
	if err != nil || known.Contains(there) {
		return err
	}
	w := expunge.NewRewriter(ex.s, known.Union(there))
	held, err := ex.returningBranches(ctx, w, ours, theirs)
	if err != nil {
		return err
	}
	if ours.Notes != "" && ours.Notes != theirs.Notes {
		mine, err := w.CleanNotes(ctx, ours.Notes, theirs.Notes)
		if err != nil {
			return err
		}
		other := theirs.Notes
		if other != "" {
			if other, err = w.CleanNotes(ctx, other, ""); err != nil {
				return err
			}
		}
		if mine != ours.Notes && other == theirs.Notes {
			held = append(held, git.NotesRef)
		}
	}
	for _, ref := range held {
		if ex.aside[ref] == nil {
			ex.aside[ref] = fail.New(fail.ErrRefused, fail.ExpungedOnRemote, fmt.Sprintf("'%s' contains what '%s' has expunged; it is neither merged nor pushed while the roadmap there is refused",
				displayRef(ref), ex.peer.Name))
		}
	}
	ex.setAside(ours, theirs)
	return nil
}

// returningBranches lists the branches that contain here what the other side has expunged in them. A branch that only this side has counts
// if no branch there contains any of it.
func (ex *exchanger) returningBranches(ctx context.Context, w *expunge.Rewriter, ours, theirs *remote.RefSet) (held []string, err error) {
	contains := func(id git.ID, unclear bool) (bool, error) {
		now, err := w.Rewrite(ctx, []git.ID{id})
		if cannotRedact(err) {
			return unclear, nil
		}
		return now[id] != id, err
	}
	still := map[string]bool{}
	for name, id := range theirs.Branches {
		if still[name], err = contains(id, false); err != nil {
			return nil, err
		}
	}
	some := slices.Contains(slices.Collect(maps.Values(still)), true)
	for _, name := range slices.Sorted(maps.Keys(ours.Branches)) {
		there, has := theirs.Branches[name]
		if there == ours.Branches[name] || still[name] || !has && some {
			continue
		}
		returns, err := contains(ours.Branches[name], true) // of which it cannot be told is held back, too
		if err != nil {
			return nil, err
		}
		if returns {
			held = append(held, git.BranchRef(name))
		}
	}
	return held, nil
}

// readableTombstones returns the tombstones that commits of the other side's roadmap have and ours do not. A commit whose list cannot be read
// is passed over: it is refused.
func (ex *exchanger) readableTombstones(ctx context.Context, ours, id git.ID) (all doc.Expunged, err error) {
	list, err := ex.aheadOfRoadmap(ctx, ours, id)
	if err != nil {
		return all, err
	}
	for _, c := range list {
		e, err := expunge.TombstonesIn(ctx, ex.s, ex.s.Repo().Edit(c.Tree))
		if ctx.Err() != nil {
			return all, ctx.Err()
		}
		if err == nil && !all.Contains(e) {
			all = all.Union(e)
		}
	}
	return all, nil
}
