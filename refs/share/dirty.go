package share

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/git-context/git-context/refs/doc"
	"github.com/git-context/git-context/refs/expunge"
	"github.com/git-context/git-context/refs/fail"
	"github.com/git-context/git-context/refs/fault"
	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/git/pack"
	"github.com/git-context/git-context/refs/incoming"
	"github.com/git-context/git-context/refs/prose"
	"github.com/git-context/git-context/refs/remote"
)

// readDirty reads what the remote had of old history when it was last asked, and finishes
// deleting that here.
func (ex *exchanger) readDirty(ctx context.Context) (err error) {
	if ex.dirty, err = expunge.ReadDirtyState(ex.s, ex.peer); err != nil || len(ex.dirty.Purge) == 0 {
		return err
	}
	_, err = ex.deleteOld(ctx) // findDirty finds again what tracking refs still have
	return err
}

// leftOut asks the remote for the refs that had old history and for those that were refused, and forgets those
// that it has replaced. It returns negative refspecs for the others. f are the branches that the fetch asks for; nil for
// all.
func (ex *exchanger) leftOut(ctx context.Context, f *followed, ours, tracked *remote.RefSet) ([]string, error) {
	before := len(ex.dirty.Refs)
	cleaned, err := ex.movedSince(ctx, tracked)
	if err != nil {
		return nil, err
	}
	refused := ex.refusedBefore(ctx, f, ours, tracked)
	ex.spared = refused
	if len(ex.dirty.Refs)+len(refused) == 0 || ex.peer.IsFile() {
		return nil, errors.Join(ex.purgeFetched(ctx, cleaned), ex.saveDirty(before))
	}
	var names []string
	for _, ref := range slices.Concat(slices.Collect(maps.Keys(ex.dirty.Refs)), slices.Collect(maps.Keys(refused))) {
		names = append(names, git.NameOn(ref, ex.peer.Heads))
	}
	byGit := func(ref string) bool { return refused[ref].ByGit }
	if len(names) > mostNamed || slices.ContainsFunc(slices.Collect(maps.Keys(refused)), byGit) { // other names may have the same object
		names = append(memoryPatterns(ex.peer.Heads), git.NameOn(git.RoadmapRef, ex.peer.Heads)+"*", git.NameOn(git.NotesRef, ex.peer.Heads)+"*") // see misplaced
	}
	list, err := ex.s.Repo().LsRemote(ctx, remote.NameOf(ex.peer.Name), names...)
	if errors.Is(err, git.ErrUnreachable) {
		err = unreachable(remote.NameOf(ex.peer.Name), err)
	}
	if err != nil {
		return nil, err
	}
	there := map[string]git.ID{}
	for _, r := range list {
		there[git.NameHere(r.Name, ex.peer.Heads)] = r.ID
	}
	not, gone := ex.spare(refused, f, there, tracked)
	if err := ex.refuseAgain(ctx, ours, tracked); err != nil {
		return nil, err
	}
	if gone {
		if err := ex.saveRefused(ctx, ours, tracked); err != nil {
			return nil, err
		}
	}
	for _, h := range ex.dirty.List() {
		if there[h.Ref] != h.Old {
			delete(ex.dirty.Refs, h.Ref)
			cleaned = append(cleaned, git.Ref{Name: h.Ref, ID: h.Old})
			continue
		}
		not = append(not, "^"+git.NameOn(h.Ref, ex.peer.Heads))
	}
	return not, errors.Join(ex.purgeFetched(ctx, cleaned), ex.saveDirty(before))
}

// movedSince forgets the refs with old history whose tracking refs have moved since: by plain git, or because they were
// dropped. It returns those that a push from here has cleaned.
func (ex *exchanger) movedSince(ctx context.Context, tracked *remote.RefSet) (cleaned []git.Ref, err error) {
	for ref, h := range ex.dirty.Refs {
		now := expunge.RefID(tracked, ref)
		if now == h.Now {
			continue
		}
		delete(ex.dirty.Refs, ref)
		if now == "" || now == h.Old || h.Now == "" {
			continue
		}
		if onTop, err := ex.s.Repo().IsAncestor(ctx, h.Now, now); err != nil {
			return nil, err
		} else if onTop {
			cleaned = append(cleaned, git.Ref{Name: ref, ID: h.Old})
		}
	}
	return cleaned, nil
}

