package store

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/git-context/git-context/refs/fail"
	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/prose"
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
func (y *syncing) forget(ctx context.Context, ours, theirs *survey) (again bool, err error) {
	if again, err := y.accept(ctx, ours, theirs); err != nil || again {
		return again, err
	}
	if y.remove {
		return false, nil
	}
	from := ours.roadmap
	if ours.empty() { // nothing is here that says it yet
		from = theirs.roadmap
	}
	e, err := y.s.tombstonesAt(ctx, from)
	if err != nil || e.Empty() {
		return false, err
	}
	w := y.s.NewRewriter(e)
	known, err := y.s.readCleanState(y.peer, e)
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
	return false, y.s.writeCleanState(y.peer, known, clean, theirs)
}

// heldNow lists the refs of the other side that lead to old history, and those, without
// notes, that were looked at and do not.
func (y *syncing) heldNow(ctx context.Context, w *rewriter, known cleanState, ours, theirs *survey) (held []heldRef, clean []git.Ref, err error) {
	tips, err := y.newTips(ctx, known, ours, theirs)
	if err != nil {
		return nil, nil, err
	}
	now, err := w.rewriteNew(ctx, TipsOf(tips))
	if err != nil {
		return nil, nil, err
	}
	for _, r := range tips {
		if to := now[r.ID]; to != r.ID {
			held = append(held, heldRef{r.Name, r.ID, to})
		} else {
			clean = append(clean, r)
		}
	}
	if theirs.notes == "" || theirs.notes == ours.notes {
		return held, clean, nil
	}
	to, err := w.cleanNotes(ctx, theirs.notes, ours.notes)
	if err == nil && to != theirs.notes {
		held = append(held, heldRef{git.NotesRef, theirs.notes, to})
	}
	return held, clean, err
}

// newTips are the refs of the other side, without notes, by their names here, that
// stand elsewhere than ours and are not known to be clean. All are checked, for they are about to be read. A branch
// that nobody here wants, and that is refused, keeps nothing else back: it goes from the
// tracking refs, for nobody can tell what it holds.
func (y *syncing) newTips(ctx context.Context, known cleanState, ours, theirs *survey) ([]git.Ref, error) {
	var list, unwanted []git.Ref
	for _, name := range slices.Sorted(maps.Keys(theirs.branches)) {
		ref := git.Ref{Name: git.BranchRef(name), ID: theirs.branches[name]}
		if known.holds(ref.Name, ref.ID) {
			continue
		}
		if ours.branches[name] == "" && !(y.adopt && y.wants(name)) {
			unwanted = append(unwanted, git.Ref{Name: y.peer.Tracking.Of(ref.Name), ID: ref.ID})
		}
		list = append(list, ref)
	}
	for _, name := range slices.Sorted(maps.Keys(theirs.tags)) {
		list = append(list, git.Ref{Name: git.TagRef(name), ID: theirs.tags[name]})
	}
	list = append(list, git.Ref{Name: git.RoadmapRef, ID: theirs.roadmap})
	dropped, why, err := y.s.dropUnsound(ctx, y.o.Writer, unwanted, nil)
	if err != nil {
		return nil, err
	}
	for i, r := range dropped {
		delete(theirs.branches, strings.TrimPrefix(r.Name, y.peer.Tracking.Branches()))
		y.warn(why[i])
	}
	list = slices.DeleteFunc(list, func(r git.Ref) bool {
		return r.ID == "" || r.ID == ours.at(r.Name) || theirs.at(r.Name) == "" || known.holds(r.Name, r.ID)
	})
	var in incoming
	for _, r := range list {
		in.add(git.Ref{Name: y.peer.Tracking.Of(r.Name), ID: r.ID}, r.Name == git.RoadmapRef)
	}
	if theirs.notes != ours.notes {
		in.notes = []git.Ref{{Name: y.peer.Tracking.Notes(), ID: theirs.notes}}
	}
	return list, y.s.checkIncoming(ctx, in)
}

// holding adds to an outcome what the other side still holds, and how to replace it.
func (y *syncing) holding(ctx context.Context) error {
	held := y.old.list()
	switch {
	case len(held) == 0:
		return nil
	case y.peer.bundle:
		y.warn(fmt.Sprintf("'%s' holds what was expunged; delete it, and make another one", y.peer.Name))
		y.old.Refs = map[string]heldRef{}
		return y.s.WriteHeldState(y.peer, y.old)
	}
	e, err := y.s.Tombstones(ctx)
	if err != nil {
		return err
	}
	commands, err := y.s.NewRewriter(e).cleaningOf(ctx, y.peer, held)
	if err != nil {
		return err
	}
	names := make([]string, len(held))
	for i, h := range held {
		names[i] = displayRef(h.ref)
	}
	return fail.New(fail.ErrRefused, fail.ExpungedOnRemote,
		fmt.Sprintf("'%s' still holds what was expunged, in %s", y.peer.Name, prose.QuotedList(names)), commands...)
}

// refuseHeld refuses a branch that leads to old history, as plain git has fetched it:
// sync fetches it without that.
func (y *syncing) refuseHeld(ctx context.Context, name string, id git.ID) error {
	return y.s.refuseExpunged(ctx, id, fmt.Sprintf("branch '%s' of '%s'", name, y.peer.Name), "git context sync "+prose.ShellWord(y.peer.Name))
}

// isHeld reports whether a ref leads to old history on the other side.
func (y *syncing) isHeld(ref string) bool {
	_, held := y.old.Refs[ref]
	return held
}
