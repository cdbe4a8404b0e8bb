package share

import (
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/git-context/git-context/refs/expunge"
	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/remote"
	"github.com/git-context/git-context/refs/store"
)

// misplaced lists the refs of the other side that lead to what w removes where no history of memory should be: handed over code that is expunged, or that
// is no code, and what the patterns of a fetch bring besides the roadmap and the notes. They are deleted.
func (ex *exchanger) misplaced(ctx context.Context, w *expunge.Rewriter, theirs *remote.RefSet) (held []expunge.DirtyRef, err error) {
	var odd []git.Ref
	for _, name := range slices.Sorted(maps.Keys(theirs.Works)) {
		r := git.Ref{Name: git.WorkRef(name), ID: theirs.Works[name]}
		if w.ForgetsWork(r.ID) {
			held = append(held, expunge.DirtyRef{Ref: r.Name, Old: r.ID})
		} else {
			odd = append(odd, r)
		}
	}
	if !ex.peer.Bundle {
		odd = append(odd, theirs.Odd...)
	}
	for _, r := range odd {
		has, err := ex.hasOldHistory(ctx, w, r)
		if err != nil {
			return nil, err
		}
		if has {
			held = append(held, expunge.DirtyRef{Ref: r.Name, Old: r.ID})
		}
	}
	return held, nil
}

// hasOldHistory reports whether a ref names a sound commit of a branch or a roadmap that leads to what w removes, or notes with some of that. What it
// cannot read is no memory that anybody reads, and must not stop what else is exchanged.
func (ex *exchanger) hasOldHistory(ctx context.Context, w *expunge.Rewriter, r git.Ref) (bool, error) {
	o, err := ex.s.Repo().Object(ctx, string(r.ID)+"^{}")
	if err != nil || o.Type != "commit" {
		return false, ctx.Err()
	}
	c, err := git.ParseCommit(o.ID, o.Data)
	if err != nil {
		return false, nil
	}
	at := git.Ref{Name: ex.peer.Tracking.Of(git.BranchRef("misplaced")), ID: c.ID}
	var roadmaps []string
	switch isNotes := strings.HasPrefix(r.Name, git.NotesRef); {
	case store.BranchOf(c) != "":
	case isNotes:
		now, err := w.CleanNotes(ctx, c.ID, "")
		return err == nil && now != c.ID, ctx.Err()
	case strings.HasPrefix(r.Name, git.RoadmapRef):
		roadmaps = []string{at.Name}
	default: // code
		return false, nil
	}
	bad, err := expunge.FindUnsound(ctx, ex.s, []git.Ref{at}, roadmaps, nil)
	if err != nil || bad[at.Name] != nil {
		return false, err
	}
	now, err := w.RewriteNew(ctx, []git.ID{c.ID})
	if cannotRedact(err) {
		return true, nil
	}
	return err == nil && now[c.ID] != c.ID, err
}