// purgeFetched deletes the old history of refs that the remote has replaced, should it be here again: in a partial clone
// a git before 2.45 that pushes there fetches what the refs had, if nothing forbids it.
func (ex *exchanger) purgeFetched(ctx context.Context, cleaned []git.Ref) error {
	if len(cleaned) == 0 {
		return nil
	}
	cfg, err := ex.s.Repo().Config(ctx)
	if err != nil || !cfg.Promisor() {
		return err
	}
	back := map[git.ID]bool{}
	for _, r := range cleaned {
		back[r.ID] = false
	}
	err = ex.s.Repo().EachExisting(ctx, expunge.UniqueIDs(cleaned), func(id git.ID) {
		if _, asked := back[id]; asked {
			back[id] = true
		}
	})
	if err != nil {
		return err
	}
	if cleaned = slices.DeleteFunc(cleaned, func(r git.Ref) bool { return !back[r.ID] }); len(cleaned) == 0 {
		return nil
	}
	return ex.purgeTracked(ctx, cleaned)
}

// saveDirty writes the state if refs left it.
func (ex *exchanger) saveDirty(before int) error {
	if len(ex.dirty.Refs) == before {
		return nil
	}
	return expunge.WriteDirtyState(ex.s, ex.peer, ex.dirty)
}

// replaceTracking moves tracking refs to their cleaned commits and deletes the old objects.
// readDirty completes an interrupted run.
func (ex *exchanger) replaceTracking(ctx context.Context, held []expunge.DirtyRef, theirs *remote.RefSet) error {
	for _, h := range held {
		there := h
		there.Old = cmp.Or(ex.raised[h.Ref], h.Old) // what the other side has
		ex.dirty.Refs[h.Ref] = there
		ex.dirty.Purge = append(ex.dirty.Purge, h.Old)
	}
	if err := expunge.WriteDirtyState(ex.s, ex.peer, ex.dirty); err != nil {
		return err
	}
	ses, err := ex.s.Begin(ctx, ex.o.Writer, "expunge: "+prose.OneLine(ex.peer.Name, 100))
	if err != nil {
		return err
	}
	defer ses.Close()
	mapped, err := ex.mapped(ctx)
	if err != nil {
		return err
	}
	for _, r := range mapped { // the next `git fetch` makes them anew
		if slices.ContainsFunc(held, func(h expunge.DirtyRef) bool { return h.Old == r.ID }) {
			ses.Refs.Delete(r.Name, r.ID)
		}
	}
	for _, h := range held {
		if h.Now == "" { // of notes nothing may be left
			ses.Refs.Delete(ex.peer.Tracking.Of(h.Ref), h.Old)
		} else {
			ses.Refs.Update(ex.peer.Tracking.Of(h.Ref), h.Now, h.Old)
		}
		set(theirs, git.Ref{Name: h.Ref, ID: h.Now})
	}
	if err := ses.Commit(ctx); err != nil {
		return err
	}
	fault.Point("held-replaced")
	kept, err := ex.deleteOld(ctx)
	for _, k := range kept {
		if strings.HasPrefix(k.Name, git.KeptPrefix) { // until somebody answers
			continue
		}
		ex.warn(fmt.Sprintf("%s of what '%s' still contains cannot be deleted here: %s",
			prose.Count(len(k.Objects), "object"), ex.peer.Name, expunge.KeptReason(k)))
	}
	return err
}

// deleteOld deletes the objects of old history that were fetched, and returns those that git
// keeps.
func (ex *exchanger) deleteOld(ctx context.Context) ([]pack.Kept, error) {
	var logs []string
	for ref := range ex.dirty.Refs {
		logs = append(logs, ex.peer.Tracking.Of(ref))
	}
	mapped, err := ex.mapped(ctx)
	if err != nil {
		return nil, err
	}
	for _, r := range mapped {
		logs = append(logs, r.Name)
	}
	if err := expunge.DropReflogs(ctx, ex.s, logs); err != nil {
		return nil, err
	}
	res, err := pack.Purge(ctx, ex.s.Repo(), ex.dirty.Purge, append(ex.keptTips(), ex.kept...)...)
	if err != nil {
		return nil, err
	}
	ex.dirty.Purge = nil
	return res.Kept, expunge.WriteDirtyState(ex.s, ex.peer, ex.dirty)
}

