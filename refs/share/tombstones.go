package share

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/git-context/git-context/refs/doc"
	"github.com/git-context/git-context/refs/expunge"
	"github.com/git-context/git-context/refs/fail"
	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/incoming"
	"github.com/git-context/git-context/refs/loss"
	"github.com/git-context/git-context/refs/prose"
	"github.com/git-context/git-context/refs/remote"
	"github.com/git-context/git-context/refs/replica"
	"github.com/git-context/git-context/refs/store"
)

// sendTombstones plans to push a commit on top of the other side's roadmap that adds tombstones of ours, where ours
// cannot go there: other clones would not hear of them otherwise, and bring back what was expunged.
func (ex *exchanger) sendTombstones(ctx context.Context, ses *store.Transaction, st *refAction, known doc.Expunged, theirs git.ID) error {
	e, err := expunge.TombstonesAt(ctx, ex.s, theirs)
	if err != nil || e.Contains(known) {
		return err
	}
	c, err := ex.s.Repo().Commit(ctx, theirs)
	if err != nil {
		return err
	}
	tree := ex.s.Repo().Edit(c.Tree)
	if err := expunge.PutTombstones(ctx, ses, tree, e.Union(known)); err != nil {
		return err
	}
	made, err := ses.RoadmapCommit(ctx, tree, []git.ID{theirs}, store.RoadmapRecord{Reason: "Add what is expunged"})
	if err == nil {
		st.theirs, st.push = theirs, made.ID
	}
	return err
}

// acceptTombstones expunges here what the other side has expunged, before anything of it is
// merged. It reports whether this repository was rewritten, so that its refs have moved. The
// cases:
//
//  1. everything is expunged here already: nothing. Replaced commits alone are no reason either,
//     they come with the roadmap;
//  2. the roadmap lacks a signature that is demanded: it is set aside, as is one that leaves no room for our
//     tombstones, or has numbers far beyond them. Where there is no memory yet, it is taken over as it is;
//  3. the other side is only asked, or gets our branches: a hint at sync;
//  4. otherwise what was written here, and all if it is too much, is hidden and kept until somebody
//     answers; the rest is expunged. In a rehearsal it only says so;
//  5. what the other side refuses to forget, or expunges no more, comes back.
func (ex *exchanger) acceptTombstones(ctx context.Context, ours, theirs *remote.RefSet) (bool, error) {
	again, err := ex.takeTombstones(ctx, ours, theirs)
	if !ex.merge || !cannotRedact(err) {
		return again, err
	}
	ex.aside[git.RoadmapRef] = ex.refuseRedaction(git.RoadmapRef, err)
	ex.setAside(ours, theirs)
	return false, nil
}

// cannotRedact reports whether tombstones cannot be applied to a document, as to one that cannot be read.
func cannotRedact(err error) bool {
	var e *doc.RedactError
	return errors.As(err, &e)
}

// refuseRedaction refuses a ref for that.
func (ex *exchanger) refuseRedaction(ref string, err error) error {
	return &fail.Error{Code: fail.IncomingInvalid, Kind: fail.ErrRefused, Err: err,
		Message: fmt.Sprintf("'%s' of '%s' is not taken over: what is expunged cannot be removed", git.DisplayName(ref), ex.peer.Name),
		Hints:   []string{noCommand, "git log " + prose.ShellWord(ex.peer.Tracking.Of(ref))}}
}

func (ex *exchanger) takeTombstones(ctx context.Context, ours, theirs *remote.RefSet) (bool, error) {
	if ex.remove || theirs.Roadmap == "" || theirs.Roadmap == ours.Roadmap {
		return false, nil
	}
	if ok, err := ex.vouched(ctx, theirs.Roadmap); err != nil || !ok {
		return false, err
	}
	known, e, err := ex.bothTombstones(ctx, ours, theirs)
	if err != nil {
		return false, err
	}
	if why := ex.unaccepted(ours, known, e); why != nil {
		err := ex.setRoadmapBack(ctx, why, ours.Roadmap, theirs.Roadmap, func(e doc.Expunged) bool { return ex.unaccepted(ours, known, e) == nil })
		ex.aside[git.RoadmapRef] = why
		ex.setAside(ours, theirs)
		return false, err
	}
	if ours.Empty() {
		return ex.hideFirst(ctx, e, theirs.Roadmap)
	}
	if err := ex.addComing(ctx, &known, theirs); err != nil {
		return false, err
	}
	all := known.Union(e)
	fresh := all.Without(known)
	switch {
	case known.Contains(e):
		return false, nil
	case ex.merge && !ex.rehearsal:
		return true, ex.applyTombstones(ctx, known, all, theirs.Roadmap)
	case fresh.Empty():
		return false, nil
	}
	asked, err := ex.toHide(ctx, fresh)
	if err != nil {
		return false, err
	}
	n, command := len(fresh.Entries()), "git context sync "+prose.ShellWord(ex.peer.Name)
	switch {
	case ex.push && !ex.merge:
		return false, fail.New(fail.ErrRefused, fail.ExpungedElsewhere,
			fmt.Sprintf("'%s' has expunged %s that this repository still has", ex.peer.Name,
				expunge.EntriesText(n)), command)
	case !asked.Empty():
		ex.warn(fmt.Sprintf("'%s' asks to forget %s; %s hides %s here until you answer", ex.peer.Name, expunge.AskedText(fresh),
			command, itOrThem(n)))
	default:
		ex.warn(fmt.Sprintf("'%s' has expunged %s; %s removes %s here too", ex.peer.Name, expunge.EntriesText(n),
			command, itOrThem(n)))
	}
	return ex.rehearsal, nil // what else a sync would do depends on that
}

