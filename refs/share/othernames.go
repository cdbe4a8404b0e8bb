package share

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/git-context/git-context/refs/doc"
	"github.com/git-context/git-context/refs/expunge"
	"github.com/git-context/git-context/refs/fail"
	"github.com/git-context/git-context/refs/fault"
	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/merge"
	"github.com/git-context/git-context/refs/prose"
	"github.com/git-context/git-context/refs/remote"
	"github.com/git-context/git-context/refs/replica"
	"github.com/git-context/git-context/refs/store"
)

// A remote can have memory under two sets of names, if its clones disagree about context.<remote>.mapping.
// Each set is a side of its own: a sync takes in the other one as it takes in a bundle, and pushes the union
// under the names in use here.

// otherSide is what an exchange found under the other names of its remote.
type otherSide struct {
	open      []store.Conflict   // of refs that it left as they are
	openAt    map[string]git.ID  // what the other names have of those
	conflicts []store.Conflict   // of all refs
	branches  []otherBranch      // that are not here, and of which the names in use lack something
	aside     map[string]bool    // refs that are set aside
	below     map[string]bool    // those of them that have memory below them
	back      map[git.Ref]git.ID // of which not all of that was taken in, and what to set them back to, so that the next exchange does; "" if that is not known
	late      func() bool        // whether the search below refused branches that are not here has had its time
}

// otherRefspecs bring what a remote has under its other names, of the followed branches; f is nil for all.
// They are patterns alone: mostly nothing has these names.
func (ex *exchanger) otherRefspecs(f *followed) []string {
	switch {
	case ex.peer.Bundle:
		return nil
	case f == nil:
		return allRefspecs(ex.peer.Other())
	}
	wide := followed{patterns: slices.Clone(f.patterns)}
	for name := range f.names {
		wide.patterns = append(wide.patterns, name+"*")
	}
	slices.Sort(wide.patterns)
	return wide.refspecs(ex.peer.Other(), nil)
}

// takeOther takes in what the remote has under its other names, as the last fetch brought it. It tells of
// two sets of names only if both have memory: [exchanger.mayBegin] keeps a push from beginning a second one.
// expunged is set if that has removed what is expunged there, so that tracking refs have moved.
func (ex *exchanger) takeOther(ctx context.Context) (expunged bool, err error) {
	ex.other, ex.res.Split = otherSide{}, nil
	if !ex.merge || ex.expunge || ex.peer.Bundle {
		return false, nil
	}
	there, err := remote.Tracked(ctx, ex.s, ex.peer.Other())
	if err != nil || there.Empty() && len(there.Tags) == 0 && there.Notes == "" { // mostly: one listing of no refs
		ex.leaveOther(ex.otherAside)
		return false, err
	}
	if !there.Whole() {
		ex.leaveOther(ex.otherAside)
		return false, ex.cleanStray(ctx, &there)
	}
	ours, theirs, err := remote.Survey(ctx, ex.s, ex.peer)
	if err != nil || ours.Empty() || theirs.Empty() {
		return false, err
	}
	res := newResult(ex.peer.Name)
	o := newExchanger(ex.s, ex.o, ex.peer.Other(), &res)
	o.named, o.otherAside, o.spared, o.kept = ex, ex.otherAside, ex.otherSpared, ex.needed()
	o.merge, o.shared, o.current, o.waiting = true, ex.shared, ex.current, ex.waiting
	maps.Copy(o.aside, ex.otherAside)
	followed := ex.followed(&ours, &theirs)
	for try := 1; ; try++ {
		again, err := o.takeIn(ctx, ex.peer, followed)
		if err != nil {
			again, err = o.findRefused(ctx, err)
		}
		if err != nil {
			return false, ex.otherError(err)
		}
		if !again || try == store.MaxTries { // what moved here meanwhile, the next sync merges
			break
		}
	}
	if err := o.takeBelow(ctx); err != nil {
		return false, ex.otherError(err)
	}
	o.other.open, o.other.openAt, o.other.conflicts, o.other.aside = o.open, o.openAt, res.Conflicts, map[string]bool{}
	o.leaveOther(o.aside)
	for ref := range o.aside {
		o.other.aside[ref] = true
	}
	ex.other = o.other
	ex.adoptResult(&res)
	return o.forgot != nil, ex.tellSplit(ctx, o)
}

// leaveOther says which refs under the other names are left alone, and why: they may be branches of the code.
func (ex *exchanger) leaveOther(why map[string]error) {
	for _, ref := range slices.Sorted(maps.Keys(why)) {
		ex.warn("left alone: " + why[ref].Error())
	}
}

// tellSplit records that there are two sets of names, as they are by now: an expunge may have moved them.
func (ex *exchanger) tellSplit(ctx context.Context, o *exchanger) error {
	named, err := remote.Tracked(ctx, ex.s, ex.peer)
	if err != nil {
		return err
	}
	there, err := remote.Tracked(ctx, ex.s, o.peer)
	if err != nil {
		return err
	}
	for ref := range o.aside {
		if !o.other.below[ref] && !ex.isMemoryTag(ctx, git.Ref{Name: ref, ID: expunge.RefID(&there, ref)}) { // it may be a branch of the code
			set(&there, git.Ref{Name: ref})
		}
	}
	ex.res.Split, err = ex.split(ctx, &named, &there)
	return err
}

