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
	"github.com/git-context/git-context/refs/incoming"
	"github.com/git-context/git-context/refs/merge"
	"github.com/git-context/git-context/refs/remote"
	"github.com/git-context/git-context/refs/replica"
	"github.com/git-context/git-context/refs/store"
)

// exchangeRefs compares, merges, pushes and takes all refs once.
func (ex *exchanger) exchangeRefs(ctx context.Context, ours, theirs *remote.RefSet) (again bool, err error) {
	if err := ex.mayBegin(ctx, ours, theirs); err != nil {
		return false, err
	}
	if ex.alike(ours, theirs) {
		return false, errors.Join(ex.dropWaiting(ctx), ex.noteShared(ours, theirs))
	}
	if err := ex.inspectBoth(ctx, ours, theirs); err != nil {
		return false, err
	}
	ses, err := ex.begin(ctx)
	if err != nil {
		return false, err
	}
	defer ses.Close()
	ex.settle = merge.Preferring(ses, ex.o.Prefer)
	plan, err := ex.plan(ctx, ses, ours, theirs)
	if err != nil {
		return false, err
	}
	if plan, err = ex.withBranches(ctx, ses, plan, cmp.Or(plan[0].take, ours.Roadmap)); err != nil {
		return false, err
	}
	if err := ex.keepConflicts(ctx); err != nil {
		return false, err
	}
	if err := ex.uniteNotes(ctx, ses, plan, ours, theirs); err != nil {
		return false, err
	}
	if err := ses.Commit(ctx); err != nil { // nothing is queued: this flushes the objects to disk
		return false, err
	}
	fault.Point("after-merge")
	if err := ex.checkMade(ctx, plan, ours, theirs); err != nil {
		return false, err
	}
	ex.late, err = ex.send(ctx, plan, ours, theirs)
	if err == nil && !ex.late {
		err = ex.findBlockers(ctx)
	}
	if err != nil {
		return false, errors.Join(err, ex.takeAll(ctx, plan, ours, &again))
	}
	if err := ex.takeAll(ctx, plan, ours, &again); err != nil {
		return false, err
	}
	if again || ex.late {
		return true, nil
	}
	return false, errors.Join(ex.dropWaiting(ctx), ex.noteShared(ours, theirs))
}

// alike reports whether both sides have the same refs, and no other names have more.
func (ex *exchanger) alike(ours, theirs *remote.RefSet) bool {
	if len(ex.other.open)+len(ex.other.branches) > 0 && !ex.peer.Bundle {
		return false
	}
	for name, id := range ours.Branches {
		if ex.wants(name) && theirs.Branches[name] != id {
			return false
		}
	}
	if ex.adopt {
		for name := range theirs.Branches {
			if ours.Branches[name] == "" && ex.wants(name) {
				return false
			}
		}
	}
	return ours.Roadmap == theirs.Roadmap && ours.Notes == theirs.Notes && maps.Equal(ours.Tags, theirs.Tags) &&
		ex.sameWorks(ours, theirs)
}

// noteShared records which branches and tags both sides have.
func (ex *exchanger) noteShared(ours, theirs *remote.RefSet) error {
	shared := map[string]bool{}
	for name := range ours.Branches {
		if ref := git.BranchRef(name); theirs.Branches[name] != "" && ex.aside[ref] == nil || ex.shared[ref] {
			shared[ref] = true
		}
	}
	for name := range ours.Tags {
		if ref := git.TagRef(name); theirs.Tags[name] != "" && ex.aside[ref] == nil {
			shared[ref] = true
		}
	}
	for ref := range ex.shared {
		name, isTag := strings.CutPrefix(ref, git.TagPrefix)
		if isTag && (ours.Tags[name] != "" || theirs.Tags[name] != "") {
			shared[ref] = true // deleted on one side: must not be made again
		}
	}
	if ex.peer.Bundle || maps.Equal(shared, ex.known) {
		return nil
	}
	ex.known = shared
	return remote.WriteShared(ex.s, ex.peer, shared)
}

// mayBegin refuses what only an explicit push does: the first memory of a remote.
func (ex *exchanger) mayBegin(ctx context.Context, ours, theirs *remote.RefSet) error {
	for _, name := range ex.o.Branches {
		if ours.Branches[name] == "" && !ex.adopt {
			return ex.s.NoSuchBranch(ctx, name)
		}
	}
	if ex.push && theirs.Empty() && !ours.Empty() {
		if err := ex.otherNames(ctx); err != nil {
			return err
		}
	}
	begins := ex.push && theirs.Empty()
	if ex.push && !begins && !ours.Empty() {
		var err error
		if begins, err = ex.beginsElsewhere(ctx); err != nil {
			return err
		}
	}
	switch {
	case ours.Empty() && !ex.adopt:
		return fail.New(fail.ErrNoMemory, fail.NoMemory, fail.ErrNoMemory.Error(), "git context init")
	case begins && !ex.first:
		hints := []string{"git context push " + ex.peer.Name}
		if len(ex.known) > 0 && !ex.peer.Heads { // it had memory
			hints = append(hints, "if it does not show what was pushed, because it hides these names:", ex.otherMapping(remote.MappingHeads), "git context init")
		}
		return fail.New(fail.ErrRefused, fail.FirstPush,
			fmt.Sprintf("remote '%s' has no memory; the first push must be explicit", ex.peer.Name), hints...)
	case begins:
		if err := ex.refuseFirst(ctx); err != nil {
			return err
		}
		return ex.firstPush(ctx, ours)
	}
	return nil
}

