package share

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/git-context/git-context/refs/expunge"
	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/merge"
	"github.com/git-context/git-context/refs/prose"
	"github.com/git-context/git-context/refs/remote"
	"github.com/git-context/git-context/refs/replica"
)

// rehearse fills in what a push or a sync would do, and changes nothing. What it fetches and merges goes to a
// quarantine, whose objects are removed at the end; no ref moves, not even a tracking ref. It returns the
// errors that the exchange would.
func (ex *exchanger) rehearse(ctx context.Context) (err error) {
	repo, remove, err := ex.s.Repo().Quarantine(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, remove()) }()
	ex.s = ex.s.Over(repo)
	if ex.dirty, err = expunge.ReadDirtyState(ex.s, ex.peer); err != nil {
		return err
	}
	if err := ex.readState(ctx); err != nil {
		return err
	}
	ours, before, err := remote.Survey(ctx, ex.s, ex.peer)
	if err != nil {
		return err
	}
	theirs, err := ex.peek(ctx, &ours, &before)
	if err != nil {
		return err
	}
	ex.setAside(&ours, &before)
	if err := ex.recordMoves(theirs.Changes(&before)); err != nil {
		return err
	}
	if stop, err := ex.filterExpunged(ctx, &ours, &theirs); err != nil || stop {
		return err
	}
	if err := ex.mayBegin(ctx, &ours, &theirs); err != nil {
		return err
	}
	if ex.alike(&ours, &theirs) {
		return ex.outcome(ctx)
	}
	if err := ex.inspectBoth(ctx, &ours, &theirs); err != nil {
		return err
	}
	if err := ex.foresee(ctx, &ours, &theirs); err != nil {
		return err
	}
	if err := ex.warnDirty(ctx); err != nil {
		return err
	}
	return ex.outcome(ctx)
}

// mostNamesSaid is how many bytes of names of refs a message has: one commit may have thousands.
const mostNamesSaid = 500

// namesOf names refs for a message.
func namesOf(held []expunge.DirtyRef) string {
	names := make([]string, len(held))
	for i, h := range held {
		names[i] = git.DisplayName(h.Ref)
	}
	text := prose.QuotedList(names)
	if len(text) <= mostNamesSaid {
		return text
	}
	return fmt.Sprintf("%s (%s)", prose.Count(len(names), "ref"), prose.Clip(text, mostNamesSaid))
}

// peek returns the refs of a remote, and brings their objects into the quarantine. The names come first: a ref
// that moves in between goes forward, and its new history contains the old one.
func (ex *exchanger) peek(ctx context.Context, ours, before *remote.RefSet) (theirs remote.RefSet, err error) {
	list, other, err := ex.listBoth(ctx)
	if errors.Is(err, git.ErrUnreachable) {
		err = unreachable(ex.peer.Name, err)
	}
	if err != nil {
		return theirs, err
	}
	theirs = remote.RefSetOf(list)
	refspecs := append(allRefspecs(ex.peer), ex.otherRefspecs(nil)...)
	f := ex.followed(ours, before)
	if f != nil {
		there := map[string]bool{}
		for name := range theirs.Branches {
			there[name] = f.has(name)
		}
		refspecs = append(f.refspecs(ex.peer, there), ex.otherRefspecs(f)...)
		maps.DeleteFunc(theirs.Branches, func(name string, _ git.ID) bool { return !there[name] })
	}
	if len(list) == 0 {
		return theirs, nil
	}
	var there []git.Ref
	for _, r := range list {
		there = append(there, git.Ref{Name: git.NameOn(r.Name, ex.peer.Heads), ID: r.ID})
	}
	ex.leaveOut(ex.s.Repo().LongNames(ctx, there, refspecs)) // the fetch of a rehearsal moves no ref, so that it does not fail
	at := map[string]git.ID{}
	for _, r := range list {
		at[r.Name] = r.ID
	}
	not, _ := ex.spare(ex.refusedBefore(ctx, f, ours, before), f, at, &remote.RefSet{})
	if err := ex.refuseAgain(ctx, ours, before); err != nil {
		return theirs, err
	}
	ex.setAside(ours, &theirs)
	o := git.FetchOptions{Remote: ex.peer.Name, Refspecs: slices.Concat(refspecs, ex.unheld, not), DryRun: true, Progress: ex.o.Progress}
	if err = ex.s.Repo().Fetch(ctx, o); errors.Is(err, git.ErrBadObject) { // the check of what came says of which ref it is
		o.Unchecked = true
		err = ex.s.Repo().Fetch(ctx, o)
	}
	if errors.Is(err, git.ErrUnreachable) {
		err = unreachable(ex.peer.Name, err)
	}
	if there := remote.RefSetOf(other); err == nil && ex.merge && there.Whole() && !theirs.Empty() {
		ex.res.Split, err = ex.split(ctx, &theirs, &there)
	}
	return theirs, err
}