// isMemoryTag reports whether a ref is a tag of a commit with the files of a memory branch. No other one is sure to be of memory, if it is refused.
func (ex *exchanger) isMemoryTag(ctx context.Context, r git.Ref) bool {
	if !(&refAction{ref: r.Name}).isTag() || r.ID == "" {
		return false
	}
	is, err := ex.isMemory(ctx, r.ID)
	return err == nil && is // what cannot be read is left alone
}

// isMemory reports whether an object leads to a commit with the files of a memory branch.
func (ex *exchanger) isMemory(ctx context.Context, id git.ID) (bool, error) {
	c, err := ex.commitAt(ctx, id)
	if err != nil || c == nil {
		return false, err
	}
	_, has, err := ex.s.Repo().Edit(c.Tree).Entry(ctx, doc.MetadataFile)
	return has, err
}

// adoptResult adds what the other names brought to the result.
func (ex *exchanger) adoptResult(res *Result) {
	for _, ref := range res.Merged {
		ex.merged(ref)
	}
	ex.res.Steps += res.Steps
	for _, r := range res.Restored {
		if !slices.Contains(ex.res.Restored, r) {
			ex.res.Restored = append(ex.res.Restored, r)
		}
	}
	for _, w := range res.Warnings {
		ex.warn(w)
	}
	for _, n := range res.Notes {
		ex.note(n)
	}
}

// otherError replaces the hints of an error by those that let a person see to it: with the other mapping the
// remote is asked for these names alone.
func (ex *exchanger) otherError(err error) error {
	var known *fail.Error
	if !errors.As(err, &known) {
		return err
	}
	return &fail.Error{Code: known.Code, Kind: known.Kind, Err: known.Err, Message: known.Message, Said: known.Said,
		Hints: []string{ex.mappingCommand(!ex.peer.Heads), remote.SyncCommand(prose.ShellWord(ex.peer.Name))}}
}

// takeIn merges once what the other names have of the followed branches into what is here. inUse are the
// names in use.
func (ex *exchanger) takeIn(ctx context.Context, inUse remote.Remote, f *followed) (again bool, err error) {
	until, err := ex.searchUntil(ctx)
	if err != nil {
		return false, err
	}
	ex.open, ex.openAt, ex.res.Conflicts = nil, map[string]git.ID{}, []store.Conflict{}
	ex.other = otherSide{below: map[string]bool{}, back: map[git.Ref]git.ID{}, late: until}
	ours, theirs, err := remote.Survey(ctx, ex.s, ex.peer)
	if err != nil {
		return false, err
	}
	for name := range theirs.Branches { // raise looks at each of those that are not here
		if ours.Branches[name] == "" {
			delete(ex.aside, git.BranchRef(name))
		}
	}
	maps.DeleteFunc(theirs.Branches, func(name string, _ git.ID) bool { return f != nil && !f.has(name) })
	ex.setAside(&ours, &theirs)
	if err := ex.onlyNews(ctx, &ours, &theirs); err != nil {
		return false, err
	}
	if again, err := ex.filterOther(ctx, &ours, &theirs, inUse); again || err != nil || ex.alike(&ours, &theirs) {
		return again, err
	}
	if err := ex.inspect(ctx, &ours, &theirs); err != nil {
		return false, err
	}
	ses, err := ex.begin(ctx)
	if err != nil {
		return false, err
	}
	defer ses.Close()
	ex.settle = merge.Preferring(ses, ex.o.Prefer)
	plan, err := ex.plan(ctx, ses, &ours, &theirs)
	if err != nil {
		return false, err
	}
	if err := ex.uniteNotes(ctx, ses, plan, &ours, &theirs); err != nil {
		return false, err
	}
	if err := ses.Commit(ctx); err != nil { // nothing is queued: this flushes the objects to disk
		return false, err
	}
	fault.Point("after-merge")
	if err := ex.checkMade(ctx, plan, &ours, &theirs); err != nil {
		return false, err
	}
	return again, ex.takeAll(ctx, plan, &ours, &again)
}

// filterOther is filterExpunged for the other names, and sorts out the branches that are not here.
func (ex *exchanger) filterOther(ctx context.Context, ours, theirs *remote.RefSet, inUse remote.Remote) (again bool, err error) {
	refused, late, err := ex.raise(ctx, ours, theirs, inUse)
	if err == nil {
		again, err = ex.filterExpunged(ctx, ours, theirs)
	}
	if again || errors.Is(err, git.ErrStale) {
		return true, nil
	}
	if err != nil {
		return false, err
	}
	for ref, why := range refused {
		if ex.aside[ref] != nil { // what is below it cannot be rewritten
			delete(ex.other.below, ref)
		} else {
			ex.aside[ref] = why
		}
	}
	if err := ex.dropHeld(); err != nil {
		return false, err
	}
	return false, ex.findBranches(ctx, ours, theirs, inUse, late)
}