// inspectBoth checks what is to be pushed, and then what is to be merged or taken.
func (ex *exchanger) inspectBoth(ctx context.Context, ours, theirs *remote.RefSet) error {
	if err := ex.checkOutgoing(ctx, ours, theirs); err != nil {
		return err
	}
	return ex.inspect(ctx, ours, theirs)
}

// inspect checks what is to be merged or taken. It skips branches that only the other side has,
// unless they are wanted.
func (ex *exchanger) inspect(ctx context.Context, ours, theirs *remote.RefSet) error {
	var in incoming.Refs
	t := ex.peer.Tracking
	if theirs.Notes != ours.Notes {
		in.Notes = []git.Ref{{Name: t.Notes(), ID: theirs.Notes}}
	}
	if !ex.merge {
		return incoming.Check(ctx, ex.s, in)
	}
	var err error
	for name, id := range theirs.Branches {
		if have := ours.Branches[name]; have != id && (have != "" || ex.adopt && ex.wants(name)) {
			in.Branches = append(in.Branches, git.Ref{Name: t.Of(git.BranchRef(name)), ID: id})
		}
	}
	for name, id := range theirs.Tags {
		if ours.Tags[name] == "" {
			in.Tags = append(in.Tags, git.Ref{Name: t.Of(git.TagRef(name)), ID: id})
		}
	}
	if theirs.Roadmap != ours.Roadmap {
		in.Roadmap = []git.Ref{{Name: t.Roadmap(), ID: theirs.Roadmap}}
	}
	ex.unowned = nil
	ex.arrived, err = incoming.Arrived(ctx, ex.s, in, &ex.read)
	return err
}

// refAction is what to do with one ref.
type refAction struct {
	ref    string     // its name here
	branch string     // "" for the roadmap, tags and handed over code
	ours   git.ID     // the local commit
	theirs git.ID     // the remote's; with what its commits lost, if healed
	healed git.ID     // the remote's commit, if theirs was made here on top of it
	sound  []git.ID   // if nothing could be made: the remote's newest commits that lack nothing
	of     *refAction // the branch that handed over code belongs to
	push   git.ID     // the remote's new commit; "" for no push
	take   git.ID     // what the local ref must contain; "" for nothing
	merged *git.Commit
	late   bool // another clone's push was faster
}

func (st *refAction) isTag() bool { return strings.HasPrefix(st.ref, git.TagPrefix) }

// plan compares every ref and makes the merges, without moving anything:
//
//  1. equal: nothing;
//  2. only here, or ahead: push, unless it was deleted there;
//  3. only there, or behind: take, a branch only if it is here or all are wanted;
//  4. diverged: merge, push and then take that;
//  5. the same memory, merged differently: see reconcile.
//
// A tag is pushed or taken where one side lacks it, see also tagsToBringBack.
func (ex *exchanger) plan(ctx context.Context, ses *store.Transaction,
	ours, theirs *remote.RefSet) ([]*refAction, error) {
	var plan []*refAction
	roadmap := &refAction{ref: git.RoadmapRef, ours: ours.Roadmap}
	if err := ex.decide(ctx, ses, roadmap, theirs.Roadmap, ""); err != nil {
		return nil, err
	}
	if ex.isDirty(roadmap.ref) {
		roadmap.push = ""
	}
	if err := ex.withholdRoadmap(ctx, ses, roadmap, theirs.Roadmap); err != nil {
		return nil, err
	}
	plan = append(plan, roadmap)
	roadmapID := cmp.Or(roadmap.take, ours.Roadmap) // not a newer one, which this push does not include
	for _, name := range slices.Sorted(maps.Keys(ours.Branches)) {
		if !ex.wants(name) {
			continue
		}
		st := &refAction{ref: git.BranchRef(name), branch: name, ours: ours.Branches[name]}
		if theirs.Branches[name] == "" && ex.shared[git.BranchRef(name)] && !ex.first {
			ex.deleted = append(ex.deleted, name)
			continue
		}
		if err := ex.decide(ctx, ses, st, theirs.Branches[name], roadmapID); err != nil {
			return nil, err
		}
		if ex.isDirty(st.ref) {
			st.push = ""
		}
		plan = append(plan, st)
	}
	for _, name := range slices.Sorted(maps.Keys(theirs.Branches)) {
		if ours.Branches[name] != "" || !ex.adopt || !ex.wants(name) {
			continue
		}
		if err := store.CheckBranchName(name); err != nil {
			ex.warn("left alone: " + err.Error())
			continue
		}
		st := &refAction{ref: git.BranchRef(name), branch: name}
		if err := ex.decide(ctx, ses, st, theirs.Branches[name], roadmapID); err != nil {
			return nil, err
		}
		plan = append(plan, st)
	}
	plan, err := ex.works(ctx, plan, ours, theirs)
	if err != nil {
		return nil, err
	}
	back, err := ex.tagsToBringBack(ctx, ours, theirs)
	return slices.Concat(plan, ex.tagsToTake(ours, theirs), back), err
}

