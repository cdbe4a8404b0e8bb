package share

import (
	"context"
	"fmt"

	"github.com/git-context/git-context/refs/doc"
	"github.com/git-context/git-context/refs/expunge"
	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/prose"
	"github.com/git-context/git-context/refs/remote"
)

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
	text := fmt.Sprintf("'%s' still contains what was expunged, in %s; this replaces it there:", o.peer.Name, prose.QuotedList(refNames(held)))
	p := ex.peer
	p.Heads = !p.Heads
	for _, h := range held {
		at := git.Ref{Name: o.peer.Tracking.Of(h.Ref), ID: h.Old}
		old, to[at.Name] = append(old, at), h.Now
		there := git.Ref{Name: h.Ref, ID: h.Old}
		if r, refused := ex.otherSpared[h.Ref]; refused { // the tracking ref has what is valid below it
			there.ID = r.ID
		}
		text += "\n" + setBackCommand(p, there, h.Now)
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
