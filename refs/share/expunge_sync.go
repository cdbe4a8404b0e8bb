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
	"github.com/git-context/git-context/refs/store"
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
func (y *syncing) forget(ctx context.Context, ours, theirs *store.Survey) (again bool, err error) {
	if again, err := y.accept(ctx, ours, theirs); err != nil || again {
		return again, err
	}
	if y.remove {
		return false, nil
	}
	from := ours.Roadmap
	if ours.Empty() { // nothing is here that says it yet
		from = theirs.Roadmap
	}
	e, err := tombstonesAt(ctx, y.s, from)
	if err != nil || e.Empty() {
		return false, err
	}
	w := expunge.NewRewriter(y.s, e)
	known, err := expunge.ReadCleanState(y.s, y.peer, e)
	if err != nil {
		return false, err
	}
	held, clean, err := y.heldNow(ctx, w, known, ours, theirs)
	if err != nil {
		return false, err
	}
	if len(held) > 0 {
		if err := y.replaceTracking(ctx, held, theirs); err != nil {
			return false, err
		}
	}
	return false, expunge.WriteCleanState(y.s, y.peer, known, clean, theirs)
}

// heldNow lists the refs of the other side that lead to old history, and those, without
// notes, that were looked at and do not.
func (y *syncing) heldNow(ctx context.Context, w *expunge.Rewriter, known expunge.CleanState, ours, theirs *store.Survey) (held []expunge.HeldRef, clean []git.Ref, err error) {
	tips, err := y.newTips(ctx, known, ours, theirs)
	if err != nil {
		return nil, nil, err
	}
	now, err := w.RewriteNew(ctx, expunge.TipsOf(tips))
	if err != nil {
		return nil, nil, err
	}
	for _, r := range tips {
		if to := now[r.ID]; to != r.ID {
			held = append(held, expunge.HeldRef{r.Name, r.ID, to})
		} else {
			clean = append(clean, r)
		}
	}
	if theirs.Notes == "" || theirs.Notes == ours.Notes {
		return held, clean, nil
	}
	to, err := w.CleanNotes(ctx, theirs.Notes, ours.Notes)
	if err == nil && to != theirs.Notes {
		held = append(held, expunge.HeldRef{git.NotesRef, theirs.Notes, to})
	}
	return held, clean, err
}

// newTips are the refs of the other side, without notes, by their names here, that
// stand elsewhere than ours and are not known to be clean. All are checked, for they are about to be read. A branch
// that nobody here wants, and that is refused, keeps nothing else back: it goes from the
// tracking refs, for nobody can tell what it holds.
func (y *syncing) newTips(ctx context.Context, known expunge.CleanState, ours, theirs *store.Survey) ([]git.Ref, error) {
	var list, unwanted []git.Ref
	for _, name := range slices.Sorted(maps.Keys(theirs.Branches)) {
		ref := git.Ref{Name: git.BranchRef(name), ID: theirs.Branches[name]}
		if known.Holds(ref.Name, ref.ID) {
			continue
		}
		if ours.Branches[name] == "" && !(y.adopt && y.wants(name)) {
			unwanted = append(unwanted, git.Ref{Name: y.peer.Tracking.Of(ref.Name), ID: ref.ID})
		}
		list = append(list, ref)
	}
	for _, name := range slices.Sorted(maps.Keys(theirs.Tags)) {
		list = append(list, git.Ref{Name: git.TagRef(name), ID: theirs.Tags[name]})
	}
	list = append(list, git.Ref{Name: git.RoadmapRef, ID: theirs.Roadmap})
	dropped, why, err := expunge.DropUnsound(ctx, y.s, y.o.Writer, unwanted, nil)
	if err != nil {
		return nil, err
	}
	for i, r := range dropped {
		delete(theirs.Branches, strings.TrimPrefix(r.Name, y.peer.Tracking.Branches()))
		y.warn(why[i])
	}
	list = slices.DeleteFunc(list, func(r git.Ref) bool {
		return r.ID == "" || r.ID == expunge.At(ours, r.Name) || expunge.At(theirs, r.Name) == "" || known.Holds(r.Name, r.ID)
	})
	var in incoming.Refs
	for _, r := range list {
		expunge.Add(&in, git.Ref{Name: y.peer.Tracking.Of(r.Name), ID: r.ID}, r.Name == git.RoadmapRef)
	}
	if theirs.Notes != ours.Notes {
		in.Notes = []git.Ref{{Name: y.peer.Tracking.Notes(), ID: theirs.Notes}}
	}
	return list, incoming.Check(ctx, y.s, in)
}

// holding adds to an outcome what the other side still holds, and how to replace it.
func (y *syncing) holding(ctx context.Context) error {
	held := y.old.List()
	switch {
	case len(held) == 0:
		return nil
	case y.peer.Bundle:
		y.warn(fmt.Sprintf("'%s' holds what was expunged; delete it, and make another one", y.peer.Name))
		y.old.Refs = map[string]expunge.HeldRef{}
		return expunge.WriteHeldState(y.s, y.peer, y.old)
	}
	e, err := expunge.Tombstones(ctx, y.s)
	if err != nil {
		return err
	}
	commands, err := expunge.NewRewriter(y.s, e).CleaningOf(ctx, y.peer, held)
	if err != nil {
		return err
	}
	names := make([]string, len(held))
	for i, h := range held {
		names[i] = displayRef(h.Ref)
	}
	return fail.New(fail.ErrRefused, fail.ExpungedOnRemote,
		fmt.Sprintf("'%s' still holds what was expunged, in %s", y.peer.Name, prose.QuotedList(names)), commands...)
}

// refuseHeld refuses a branch that leads to old history, as plain git has fetched it:
// sync fetches it without that.
func (y *syncing) refuseHeld(ctx context.Context, name string, id git.ID) error {
	return expunge.RefuseExpunged(ctx, y.s, id, fmt.Sprintf("branch '%s' of '%s'", name, y.peer.Name), "git context sync "+prose.ShellWord(y.peer.Name))
}

// isHeld reports whether a ref leads to old history on the other side.
func (y *syncing) isHeld(ref string) bool {
	_, held := y.old.Refs[ref]
	return held
}