// tagsToTake returns the tags that only the other side has.
func (ex *exchanger) tagsToTake(ours, theirs *remote.RefSet) []*refAction {
	var plan []*refAction
	for _, name := range slices.Sorted(maps.Keys(theirs.Tags)) {
		if ours.Tags[name] != "" || !ex.merge || ex.shared[git.TagRef(name)] {
			continue
		}
		if err := git.CheckBranchName(name); err != nil {
			ex.warn("left alone: tag: " + err.Error())
			continue
		}
		plan = append(plan, &refAction{ref: git.TagRef(name), take: theirs.Tags[name]})
	}
	return plan
}

// wants reports whether a branch was asked for.
func (ex *exchanger) wants(branch string) bool {
	return len(ex.o.Branches) == 0 || slices.Contains(ex.o.Branches, branch)
}

// decide restores what the other side lost of a ref, and compares it with ours. A ref that cannot be merged, because
// the result would be too large or an object cannot be read, is set aside.
func (ex *exchanger) decide(ctx context.Context, ses *store.Transaction, st *refAction, theirs, roadmap git.ID) error {
	err := ex.heal(ctx, ses, st, theirs, roadmap)
	if err == nil {
		err = ex.compare(ctx, ses, st, roadmap)
	}
	if err == nil {
		return nil
	}
	if err, failed := ex.withSetBack(ctx, st, theirs, err); failed != nil {
		return failed
	} else if err := ex.setAsideOne(ctx, st.ref, err); err != nil {
		return err
	}
	*st = refAction{ref: st.ref, branch: st.branch, ours: st.ours, theirs: st.ours}
	if st.ref != git.RoadmapRef || theirs == "" || !ex.push {
		return nil
	}
	known, err := expunge.TombstonesAt(ctx, ex.s, st.ours)
	if err != nil {
		return err
	}
	err = ex.sendTombstones(ctx, ses, st, known, theirs)
	ex.sent = [2]git.ID{theirs, st.push}
	return err
}

// withSetBack adds to the error of a ref whose result would be too large, or refused, the command that sets it back there: what fills it
// may be on the other side alone. For a ref that is not here it is the only hint, since nothing here can make room.
func (ex *exchanger) withSetBack(ctx context.Context, st *refAction, theirs git.ID, err error) (with, failed error) {
	err = store.NoRoom(st.branch, err)
	var full *fail.Error
	if isOfDocument(err) && !errors.As(err, &full) {
		err = &fail.Error{Code: fail.MergeUnclear, Kind: fail.ErrRefused, Err: err, Message: fmt.Sprintf("'%s' of '%s' cannot be merged", git.DisplayName(st.ref), ex.peer.Name)}
	}
	if !errors.As(err, &full) || !slices.Contains([]string{fail.TextTooLarge, fail.MergeUnclear, fail.OutgoingInvalid}, full.Code) || theirs == "" || ex.peer.Bundle {
		return err, nil
	}
	r := git.Ref{Name: st.ref, ID: theirs}
	if st.ours != "" {
		if len(st.sound) == 0 {
			full.Hints = append(full.Hints, "the next push drops what others have pushed there since:", fmt.Sprintf("git log %s --not %s", theirs, st.ref))
		}
		hints, failed := ex.setBack(ctx, r, st.ours, st.sound, full)
		full.Hints = append(full.Hints, hints...)
		return err, failed
	}
	sound, failed := ex.distinct(ctx, st.sound)
	switch {
	case failed != nil:
		return nil, failed
	case len(sound) == 1:
		full.Hints = ex.setBackHints(r, sound[0])
	case len(sound) > 1:
		full.Hints = []string{"a clone that has the ref prints the command that mends it when it syncs"}
	}
	return err, nil
}

// isOfDocument reports whether an error says that a text, which can be read, is no document.
func isOfDocument(err error) bool {
	var syntax *doc.SyntaxError
	return errors.As(err, &syntax) || errors.Is(err, doc.ErrOverLimit)
}