// mapped returns git's own tracking refs of a remote that has memory among its branches.
func (ex *exchanger) mapped(ctx context.Context) ([]git.Ref, error) {
	if !ex.peer.Heads || ex.peer.Bundle {
		return nil, nil
	}
	return ex.s.Repo().Refs(ctx, git.MappedTracking(ex.peer.Name))
}

// filterExpunged keeps what was expunged from coming back. It runs after the fetch, before
// anything is merged:
//
//  1. what the other side has expunged is expunged here too (acceptTombstones), what of that was written here later
//     is hidden, what came back is expunged again (expungeOwn), and both sides are read again;
//  2. refs of the other side that lead to old history are moved, as tracking refs alone, to their
//     cleaned commits, so that what others added on top is merged once; the old objects are
//     deleted;
//  3. old history that the fetch has taken out of tracking refs is deleted, too (purgeReplaced);
//  4. those refs are not pushed: a plain push would be refused, because the history is another
//     one. reportDirty returns the commands that replace them;
//  5. commits of ours that the other side has in another form, because they name a roadmap that was never here, are rewritten to
//     that form (learnRoadmaps), and both sides are read again.
//
// Before all that it asks whether memory here is whole, see mendCut.
//
// Between 1 and 2 it asks for signatures (checkSignatures): of what is new once both have expunged
// the same, and before any of that is rewritten. Where nothing was ever expunged this costs one look at the roadmap's tree.
func (ex *exchanger) filterExpunged(ctx context.Context, ours, theirs *remote.RefSet) (again bool, err error) {
	if again, err := ex.mendCut(ctx, ours, theirs); err != nil || again {
		return again, err
	}
	if again, err := ex.acceptTombstones(ctx, ours, theirs); err != nil || again {
		return again, ex.orUnshallow(err)
	}
	if err := ex.stillCut(); err != nil {
		return false, err
	}
	if ex.remove {
		return false, nil
	}
	if ex.push {
		if again, err := ex.expungeOwn(ctx, ours); err != nil || again {
			return again, err
		}
	}
	if err := ex.checkSignatures(ctx, ours, theirs); err != nil {
		return false, err
	}
	if err := ex.holdReturning(ctx, ours, theirs, ex.roadmapThere); err != nil {
		return false, ex.orUnshallow(err)
	}
	e, err := expunge.TombstonesAt(ctx, ex.s, ours.Roadmap)
	if err == nil && ours.Empty() && theirs.Roadmap != "" { // without memory here, the tombstones are theirs
		e, err = ex.tombstonesOf(ctx, "", theirs.Roadmap)
	}
	if err != nil || e.Empty() {
		return false, err
	}
	w := expunge.NewRewriter(ex.s, e)
	known, err := expunge.ReadCleanState(ctx, ex.s, ex.peer, e)
	if err != nil {
		return false, err
	}
	held, clean, err := ex.findDirty(ctx, w, known, ours, theirs)
	if err != nil {
		return false, ex.orUnshallow(err)
	}
	if ex.rehearsal {
		for _, h := range held {
			ex.dirty.Refs[h.Ref] = h
			set(theirs, git.Ref{Name: h.Ref, ID: h.Now})
		}
		return false, nil
	}
	if err := ex.purgeReplaced(ctx, e, ours, theirs); err != nil {
		return false, err
	}
	if len(held) > 0 {
		if err := ex.replaceTracking(ctx, held, theirs); err != nil {
			return false, err
		}
	}
	known.Refused = ex.spared
	if err := expunge.WriteCleanState(ex.s, ex.peer, known, clean, theirs); err != nil {
		return false, err
	}
	return ex.learnRoadmaps(ctx, e, ours, theirs)
}

