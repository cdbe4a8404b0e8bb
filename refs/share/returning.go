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

// holdReturning sets aside branches, tags and notes that would bring back to the other side what it has expunged, while its roadmap, which says so,
// is refused: anybody may put a commit on top of the tombstones that nobody takes in. roadmap is as the other side has it. What the other side
// itself still has is not held back, whatever the tombstones ask.
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
	tracked, err := remote.Tracked(ctx, ex.s, ex.peer) // theirs has ours where a ref is set aside
	if err != nil {
		return err
	}
	b := returning{ex: ex, known: known, fresh: there.Except(known), theirs: tipsOf(&tracked), branches: slices.Sorted(maps.Values(ours.Branches))}
	b.all = expunge.NewRewriter(ex.s, known.Union(there))
	for _, r := range refsOf(ours) {
		if err := b.hold(ctx, r, expunge.RefID(&tracked, r.Name)); err != nil {
			return err
		}
	}
	ex.setAside(ours, theirs)
	return nil
}

// returning looks for what would bring back something that the other side has expunged.
type returning struct {
	ex           *exchanger
	known, fresh doc.Expunged      // our tombstones, and theirs that we have not taken over
	all          *expunge.Rewriter // by both
	branches     []git.ID          // of ours
	theirs       []git.ID          // the branches and tags of the other side
}

// tipsOf lists the commits of branches and tags.
func tipsOf(v *remote.RefSet) []git.ID {
	return slices.Concat(slices.Collect(maps.Values(v.Branches)), slices.Collect(maps.Values(v.Tags)))
}

// hold sets a ref of ours aside if it would. there is what the other side has of it, if anything.
func (b *returning) hold(ctx context.Context, r git.Ref, there git.ID) error {
	st := &refAction{ref: r.Name}
	if r.ID == "" || r.ID == there || r.Name == git.RoadmapRef || st.isWork() || st.isTag() && there != "" || b.ex.aside[r.Name] != nil {
		return nil
	}
	has, err := b.contains(ctx, b.all, r)
	if err != nil || !has {
		return err
	}
	tips := []git.ID{there}
	if there == "" {
		tips = b.theirs
	}
	still, err := b.shared(ctx, r.ID, tips)
	if err != nil {
		return err
	}
	if !still.Empty() {
		rest := expunge.NewRewriter(b.ex.s, b.known.Union(b.fresh.Except(still)))
		if has, err = b.contains(ctx, rest, r); err != nil || !has {
			return err
		}
	}
	b.ex.aside[r.Name] = fail.New(fail.ErrRefused, fail.ExpungedOnRemote, fmt.Sprintf("'%s' contains what '%s' has expunged; it is neither merged nor pushed while the roadmap there is refused",
		displayRef(r.Name), b.ex.peer.Name))
	return nil
}

// contains reports whether a ref contains what a rewriter removes, or it cannot be told.
func (b *returning) contains(ctx context.Context, w *expunge.Rewriter, r git.Ref) (bool, error) {
	if r.Name == git.NotesRef {
		if _, err := w.Rewrite(ctx, b.branches); err != nil && !cannotRedact(err) { // notes go with their commits
			return false, err
		}
		now, err := w.CleanNotes(ctx, r.ID, "")
		return now != r.ID, err
	}
	now, err := w.Rewrite(ctx, []git.ID{r.ID})
	if cannotRedact(err) {
		return true, nil
	}
	return now[r.ID] != r.ID, err
}

// shared returns the tombstones of what commits have that both ours and some commits of the other side lead to. What else the other side has
// does not count: anybody can push a commit there that looks like what is expunged, or a text of his own that the tombstones name.
func (b *returning) shared(ctx context.Context, ours git.ID, theirs []git.ID) (doc.Expunged, error) {
	repo := b.ex.s.Repo()
	both, err := repo.Beyond(ctx, []git.ID{ours}, nil)
	if err != nil {
		return doc.Expunged{}, err
	}
	lacks, err := repo.Beyond(ctx, []git.ID{ours}, theirs)
	if err != nil {
		return doc.Expunged{}, err
	}
	maps.DeleteFunc(both, func(id git.ID, _ bool) bool { return lacks[id] })
	return expunge.HitsOf(ctx, b.ex.s, b.fresh, slices.Sorted(maps.Keys(both)))
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
