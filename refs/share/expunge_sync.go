package share

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/git-context/git-context/refs/expunge"
	"github.com/git-context/git-context/refs/fail"
	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/incoming"
	"github.com/git-context/git-context/refs/prose"
	"github.com/git-context/git-context/refs/remote"
)

// forget keeps what was forgotten from coming back. It is called with what was fetched,
// before anything of that is merged:
//
//  1. what the other side has forgotten is forgotten here too (accept), and both sides
//     are looked at anew;
//  2. refs of the other side that lead to old history are put, in tracking refs alone,
//     to what they are without what was forgotten, so that what others have added on
//     top of it is merged as ever, and once; the old objects are deleted;
//  3. those refs are not pushed: a plain push would be refused, for it is no news but
//     another history. holding says which commands replace them.
//
// Where nothing was ever forgotten this costs a look at the roadmap's tree.
func (ex *exchanger) forget(ctx context.Context, ours, theirs *remote.RefSet) (again bool, err error) {
	if again, err := ex.accept(ctx, ours, theirs); err != nil || again {
		return again, err
	}
	if ex.remove {
		return false, nil
	}
	from := ours.Roadmap
	if ours.Empty() { // nothing is here that says it yet
		from = theirs.Roadmap
	}
	e, err := tombstonesAt(ctx, ex.s, from)
	if err != nil || e.Empty() {
		return false, err
	}
	w := expunge.NewRewriter(ex.s, e)
	known, err := expunge.ReadCleanState(ex.s, ex.peer, e)
	if err != nil {
		return false, err
	}
	held, clean, err := ex.heldNow(ctx, w, known, ours, theirs)
	if err != nil {
		return false, err
	}
	if len(held) > 0 {
		if err := ex.replaceTracking(ctx, held, theirs); err != nil {
			return false, err
		}
	}
	return false, expunge.WriteCleanState(ex.s, ex.peer, known, clean, theirs)
}

// heldNow lists the refs of the other side that lead to old history, and those, without
// notes, that were looked at and do not.
func (ex *exchanger) heldNow(ctx context.Context, w *expunge.Rewriter, known expunge.CleanState, ours, theirs *remote.RefSet) (held []expunge.HeldRef, clean []git.Ref, err error) {
	tips, err := ex.newTips(ctx, known, ours, theirs)
	if err != nil {
		return nil, nil, err
	}
	now, err := w.RewriteNew(ctx, expunge.TipsOf(tips))
	if err != nil {
		return nil, nil, err
	}
	for _, r := range tips {
		if to := now[r.ID]; to != r.ID {
			held = append(held, expunge.HeldRef{Ref: r.Name, Old: r.ID, Now: to})
		} else {
			clean = append(clean, r)
		}
	}
	if theirs.Notes == "" || theirs.Notes == ours.Notes {
		return held, clean, nil
	}
	to, err := w.CleanNotes(ctx, theirs.Notes, ours.Notes)
	if err == nil && to != theirs.Notes {
		held = append(held, expunge.HeldRef{Ref: git.NotesRef, Old: theirs.Notes, Now: to})
	}
	return held, clean, err
}

// newTips are the refs of the other side, without notes, by their names here, that
// stand elsewhere than ours and are not known to be clean. All are checked, for they are about to be read. A branch
// that nobody here wants, and that is refused, keeps nothing else back: it goes from the
// tracking refs, for nobody can tell what it holds.
func (ex *exchanger) newTips(ctx context.Context, known expunge.CleanState, ours, theirs *remote.RefSet) ([]git.Ref, error) {
	var list, unwanted []git.Ref
	for _, name := range slices.Sorted(maps.Keys(theirs.Branches)) {
		ref := git.Ref{Name: git.BranchRef(name), ID: theirs.Branches[name]}
		if known.Holds(ref.Name, ref.ID) {
			continue
		}
		if ours.Branches[name] == "" && !(ex.adopt && ex.wants(name)) {
			unwanted = append(unwanted, git.Ref{Name: ex.peer.Tracking.Of(ref.Name), ID: ref.ID})
		}
		list = append(list, ref)
	}
	for _, name := range slices.Sorted(maps.Keys(theirs.Tags)) {
		list = append(list, git.Ref{Name: git.TagRef(name), ID: theirs.Tags[name]})
	}
	list = append(list, git.Ref{Name: git.RoadmapRef, ID: theirs.Roadmap})
	dropped, why, err := expunge.DropUnsound(ctx, ex.s, ex.o.Writer, unwanted, nil)
	if err != nil {
		return nil, err
	}
	for i, r := range dropped {
		delete(theirs.Branches, strings.TrimPrefix(r.Name, ex.peer.Tracking.Branches()))
		ex.warn(why[i])
	}
	list = slices.DeleteFunc(list, func(r git.Ref) bool {
		return r.ID == "" || r.ID == expunge.At(ours, r.Name) || expunge.At(theirs, r.Name) == "" || known.Holds(r.Name, r.ID)
	})
	var in incoming.Refs
	for _, r := range list {
		expunge.Add(&in, git.Ref{Name: ex.peer.Tracking.Of(r.Name), ID: r.ID}, r.Name == git.RoadmapRef)
	}
	if theirs.Notes != ours.Notes {
		in.Notes = []git.Ref{{Name: ex.peer.Tracking.Notes(), ID: theirs.Notes}}
	}
	return list, incoming.Check(ctx, ex.s, in)
}

// holding adds to an outcome what the other side still holds, and how to replace it.
func (ex *exchanger) holding(ctx context.Context) error {
	held := ex.old.List()
	switch {
	case len(held) == 0:
		return nil
	case ex.peer.Bundle:
		ex.warn(fmt.Sprintf("'%s' holds what was expunged; delete it, and make another one", ex.peer.Name))
		ex.old.Refs = map[string]expunge.HeldRef{}
		return expunge.WriteHeldState(ex.s, ex.peer, ex.old)
	}
	e, err := expunge.Tombstones(ctx, ex.s)
	if err != nil {
		return err
	}
	commands, err := expunge.NewRewriter(ex.s, e).CleaningOf(ctx, ex.peer, held)
	if err != nil {
		return err
	}
	names := make([]string, len(held))
	for i, h := range held {
		names[i] = displayRef(h.Ref)
	}
	return fail.New(fail.ErrRefused, fail.ExpungedOnRemote,
		fmt.Sprintf("'%s' still holds what was expunged, in %s", ex.peer.Name, prose.QuotedList(names)), commands...)
}

// refuseHeld refuses a branch that leads to old history, as plain git has fetched it:
// sync fetches it without that.
func (ex *exchanger) refuseHeld(ctx context.Context, name string, id git.ID) error {
	return expunge.RefuseExpunged(ctx, ex.s, id, fmt.Sprintf("branch '%s' of '%s'", name, ex.peer.Name), "git context sync "+prose.ShellWord(ex.peer.Name))
}

// isHeld reports whether a ref leads to old history on the other side.
func (ex *exchanger) isHeld(ref string) bool {
	_, held := ex.old.Refs[ref]
	return held
}