// rewriteEach rewrites refs of the other side, and sets those aside that cannot be.
func (ex *exchanger) rewriteEach(ctx context.Context, w *expunge.Rewriter, tips []git.Ref) (left []git.Ref, now map[git.ID]git.ID, err error) {
	now = map[git.ID]git.ID{}
	for _, r := range tips {
		one, err := w.RewriteNew(ctx, []git.ID{r.ID})
		switch {
		case cannotRedact(err):
			ex.aside[r.Name] = ex.refuseRedaction(r.Name, err)
		case err != nil:
			return nil, nil, err
		default:
			left, now[r.ID] = append(left, r), one[r.ID]
		}
	}
	return left, now, nil
}

// findDirty lists the refs of the other side that lead to old history, and those, without
// notes, that were read and do not.
func (ex *exchanger) findDirty(ctx context.Context, w *expunge.Rewriter, known expunge.CleanState, ours,
	theirs *remote.RefSet) (held []expunge.DirtyRef, clean []git.Ref, err error) {
	tips, err := ex.newTips(ctx, w, known, ours, theirs)
	if err != nil {
		return nil, nil, err
	}
	now, err := w.RewriteNew(ctx, expunge.UniqueIDs(tips))
	if cannotRedact(err) && ex.merge {
		tips, now, err = ex.rewriteEach(ctx, w, tips)
		ex.setAside(ours, theirs)
	}
	if err != nil {
		return nil, nil, err
	}
	for _, r := range tips {
		if to := now[r.ID]; to != r.ID {
			held = append(held, expunge.DirtyRef{Ref: r.Name, Old: r.ID, Now: to})
		} else {
			clean = append(clean, r)
		}
	}
	misplaced, others, err := ex.misplaced(ctx, w, known, theirs)
	if err != nil {
		return nil, nil, err
	}
	held, clean = append(held, misplaced...), append(clean, others...)
	if theirs.Notes == "" || theirs.Notes == ours.Notes {
		return held, clean, nil
	}
	to, err := w.CleanNotes(ctx, theirs.Notes, ours.Notes)
	if err == nil && to != theirs.Notes {
		held = append(held, expunge.DirtyRef{Ref: git.NotesRef, Old: theirs.Notes, Now: to})
	}
	return held, clean, err
}

// newTips returns the refs of the other side, without notes and by their names here, that
// differ from ours and are not known to be clean. It checks all of them, because they are about
// to be read, see dropRefused.
func (ex *exchanger) newTips(ctx context.Context, w *expunge.Rewriter, known expunge.CleanState,
	ours, theirs *remote.RefSet) ([]git.Ref, error) {
	var list, unneeded []git.Ref
	for _, name := range slices.Sorted(maps.Keys(theirs.Branches)) {
		ref := git.Ref{Name: git.BranchRef(name), ID: theirs.Branches[name]}
		if known.Contains(ref.Name, ref.ID) {
			continue
		}
		if !ex.needs(ours, name) {
			unneeded = append(unneeded, ref)
		}
	}
	if err := ex.dropRefused(ctx, w, known, unneeded, ours, theirs); err != nil {
		return nil, err
	}
	for _, name := range slices.Sorted(maps.Keys(theirs.Branches)) {
		list = append(list, git.Ref{Name: git.BranchRef(name), ID: theirs.Branches[name]})
	}
	for _, name := range slices.Sorted(maps.Keys(theirs.Tags)) {
		list = append(list, git.Ref{Name: git.TagRef(name), ID: theirs.Tags[name]})
	}
	list = append(list, git.Ref{Name: git.RoadmapRef, ID: theirs.Roadmap})
	list = slices.DeleteFunc(list, func(r git.Ref) bool {
		return r.ID == "" || r.ID == expunge.RefID(ours, r.Name) || expunge.RefID(theirs, r.Name) == "" ||
			known.Contains(r.Name, r.ID)
	})
	var in incoming.Refs
	for _, r := range list {
		in.Add(git.Ref{Name: ex.peer.Tracking.Of(r.Name), ID: r.ID}, r.Name == git.RoadmapRef)
	}
	if theirs.Notes != ours.Notes {
		in.Notes = []git.Ref{{Name: ex.peer.Tracking.Notes(), ID: theirs.Notes}}
	}
	return list, incoming.Check(ctx, ex.s, in)
}

