package share

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/git-context/git-context/refs/doc"
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

// cleanStray cleans what came from under the other names and is no memory there, because they have no roadmap or no branch, of what was expunged. Nothing
// else looks at it. It warns, with the commands that replace it on the remote, unless it has moved.
func (ex *exchanger) cleanStray(ctx context.Context, there *remote.RefSet) error {
	ours, _, err := remote.Survey(ctx, ex.s, ex.peer)
	if err != nil {
		return err
	}
	e, err := expunge.TombstonesAt(ctx, ex.s, ours.Roadmap)
	if err != nil || e.Empty() {
		return err
	}
	o := newExchanger(ex.s, ex.o, ex.peer.Other(), ex.res)
	o.merge = true
	held, err := o.strayHeld(ctx, e, &ours, there)
	if err != nil || len(held) == 0 {
		return err
	}
	var old []git.Ref // tracking refs
	to := map[string]git.ID{}
	text := fmt.Sprintf("'%s' still contains what was expunged, in %s; this replaces it there:", o.peer.Name, namesOf(held))
	p := ex.peer
	p.Heads = !p.Heads
	for i, h := range held {
		at := git.Ref{Name: o.peer.Tracking.Of(h.Ref), ID: h.Old}
		old, to[at.Name] = append(old, at), h.Now
		there := git.Ref{Name: h.Ref, ID: h.Old}
		if r, refused := ex.otherSpared[h.Ref]; refused { // the tracking ref has what is valid below it
			there.ID = r.ID
		}
		if i < mostDeleted { // of the others the next exchange prints it
			text += "\n" + setBackCommand(p, there, h.Now)
		}
	}
	ex.warn(text)
	return expunge.ReplaceUnsound(ctx, ex.s, ex.o.Writer, old, to, ex.needed()...)
}

// strayHeld lists what leads to what was expunged, also below what is refused, without what is valid there and cannot be united.
func (ex *exchanger) strayHeld(ctx context.Context, e doc.Expunged, ours, there *remote.RefSet) (held []expunge.DirtyRef, err error) {
	late, err := ex.searchUntil(ctx)
	if err != nil {
		return nil, err
	}
	w := expunge.NewRewriter(ex.s, e)
	for _, r := range refsOf(there) {
		if _, role := ex.refsToCheck(r); r.ID == "" || role == 0 || late() {
			continue
		}
		to, err := ex.strayClean(ctx, w, r, ours)
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if err != nil { // mostly of the data, which may be no memory at all: nothing else must wait for it
			ex.warn(fmt.Sprintf("'%s' of '%s' cannot be searched for what was expunged: %v", git.DisplayName(r.Name), ex.peer.Name, err))
		} else if to != r.ID {
			held = append(held, expunge.DirtyRef{Ref: r.Name, Old: r.ID, Now: to})
		}
	}
	return held, nil
}

// strayClean returns what a ref is without what w removes; its own commit, if that is all.
func (ex *exchanger) strayClean(ctx context.Context, w *expunge.Rewriter, r git.Ref, ours *remote.RefSet) (git.ID, error) {
	if r.Name == git.NotesRef {
		return w.CleanNotes(ctx, r.ID, "")
	}
	at := git.Ref{Name: ex.peer.Tracking.Of(r.Name), ID: r.ID}
	bad, err := expunge.FindUnsound(ctx, ex.s, []git.Ref{at}, []string{ex.peer.Tracking.Roadmap()}, nil)
	if err != nil {
		return "", err
	}
	tip := r.ID
	if bad[at.Name] != nil {
		_, role := ex.refsToCheck(r)
		sound, err := ex.soundBelow(ctx, r, role, ours)
		if err != nil || len(sound.Tips) == 0 {
			return r.ID, err
		}
		if tip, err = ex.unite(ctx, r.Name, sound.Tips, ours); err != nil || tip == "" {
			return r.ID, err
		}
	}
	now, err := w.RewriteNew(ctx, []git.ID{tip})
	if err != nil || now[tip] == tip {
		return r.ID, err
	}
	return now[tip], nil
}
