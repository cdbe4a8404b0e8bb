package share

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/git-context/git-context/refs/expunge"
	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/incoming"
	"github.com/git-context/git-context/refs/prose"
	"github.com/git-context/git-context/refs/remote"
)

// Where something is expunged, all branches of the other side are checked, because they are about to be read. One that
// nothing here needs and that is refused does not block the others: it is dropped with its objects. That is remembered
// (see [expunge.CleanState]), because the next exchange would fetch and check it again, each time.

// needs reports whether a branch is here, is to be made here, or was asked for by its name: why it is refused, and how it
// is set back, is then an error.
func (ex *exchanger) needs(ours *remote.RefSet, name string) bool {
	return ours.Branches[name] != "" || ex.adopt && ex.wants(name) || slices.Contains(ex.o.Branches, name)
}

// refusedBefore returns the refs, by their names here, that a fetch asks for and that need not come, if the other side
// still has them where they were refused: branches that nothing here needs, and what git refused, as long as what is valid
// below it is here. f are the branches that the fetch asks for; nil for all.
func (ex *exchanger) refusedBefore(ctx context.Context, f *followed, ours, tracked *remote.RefSet) map[string]expunge.RefusedRef {
	none := map[string]expunge.RefusedRef{}
	if ex.remove || ex.peer.IsFile() || ours.Empty() {
		return none
	}
	e, err := expunge.TombstonesAt(ctx, ex.s, ours.Roadmap)
	if err != nil { // filterExpunged reads both again, and returns the error
		return none
	}
	known, err := expunge.ReadCleanState(ctx, ex.s, ex.peer, e)
	if err != nil {
		return none
	}
	if err := ex.dropGone(ctx, known.Refused, ours, tracked); err != nil {
		return none
	}
	maps.DeleteFunc(known.Refused, func(ref string, r expunge.RefusedRef) bool {
		name, _ := git.BranchName(ref)
		at := expunge.RefID(tracked, ref)
		return !r.ByGit && (ex.peer.OtherNames || f != nil && !f.has(name) || ex.needs(ours, name) || at != "" && at != r.ID)
	})
	return known.Refused
}

// dropGone drops those refs of which what is valid below them is not here any more: the tracking ref was moved, or several commits, to which no ref
// leads, are not whole.
func (ex *exchanger) dropGone(ctx context.Context, refused map[string]expunge.RefusedRef, ours, tracked *remote.RefSet) error {
	for ref, r := range refused {
		if len(r.Tips) == 0 {
			continue
		}
		if len(r.Tips) == 1 {
			if expunge.RefID(tracked, ref) != r.Tips[0] {
				delete(refused, ref)
			}
			continue
		}
		ids := slices.Clone(r.Tips)
		for _, id := range idsOf(ours) {
			ids = append(ids, "^"+id)
		}
		err := ex.s.Repo().EachReachable(ctx, ids, func(git.ID) {}, "--missing=allow-promisor")
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			delete(refused, ref)
		}
	}
	return nil
}

// needed lists the commits that no ref leads to, and that this exchange still needs.
func (ex *exchanger) needed() []git.ID {
	ids := append(ex.keptTips(), ex.kept...)
	for r := range ex.tracked {
		ids = append(ids, r.ID)
	}
	return ids
}

// keptTips lists the valid commits below what git refuses that no ref leads to.
func (ex *exchanger) keptTips() (ids []git.ID) {
	for _, spared := range []map[string]expunge.RefusedRef{ex.spared, ex.otherSpared} {
		for _, r := range spared {
			ids = append(ids, r.Tips...)
		}
	}
	return ids
}

// unspared reports whether no negative refspec leaves out a ref whose object git refused: it is not among what is fetched, a
// plain git fetch has brought it, or it is asked for by its name.
func (ex *exchanger) unspared(f *followed, ref string, r expunge.RefusedRef, tracked *remote.RefSet) bool {
	name, isBranch := git.BranchName(ref)
	return isBranch && f != nil && !f.has(name) || expunge.RefID(tracked, ref) == r.ID || slices.Contains(ex.o.Branches, name)
}

// spare keeps those of the refs that were refused before that the other side still has there, adds those that have there
// what git refused under another name, and returns negative refspecs for them. gone says that the other side has some no more.
func (ex *exchanger) spare(refused map[string]expunge.RefusedRef, f *followed, there map[string]git.ID, tracked *remote.RefSet) (not []string, gone bool) {
	byGit := map[git.ID]expunge.RefusedRef{}
	for _, r := range refused {
		if r.ByGit {
			byGit[r.ID] = r
		}
	}
	left := func(ref string, r expunge.RefusedRef) bool {
		return there[ref] != r.ID || r.ByGit && ex.unspared(f, ref, r, tracked)
	}
	known, freed, names := len(refused), map[git.ID]bool{}, map[git.ID]int{}
	for ref, r := range refused {
		freed[r.ID] = freed[r.ID] || r.Sifted && left(ref, r)
	}
	maps.DeleteFunc(refused, func(ref string, r expunge.RefusedRef) bool {
		return left(ref, r) || r.ByGit && !r.Sifted && freed[r.ID] // it may have its turn now
	})
	gone = len(refused) < known
	looks := func(ref string) bool { // below tags and handed over code nothing is looked for
		_, role := ex.refsToCheck(git.Ref{Name: ref})
		return role != 0 && !(&refAction{ref: ref}).isTag()
	}
	for ref, r := range refused {
		if looks(ref) {
			names[r.ID]++
		}
	}
	for ref, id := range there {
		r := byGit[id]
		if _, itself := refused[ref]; itself || !r.ByGit || ex.unspared(f, ref, r, tracked) {
			continue
		}
		if looks(ref) && names[id] < mostNames {
			continue // what is valid below it was not looked at
		}
		r.Sifted, r.Tips = false, nil // of the other name
		refused[ref] = r
	}
	ex.spared = refused
	for _, ref := range slices.Sorted(maps.Keys(refused)) {
		not = append(not, "^"+git.NameOn(ref, ex.peer.Heads))
	}
	return not, gone
}

