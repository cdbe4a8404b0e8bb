package share

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/git-context/git-context/refs/expunge"
	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/incoming"
	"github.com/git-context/git-context/refs/remote"
	"github.com/git-context/git-context/refs/store"
)

// misplaced lists the refs of the other side that lead to what w removes where no history of memory should be: handed over code that is expunged, or that
// is no code, and what the patterns of a fetch bring besides the roadmap and the notes. They are deleted. The others that it has looked at are clean.
func (ex *exchanger) misplaced(ctx context.Context, w *expunge.Rewriter, known expunge.CleanState, theirs *remote.RefSet) (held []expunge.DirtyRef, clean []git.Ref, err error) {
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
	late, err := ex.searchUntil(ctx)
	if err != nil {
		return nil, nil, err
	}
	type object struct {
		id             git.ID
		notes, roadmap bool // by its name
	}
	looked := map[object]bool{} // one has any number of names
	for _, r := range odd {
		if known.Contains(r.Name, r.ID) {
			continue
		}
		o := object{r.ID, strings.HasPrefix(r.Name, git.NotesRef), strings.HasPrefix(r.Name, git.RoadmapRef)}
		has, seen := looked[o]
		if !seen && late() { // the next exchange goes on
			continue
		}
		if !seen {
			if has, err = ex.hasOldHistory(ctx, w, r); ctx.Err() != nil {
				return nil, nil, ctx.Err()
			}
			if err != nil { // nothing else must wait for it
				ex.warn(fmt.Sprintf("'%s' of '%s' cannot be searched for what was expunged: %v", git.DisplayName(r.Name), ex.peer.Name, err))
				continue
			}
			looked[o] = has
		}
		if has {
			held = append(held, expunge.DirtyRef{Ref: r.Name, Old: r.ID})
		} else {
			clean = append(clean, r)
		}
	}
	return held, clean, nil
}

// hasOldHistory reports whether a ref names a sound commit of a branch or a roadmap that leads to what w removes, or notes with some of that. What is
// refused is no memory.
func (ex *exchanger) hasOldHistory(ctx context.Context, w *expunge.Rewriter, r git.Ref) (bool, error) {
	c, err := ex.commitAt(ctx, r.ID)
	if err != nil || c == nil {
		return false, err
	}
	at := git.Ref{Name: ex.peer.Tracking.Of(git.BranchRef("misplaced")), ID: c.ID}
	var in incoming.Refs
	isNotes := strings.HasPrefix(r.Name, git.NotesRef) && store.BranchOf(c) == ""
	switch {
	case isNotes:
		in.Notes = []git.Ref{at}
	case store.BranchOf(c) != "" || strings.HasPrefix(r.Name, git.RoadmapRef):
		in.Add(at, store.BranchOf(c) == "")
	default: // code
		return false, nil
	}
	if err := incoming.Check(ctx, ex.s, in); err != nil {
		if expunge.IsUnsound(err) {
			err = nil
		}
		return false, err
	}
	if isNotes {
		now, err := w.CleanNotes(ctx, c.ID, "")
		return now != c.ID, err
	}
	now, err := w.RewriteNew(ctx, []git.ID{c.ID})
	if cannotRedact(err) {
		return true, nil
	}
	return now[c.ID] != c.ID, err
}

// largestObject is how large a commit or a tag may be that is read before it was checked: memory has no larger one.
const largestObject = 4 << 20

// mostTags limits how many tags of tags are followed.
const mostTags = 8

// commitAt returns the commit that an object is, or that tags lead to; nil for anything else, and for what is too large or missing.
func (ex *exchanger) commitAt(ctx context.Context, id git.ID) (*git.Commit, error) {
	for range mostTags {
		infos, err := ex.s.Repo().InfosHere(ctx, []git.ID{id})
		if err != nil || infos[0].Size > largestObject || infos[0].Type != "commit" && infos[0].Type != "tag" {
			return nil, err
		}
		o, err := ex.s.Repo().Object(ctx, string(id))
		if err != nil {
			return nil, err
		}
		if o.Type == "commit" {
			return git.ParseCommit(o.ID, o.Data)
		}
		line, _, _ := strings.Cut(string(o.Data), "\n")
		if id = git.ID(strings.TrimPrefix(line, "object ")); !ex.s.Repo().IsID(string(id)) {
			return nil, nil
		}
	}
	return nil, nil
}