// unaccepted returns why tombstones of the other side are not even asked about; nil if they are.
func (ex *exchanger) unaccepted(ours *remote.RefSet, known, e doc.Expunged) *fail.Error {
	if !ours.Empty() && known.Jumps(e) {
		return fail.New(fail.ErrRefused, fail.IncomingInvalid, fmt.Sprintf("'%s' of '%s' is not taken over: a number in %s is far beyond the one known here",
			git.DisplayName(git.RoadmapRef), ex.peer.Name, doc.ExpungedFile))
	}
	full := ex.noRoom(known, e)
	if full != nil && ours.Empty() && len(full.Hints) > 0 { // nothing is here that could be asked about
		full.Hints = []string{"git -c context." + prose.ShellWord(ex.peer.Name) + ".expunge=accept context init"}
	}
	return full
}

// mostTombstones is how many bytes of tombstones may be here with those of the other side, and which part of the words.
func (ex *exchanger) mostTombstones() (bytes, part int) {
	if ex.accepted || ex.dry || ex.peer.Accepts {
		return expunge.MostTombstones, 1
	}
	return followBytes, 2
}

// noRoom returns why tombstones of the other side are not taken over: with ours they are so many that little
// could be expunged here any more, and no tombstone ever leaves the file. It returns nil if they may be.
func (ex *exchanger) noRoom(known, e doc.Expunged) *fail.Error {
	most, part := ex.mostTombstones()
	all := known.Union(e)
	size, words := len(all.Bytes()), all.Words() == known.Words() || all.WordsFit(part)
	if size <= most && words || known.Contains(e) {
		return nil
	}
	would := fmt.Sprintf("%d bytes with what it asks to forget, at most %d are allowed", size, most)
	if size <= most {
		would = fmt.Sprintf("%d words with what it asks to forget, at most %d are allowed, and %d that begin alike", all.Words(), doc.MaxWords/part,
			doc.MaxAlike/part)
	}
	full := &fail.Error{Code: fail.ExpungedFull, Kind: fail.ErrRefused,
		Message: fmt.Sprintf("'%s' of '%s' is not taken over: %s would have %s", git.DisplayName(git.RoadmapRef), ex.peer.Name, doc.ExpungedFile, would)}
	if fresh := e.Without(known); size <= expunge.MostTombstones && all.WordsFit(1) && len(fresh.Entries())+fresh.Texts() > 0 {
		full.Hints = append(full.Hints, expunge.ShowCommand(ex.peer.Name), "git context expunge --from "+prose.ShellWord(ex.peer.Name)+" --yes")
	}
	return full
}

// tombstoneBase returns the roadmap that the tombstones go on top of: the other side's if its commits lost nothing, or there is none here
// (see restoredRoadmap); else "", which is ours. Who pushes tombstones on top of an emptied roadmap must not take ours away with them. What follows the
// tombstones in this exchange restores what is lost of theirs, or refuses it, and says so.
func (ex *exchanger) tombstoneBase(ctx context.Context, all doc.Expunged, theirs git.ID) (git.ID, error) {
	ours, err := ex.s.RoadmapTip(ctx)
	if err != nil {
		return "", err
	}
	if ours == "" {
		return ex.restoredRoadmap(ctx, all, theirs)
	}
	lost, err := ex.lostOfRoadmap(ctx, all, ours, theirs)
	switch {
	case ctx.Err() != nil:
		return "", ctx.Err()
	case err != nil || !lost.Empty(): // an error comes again where the roadmap is restored, and concerns it alone
		return "", nil
	}
	return theirs, nil
}

// lostOfRoadmap returns what the commits of the other side's roadmap lost that ours does not have; ours is "" for none.
func (ex *exchanger) lostOfRoadmap(ctx context.Context, all doc.Expunged, ours, theirs git.ID) (*loss.Roadmap, error) {
	list, err := ex.aheadOfRoadmap(ctx, ours, theirs)
	if err != nil {
		return nil, err
	}
	r := loss.NewRange(theirs, nil, all)
	r.Have = ours
	r.Add(list)
	return loss.OfRoadmap(ctx, ex.s, r)
}