// dropRefused drops those of a list of branches that are refused, takes them and those that were not fetched out of the
// other side, and warns of each. One that leads to what w removes gets what is valid below it in its place: that has to be removed there.
func (ex *exchanger) dropRefused(ctx context.Context, w *expunge.Rewriter, known expunge.CleanState, list []git.Ref, ours, theirs *remote.RefSet) error {
	var ask, drop []git.Ref // by the names of their tracking refs
	to := map[string]git.ID{}
	for _, r := range list {
		tracking := git.Ref{Name: ex.peer.Tracking.Of(r.Name), ID: r.ID}
		if had := known.Refused[r.Name]; had.ID == r.ID && !had.ByGit {
			ex.spared[r.Name] = had
			drop = append(drop, tracking)
		} else if !ex.rehearsal {
			ask = append(ask, tracking)
		}
	}
	late, err := ex.searchUntil(ctx)
	if err != nil {
		return err
	}
	bad, err := expunge.FindUnsound(ctx, ex.s, ask, nil, late)
	if err != nil {
		return err
	}
	var unlooked []string
	for _, r := range ask {
		why := bad[r.Name]
		if why == nil {
			continue
		}
		drop = append(drop, r)
		if late() { // the next exchange looks below it
			unlooked = append(unlooked, ex.takeOut(r, theirs))
		} else if to[r.Name], err = ex.dropOrRaise(ctx, w, r, why, ours, theirs); err != nil {
			return err
		}
	}
	if len(unlooked) > 0 {
		ex.warn(fmt.Sprintf("left for the next sync, because others are refused: %s of '%s' (%s)", prose.Count(len(unlooked), "branch"),
			ex.peer.Name, prose.Clip(prose.QuotedList(unlooked), 500)))
	}
	if !ex.rehearsal {
		if err := expunge.ReplaceUnsound(ctx, ex.s, ex.o.Writer, drop, to, ex.needed()...); err != nil {
			return err
		}
	}
	for _, ref := range slices.Sorted(maps.Keys(ex.spared)) {
		if ex.spared[ref].ByGit {
			continue // see refuseAgain
		}
		name, _ := git.BranchName(ref)
		delete(theirs.Branches, name)
		ex.warn(expunge.UnsoundText(ex.spared[ref].Why))
	}
	return nil
}

// takeOut takes a branch, by the name of its tracking ref, out of the other side, and returns its name.
func (ex *exchanger) takeOut(r git.Ref, theirs *remote.RefSet) string {
	name := strings.TrimPrefix(r.Name, ex.peer.Tracking.Branches())
	delete(theirs.Branches, name)
	return name
}

// dropOrRaise takes a refused branch out of the other side, and remembers it. If w removes something from what is valid below it, it puts that in its
// place instead, and returns it.
func (ex *exchanger) dropOrRaise(ctx context.Context, w *expunge.Rewriter, r git.Ref, why error, ours, theirs *remote.RefSet) (git.ID, error) {
	name := ex.takeOut(r, theirs)
	ref := git.BranchRef(name)
	dirty, to, err := ex.dirtyBelow(ctx, w, git.Ref{Name: ref, ID: r.ID}, ours)
	if err != nil {
		return "", err
	}
	if !dirty {
		ex.spared[ref] = expunge.RefusedRef{ID: r.ID, At: ex.s.Clock(), Why: expunge.UnsoundReason(why)}
		return "", nil
	}
	ex.warn(expunge.UnsoundText(expunge.UnsoundReason(why)))
	if to == "" {
		ex.warnBelow(ref)
		return "", nil
	}
	ex.raised[ref], theirs.Branches[name] = r.ID, to
	return to, nil
}

// warnBelow says that what was expunged is below a refused branch, where no command is known.
func (ex *exchanger) warnBelow(ref string) {
	ex.warn(fmt.Sprintf("'%s' still contains what was expunged, below what is refused in '%s'; %s", ex.peer.Name, git.DisplayName(ref), noCommand))
}

// dirtyBelow reports whether w removes something from what is valid below a refused branch that is not here, and returns that; "" if it is several
// commits that cannot be united.
func (ex *exchanger) dirtyBelow(ctx context.Context, w *expunge.Rewriter, r git.Ref, ours *remote.RefSet) (dirty bool, to git.ID, err error) {
	if ex.peer.Bundle {
		return false, "", nil
	}
	sound, err := ex.soundBelow(ctx, r, incoming.RoleBranch, ours)
	if ctx.Err() != nil {
		return false, "", ctx.Err()
	}
	if err != nil {
		ex.warn(fmt.Sprintf("what is valid below '%s' of '%s' is not known: %v", git.DisplayName(r.Name), ex.peer.Name, err))
		return false, "", nil
	}
	for _, tip := range sound.Tips {
		now, err := w.RewriteNew(ctx, []git.ID{tip})
		if err != nil && !cannotRedact(err) {
			return false, "", err
		}
		dirty = dirty || err != nil || now[tip] != tip
	}
	if !dirty || !ex.merge && len(sound.Tips) > 1 {
		return dirty, "", nil
	}
	to, err = ex.unite(ctx, r.Name, sound.Tips, ours)
	if ctx.Err() != nil {
		return false, "", ctx.Err()
	}
	if err != nil {
		to = ""
	}
	return true, to, nil
}