// takeBelow takes in what is valid below the refs that are refused under the other names: who removes these names must not remove that.
func (ex *exchanger) takeBelow(ctx context.Context) error {
	ours, theirs, err := remote.Survey(ctx, ex.s, ex.peer)
	if err != nil {
		return err
	}
	for ref := range ex.otherAside {
		ex.other.back[git.Ref{Name: ref}] = ""
	}
	for _, r := range refsOf(&theirs) {
		own := expunge.RefID(&ours, r.Name)
		var why *fail.Error
		if own == "" || !errors.As(ex.aside[r.Name], &why) || why.Code != fail.IncomingInvalid {
			continue
		}
		_, role := ex.refsToCheck(r)
		sound, err := ex.soundBelow(ctx, r, role, &ours)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil { // nothing is removed that cannot be looked at
			ex.other.back[r] = ""
		}
		if err != nil || len(sound.Tips) == 0 {
			continue
		}
		j := &joining{ref: r, to: sound.Tips[0], why: &fail.Error{}}
		if j.rest, err = ex.lacking(ctx, own, sound.Tips); err != nil {
			return err
		}
		if err := ex.join(ctx, j, &ours); err != nil {
			return err
		}
		left, err := ex.lacking(ctx, expunge.RefID(&ours, r.Name), sound.Tips)
		if err != nil {
			return err
		}
		switch ex.other.below[r.Name] = true; {
		case len(left) == 1:
			ex.other.back[r] = left[0]
		case len(left) > 1:
			ex.other.back[r] = ""
		}
	}
	return nil
}

// onlyNews makes the other side look like ours in all that we have already, and in what it lacks: it may have
// been deleted there, or never been there.
func (ex *exchanger) onlyNews(ctx context.Context, ours, theirs *remote.RefSet) error {
	for _, r := range refsOf(ours) {
		there := expunge.RefID(theirs, r.Name)
		how := replica.Ahead
		var err error
		switch st := (&refAction{ref: r.Name}); {
		case there == "" || there == r.ID || r.ID == "":
		case st.isTag():
			ex.warn(fmt.Sprintf("tag '%s' names another commit on '%s'", git.DisplayName(r.Name), ex.peer.Name))
		case st.isWork(): // goes with its branch
			how = replica.Behind
		default:
			how, _, err = ex.relation(ctx, r.Name, r.ID, there)
		}
		if err != nil {
			return err
		}
		if r.ID != "" && how == replica.Ahead {
			set(theirs, r)
		}
	}
	return nil
}

// dropHeld says what leads to old history under the other names, and forgets it: it is fetched again until
// these names are removed.
func (ex *exchanger) dropHeld() error {
	held := ex.dirty.List()
	if len(held) == 0 {
		return nil
	}
	ex.warn(fmt.Sprintf("'%s' still contains what was expunged, in %s", ex.peer.Name, namesOf(held)))
	ex.dirty.Refs = map[string]expunge.DirtyRef{}
	return expunge.WriteDirtyState(ex.s, ex.peer, ex.dirty)
}

// What git refuses under the other names of a remote is known to an exchange of its own with these names, which fetches together with the one with
// the names in use.

// leftOutBeside is leftOut for the other names. Mostly nothing was ever refused there, which one look for a file tells.
func (ex *exchanger) leftOutBeside(ctx context.Context, f *followed, ours *remote.RefSet) ([]string, error) {
	if has, err := expunge.HasCleanState(ex.s, ex.peer); err != nil || !has {
		return nil, err
	}
	tracked, err := remote.Tracked(ctx, ex.s, ex.peer)
	if err != nil {
		return nil, err
	}
	return ex.leftOut(ctx, f, ours, &tracked)
}

// fetchBesideApart is fetchApart for the other names.
func (ex *exchanger) fetchBesideApart(ctx context.Context, ours *remote.RefSet, f *followed, list []git.Ref, get func([]string) error) error {
	tracked, err := remote.Tracked(ctx, ex.s, ex.peer)
	if err != nil {
		return err
	}
	p := sifting{ex: ex, ours: ours, before: &tracked, get: get, until: time.Now().Add(mostApart)}
	return errors.Join(p.fetch(ctx, p.group(p.moved(f, list))), p.remember(ctx))
}

// keepBeside keeps for the rest of the exchange what git refuses under the other names. Of a ref with one valid commit below it, that counts as
// what is there, also for further names of its object.
func (ex *exchanger) keepBeside(o *exchanger) {
	ex.otherAside, ex.otherSpared = o.aside, o.spared
	known := map[git.ID]bool{}
	for _, r := range o.spared {
		known[r.ID] = known[r.ID] || r.Sifted && len(r.Tips) < 2
	}
	for _, ref := range slices.Sorted(maps.Keys(o.aside)) {
		if r, refused := o.spared[ref]; refused && known[r.ID] {
			ex.warn(o.aside[ref].Error())
			delete(ex.otherAside, ref)
		}
	}
}