// reportDirty returns an error that names what the other side still has of old history, and the
// commands that replace it.
func (ex *exchanger) reportDirty(ctx context.Context) error {
	held := ex.dirty.List()
	switch {
	case len(held) == 0:
		return nil
	case ex.peer.Bundle:
		ex.warn(fmt.Sprintf("'%s' contains what was expunged; delete it, and make another one", ex.peer.Name))
		ex.dirty.Refs = map[string]expunge.DirtyRef{}
		return expunge.WriteDirtyState(ex.s, ex.peer, ex.dirty)
	}
	names := namesOf(held)
	if askers, err := ex.unansweredAskers(ctx); err != nil {
		return err
	} else if len(askers) > 0 {
		return ex.errAsked(names, askers)
	}
	e, err := expunge.Tombstones(ctx, ex.s)
	if err != nil {
		return err
	}
	if stays, err := ex.tombstonesStay(ctx, e); err != nil {
		return err
	} else if stays {
		return fail.New(fail.ErrRefused, fail.ExpungedOnRemote,
			fmt.Sprintf("'%s' still contains what was expunged, in %s, and does not take the roadmap, without which other clones would bring it back there",
				ex.peer.Name, names), remote.SyncCommand(prose.ShellWord(ex.peer.Name))+" once it takes the roadmap")
	}
	commands, err := expunge.NewRewriter(ex.s, e).CleaningCommands(ctx, ex.peer, held)
	if err != nil {
		return err
	}
	local, err := ex.localThere(ctx)
	if err != nil {
		return err
	}
	if len(local) > 0 {
		commands = slices.Insert(commands, 0, ex.peer.PushCommand()+" "+prose.ShellWord(ex.peer.Name)+" --delete "+strings.Join(local, " "))
	}
	followed, err := ex.followedAskers(ctx)
	if err != nil {
		return err
	}
	commands = append(lookFirst(followed), commands...)
	return fail.New(fail.ErrRefused, fail.ExpungedOnRemote,
		fmt.Sprintf("'%s' still contains what was expunged, in %s", ex.peer.Name, names), commands...)
}

// tombstonesStay reports whether the other side lacks tombstones of ours and this exchange could not bring them.
func (ex *exchanger) tombstonesStay(ctx context.Context, e doc.Expunged) (bool, error) {
	if ex.aside[git.RoadmapRef] == nil && !slices.ContainsFunc(ex.refused, func(r refusal) bool { return r.full == git.RoadmapRef }) {
		return false, nil
	}
	_, theirs, err := remote.Survey(ctx, ex.s, ex.peer)
	if err != nil {
		return false, err
	}
	there, err := expunge.TombstonesAt(ctx, ex.s, theirs.Roadmap)
	return err == nil && !there.Contains(e), err
}

// localThere lists the refs on the other side that are made for one repository alone, and are there because somebody
// has pushed all refs (git push --mirror). No exchange reads them, so that old history would stay in them unseen. Where
// there are many, the next sync names the others.
func (ex *exchanger) localThere(ctx context.Context) ([]string, error) {
	var patterns []string
	for _, prefix := range git.LocalPrefixes() {
		patterns = append(patterns, prefix+"*")
	}
	list, err := ex.s.Repo().LsRemote(ctx, ex.peer.Name, patterns...)
	if err != nil {
		return nil, err
	}
	list = slices.DeleteFunc(list, func(r git.Ref) bool { // of another program's notes
		return strings.HasPrefix(r.Name, git.RemoteNotesPrefix) && !git.TrackedNotes(r.Name)
	})
	var names []string
	for _, r := range list[:min(mostDeleted, len(list))] {
		names = append(names, prose.ShellWord(r.Name))
	}
	return names, nil
}

// refuseDirty refuses a branch that leads to old history, as plain git has fetched it: sync
// fetches it without that.
func (ex *exchanger) refuseDirty(ctx context.Context, name string, id git.ID) error {
	return expunge.RefuseExpunged(ctx, ex.s, id, fmt.Sprintf("branch '%s' of '%s'", name, ex.peer.Name),
		"git context sync "+prose.ShellWord(ex.peer.Name))
}

// isDirty reports whether a ref leads to old history on the other side.
func (ex *exchanger) isDirty(ref string) bool {
	_, held := ex.dirty.Refs[ref]
	return held
}