// restoredRoadmap returns the other side's roadmap for a repository that has none, with what its commits lost in a commit on top; where
// that is not clear, the commit that it can be set back to, or "". It is for tombstones that are taken over before anything else of
// the roadmap is.
func (ex *exchanger) restoredRoadmap(ctx context.Context, e doc.Expunged, theirs git.ID) (git.ID, error) {
	lost, err := ex.lostOfRoadmap(ctx, e, "", theirs)
	switch {
	case err != nil || lost.Empty():
		return theirs, err
	case lost.Unclear() && len(lost.Sound) > 0:
		return lost.Sound[0], nil
	case lost.Unclear():
		return "", nil
	}
	ses, err := ex.begin(ctx)
	if err != nil {
		return "", err
	}
	defer ses.Close()
	made, err := lost.Restore(ctx, ses, theirs)
	if err != nil {
		return "", err
	}
	for _, c := range lost.Causes {
		ex.restored(git.RoadmapRef, c)
	}
	return made.ID, ses.Commit(ctx) // nothing is queued: this flushes the objects to disk
}

func itOrThem(entries int) string {
	if entries == 1 {
		return "it"
	}
	return "them"
}

// bothTombstones returns the tombstones of both sides.
func (ex *exchanger) bothTombstones(ctx context.Context, ours, theirs *remote.RefSet) (known, e doc.Expunged, err error) {
	if e, err = ex.theirTombstones(ctx, ours, theirs); err != nil {
		return known, e, err
	}
	known, err = expunge.TombstonesAt(ctx, ex.s, ours.Roadmap)
	return known, e, err
}

// addReplaced adds to ours the replaced commits that the other side names: they are no reason to do anything.
func addReplaced(ours *doc.Expunged, theirs doc.Expunged) error {
	for _, hash := range theirs.Commits() {
		if err := ours.AddCommit(hash); err != nil {
			return err
		}
	}
	return nil
}

// addComing adds to ours the replaced commits that come with the other side's roadmap. Those that its commits have lost do not.
func (ex *exchanger) addComing(ctx context.Context, ours *doc.Expunged, theirs *remote.RefSet) error {
	e, err := expunge.TombstonesAt(ctx, ex.s, theirs.Roadmap)
	if err != nil {
		return err
	}
	return addReplaced(ours, e)
}

// askBefore refuses to take over a roadmap that asks to forget something, where nobody is asked: the roadmap would
// then say that this repository has forgotten it.
func (ex *exchanger) askBefore(ctx context.Context, ours, theirs *remote.RefSet) error {
	if ours.Empty() || theirs.Roadmap == "" || theirs.Roadmap == ours.Roadmap {
		return nil
	}
	known, e, err := ex.bothTombstones(ctx, ours, theirs)
	if err != nil {
		return err
	}
	if full := ex.noRoom(known, e); full != nil {
		full.Hints = append(full.Hints, noCommand)
		return full
	}
	if err := ex.addComing(ctx, &known, theirs); err != nil || known.Contains(e) {
		return err
	}
	again := "git context sync " + prose.ShellWord(ex.peer.Name)
	if ex.peer.Bundle {
		again = "git context unbundle " + prose.ShellWord(ex.peer.Name)
	}
	return fail.New(fail.ErrStale, fail.ExpungedElsewhere, fmt.Sprintf("'%s' has expunged %s since the conflicts were found",
		ex.peer.Name, expunge.EntriesText(len(e.Without(known).Entries()))), again)
}

// theirTombstones returns the tombstones of the other side's roadmap after checking it, with those that its commits have lost.
func (ex *exchanger) theirTombstones(ctx context.Context, ours, theirs *remote.RefSet) (doc.Expunged, error) {
	ref := git.Ref{Name: ex.peer.Tracking.Roadmap(), ID: theirs.Roadmap}
	if err := incoming.Check(ctx, ex.s, incoming.Refs{Roadmap: []git.Ref{ref}}); err != nil {
		return doc.Expunged{}, err
	}
	return ex.tombstonesOf(ctx, ours.Roadmap, theirs.Roadmap)
}

// tombstonesOf returns the tombstones of a commit of the other side's roadmap, with those that were lost between ours and it: no tombstone ever
// leaves the file.
func (ex *exchanger) tombstonesOf(ctx context.Context, ours, id git.ID) (doc.Expunged, error) {
	var all doc.Expunged
	list, err := ex.aheadOfRoadmap(ctx, ours, id)
	if err != nil {
		return all, err
	}
	read := map[git.ID]bool{}
	for _, c := range list {
		tree := ex.s.Repo().Edit(c.Tree)
		file, has, err := tree.Entry(ctx, doc.ExpungedFile)
		if err != nil {
			return all, err
		}
		if !has || read[file.ID] {
			continue
		}
		read[file.ID] = true
		e, err := expunge.TombstonesIn(ctx, ex.s, tree)
		if err != nil {
			return all, err
		}
		if all.Contains(e) {
			continue
		}
		if all = all.Union(e); len(all.Bytes()) > doc.MaxExpunged { // no file has so many: that is refused
			break
		}
	}
	return all, nil
}