// foresee compares and merges all refs, and records what would move.
func (ex *exchanger) foresee(ctx context.Context, ours, theirs *remote.RefSet) error {
	ses, err := ex.s.BeginLocked(ctx, ex.o.Writer, ex.title())
	if err != nil {
		return err
	}
	defer ses.Close()
	ex.settle = merge.Preferring(ses, ex.o.Prefer)
	plan, err := ex.plan(ctx, ses, ours, theirs)
	if err != nil {
		return err
	}
	if err := ses.Refs.Rehearse(); err != nil {
		return err
	}
	var updates []git.PushUpdate
	for _, st := range plan {
		if st.push != "" && ex.push {
			ex.res.Pushed = append(ex.res.Pushed, st.ref)
			updates = append(updates, ex.update(st.ref, st.push))
		}
		if st.take != "" && ex.merge {
			ex.merged(st.ref)
			if err := ex.countTaken(ctx, st); err != nil {
				return err
			}
		}
	}
	if len(ex.o.Branches) == 0 && ex.push {
		for _, u := range ex.newTags(plan, ours, theirs) {
			updates = append(updates, u)
			ex.res.Pushed = append(ex.res.Pushed, git.NameHere(u.Ref, ex.peer.Heads))
		}
	}
	if err := ex.foreseeNotes(ctx, ours, theirs); err != nil {
		return err
	}
	if slices.Contains(ex.res.Pushed, git.NotesRef) {
		updates = append(updates, ex.update(git.NotesRef, ours.Notes))
	}
	return ex.checkSecrets(ctx, updates, theirs)
}

// countTaken adds the steps that a branch would get.
func (ex *exchanger) countTaken(ctx context.Context, st *refAction) error {
	if st.branch == "" {
		return nil
	}
	for sign, id := range map[int]git.ID{1: st.take, -1: st.ours} {
		if id == "" {
			continue
		}
		tip, err := ex.s.TipAt(ctx, st.branch, id)
		if err != nil {
			return err
		}
		meta, err := tip.Metadata(ctx)
		if err != nil {
			return err
		}
		ex.res.Steps += sign * meta.Totals().Steps
	}
	return nil
}

// foreseeNotes records whether the notes would move. Two histories of notes are always united.
func (ex *exchanger) foreseeNotes(ctx context.Context, ours, theirs *remote.RefSet) error {
	if ours.Notes == theirs.Notes || ex.isDirty(git.NotesRef) {
		return nil
	}
	how := replica.Ahead
	var err error
	switch {
	case ours.Notes == "":
		how = replica.Behind
	case theirs.Notes != "":
		how, _, err = replica.Compare(ctx, ex.s, ours.Notes, theirs.Notes)
	}
	if how != replica.Behind && ex.push && !slices.Contains(ex.res.Pushed, git.NotesRef) {
		ex.res.Pushed = append(ex.res.Pushed, git.NotesRef)
	}
	if how != replica.Ahead {
		ex.merged(git.NotesRef)
	}
	return err
}