// setAsideOne sets a ref aside of which an error is, or returns the error if it concerns more than that ref.
func (ex *exchanger) setAsideOne(ctx context.Context, ref string, err error) error {
	var known *fail.Error
	switch {
	case !ex.merge, ctx.Err() != nil, errors.Is(err, git.ErrStale):
		return err
	case errors.As(err, &known) && known.Code == fail.IncomingInvalid: // findRefused looks for the others
		return err
	}
	ex.aside[ref] = err
	return nil
}

// compare decides what to do with one ref.
func (ex *exchanger) compare(ctx context.Context, ses *store.Transaction, st *refAction, roadmap git.ID) error {
	switch {
	case st.ours == st.theirs:
		return nil
	case st.theirs == "":
		st.push = st.ours
		return nil
	case st.ours == "":
		st.takeTheirs()
		return nil
	}
	// What was restored is a child of the remote's commit, and not on the disk yet.
	how, bases, err := ex.relation(ctx, st.ref, st.ours, cmp.Or(st.healed, st.theirs))
	if err == nil && how == replica.Diverged && st.healed == "" {
		how, err = ex.reconcile(ctx, st.ours, st.theirs)
	}
	switch {
	case err != nil:
		return err
	case how == replica.Ahead:
		st.push = st.ours
	case how == replica.Behind:
		st.takeTheirs()
	case how == replica.Diverged && !ex.merge:
		return &fail.Error{Code: fail.Diverged, Kind: fail.ErrStale,
			Hints:   []string{"git context sync " + ex.peer.Name},
			Message: fmt.Sprintf("'%s' on '%s' has commits that are not here", git.DisplayName(st.ref), ex.peer.Name)}
	case how == replica.Diverged:
		return ex.mergeRef(ctx, ses, st, st.theirs, bases, roadmap)
	}
	return nil
}

// takeTheirs takes the other side's commit, and pushes what was restored on top of it.
func (st *refAction) takeTheirs() {
	st.take = st.theirs
	if st.healed != "" {
		st.push = st.theirs
	}
}

// settler returns how conflicts are settled beside these merge bases, see merge.Smaller.
func (ex *exchanger) settler(bases []git.ID) merge.Settler {
	if len(bases) > 1 && (ex.o.Prefer == merge.SettleOurs || ex.o.Prefer == merge.SettleTheirs) {
		return merge.Smaller
	}
	return ex.settle
}

// mergeRef merges a ref that diverged. One with open conflicts stays as it is.
func (ex *exchanger) mergeRef(ctx context.Context, ses *store.Transaction, st *refAction, theirs git.ID,
	bases []git.ID, roadmap git.ID) error {
	prefix := merge.Qualified(st.branch, ex.current, "")
	settle := merge.Resolved(ex.waiting, prefix, ex.settler(bases))
	var conflicts []store.Conflict
	var err error
	if st.branch == "" {
		st.merged, conflicts, err = replica.MergeRoadmaps(ctx, ses, st.ours, theirs, bases, ex.peer.Name, settle, false)
	} else {
		st.merged, conflicts, err = ex.mergeBranch(ctx, ses, st, theirs, bases, roadmap, settle)
	}
	if err != nil {
		return fmt.Errorf("merge '%s' of '%s': %w", git.DisplayName(st.ref), ex.peer.Name, store.NoRoom(st.branch, err))
	}
	for _, c := range conflicts {
		c.Path = prefix + c.Path
		ex.res.Conflicts = append(ex.res.Conflicts, c)
		if st.merged == nil {
			ex.open = append(ex.open, c)
			ex.openAt[st.ref] = theirs
		}
	}
	if st.merged != nil {
		st.push, st.take = st.merged.ID, st.merged.ID
	}
	return nil
}

func (ex *exchanger) mergeBranch(ctx context.Context, ses *store.Transaction, st *refAction, theirs git.ID,
	bases []git.ID, roadmap git.ID, settle merge.Settler) (*git.Commit, []store.Conflict, error) {
	r := replica.Branch{Bases: bases, From: ex.peer.Name, Settle: settle, Roadmap: roadmap}
	var err error
	if r.Ours, err = ex.s.TipAt(ctx, st.branch, st.ours); err != nil {
		return nil, nil, err
	}
	if r.Theirs, err = ex.s.TipAt(ctx, st.branch, theirs); err != nil {
		return nil, nil, err
	}
	c, u, err := replica.Merge(ctx, ses, r)
	if err != nil {
		return nil, nil, err
	}
	return c, u.Conflicts, nil
}

// merged records that a ref moved here.
func (ex *exchanger) merged(ref string) {
	if !slices.Contains(ex.res.Merged, ref) {
		ex.res.Merged = append(ex.res.Merged, ref)
	}
}