// aheadOfRoadmap lists the commits of the other side's roadmap that ours, which may be "", does not lead to.
func (ex *exchanger) aheadOfRoadmap(ctx context.Context, ours, theirs git.ID) ([]git.AheadCommit, error) {
	if ours == "" {
		return ex.s.Repo().HistoryTrees(ctx, []git.ID{theirs})
	}
	return ex.s.Repo().Ahead(ctx, theirs, ours)
}

// errShown ends an exchange that only previews an expunge.
var errShown = errors.New("only shown")

// applyTombstones does here what the other side's tombstones ask. known are ours, all are those of
// both sides.
func (ex *exchanger) applyTombstones(ctx context.Context, known, all doc.Expunged, roadmap git.ID) error {
	fresh := all.Without(known)
	if ex.dry {
		return ex.previewTombstones(ctx, fresh)
	}
	if err := expunge.CheckFallen(ctx, ex.s); err != nil {
		return err
	}
	base, err := ex.tombstoneBase(ctx, all, roadmap)
	if err != nil {
		return err
	}
	asked, err := ex.toHide(ctx, fresh)
	if err != nil {
		return err
	}
	if err := ex.bringBack(ctx, known, all); err != nil {
		return err
	}
	e, err := ex.hide(ctx, all.Since(known), asked, roadmap)
	if err != nil {
		return err
	}
	done := fresh.Except(asked)
	op := &expunge.Operation{Store: ex.s, Writer: ex.o.Writer, Roadmap: base, Result: resultOf(done)}
	if ex.expunge {
		if err := ex.describe(ctx, done, &op.Result); err != nil {
			return err
		}
	}
	ex.forgot = &op.Result
	if err := ex.dropUnsound(ctx); err != nil {
		return err
	}
	if followed, err := ex.follow(ctx, e, done, roadmap, base); err != nil || followed {
		return err
	}
	run := op.Follow
	if ex.accepted || ex.peer.Accepts {
		run = op.Run
	}
	if err := run(ctx, e); err != nil {
		return err
	}
	if !done.Empty() {
		ex.noteFollowed(done)
	}
	ex.res.Warnings = append(ex.res.Warnings, op.Result.Warnings...)
	if ex.accepted {
		return writeUnasked(ex.s, unasked{})
	}
	return nil
}

func resultOf(e doc.Expunged) expunge.Result {
	ids := e.Entries()
	return expunge.Result{Entries: len(ids), IDs: ids, Remotes: []expunge.DirtyRemote{}}
}

// describe fills in what tombstones remove of what is here, tracking refs included.
func (ex *exchanger) describe(ctx context.Context, e doc.Expunged, res *expunge.Result) error {
	there, err := ex.tracking(ctx)
	if err != nil {
		return err
	}
	return expunge.Describe(ctx, ex.s, e, res, there...)
}

// previewTombstones reports what would change.
func (ex *exchanger) previewTombstones(ctx context.Context, e doc.Expunged) error {
	res := resultOf(e)
	if err := ex.describe(ctx, e, &res); err != nil {
		return err
	}
	ex.forgot = &res
	res.DryRun = true
	err := expunge.Preview(ctx, ex.s, e, func(context.Context, *expunge.Operation, []git.ID) error { return nil }, &res)
	if err != nil {
		return err
	}
	return errShown
}

// relation compares a ref of ours with theirs. A roadmap that descends from ours but lacks
// tombstones was made by a writer that dropped them: it is merged, not taken over.
func (ex *exchanger) relation(ctx context.Context, ref string, ours, theirs git.ID) (replica.Relation, []git.ID, error) {
	how, bases, err := replica.Compare(ctx, ex.s, ours, theirs)
	if err != nil || how != replica.Behind || ref != git.RoadmapRef {
		return how, bases, err
	}
	known, err := expunge.TombstonesAt(ctx, ex.s, ours)
	if err != nil {
		return how, nil, err
	}
	e, err := expunge.TombstonesAt(ctx, ex.s, theirs)
	if err == nil && !e.Contains(known) {
		how = replica.Diverged
	}
	return how, bases, err
}

// note adds a sentence about what was done besides the request.
func (ex *exchanger) note(text string) {
	if !slices.Contains(ex.res.Notes, text) {
		ex.res.Notes = append(ex.res.Notes, text)
	}
}
