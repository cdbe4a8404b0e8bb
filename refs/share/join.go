package share

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/git-context/git-context/refs/doc"
	"github.com/git-context/git-context/refs/expunge"
	"github.com/git-context/git-context/refs/fail"
	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/incoming"
	"github.com/git-context/git-context/refs/merge"
	"github.com/git-context/git-context/refs/prose"
	"github.com/git-context/git-context/refs/remote"
	"github.com/git-context/git-context/refs/store"
)

// joining is a refused ref that has several valid commits below it, none of which leads to all others.
type joining struct {
	ref  git.Ref  // as the other side has it, by its name here
	to   git.ID   // the commit to set it back to: the first with all of common that was taken in, else a part of that
	rest []git.ID // the valid commits that our ref lacks
	left []git.ID // those of them that can neither be taken in here nor merged with to
	done bool     // this exchange has tried

	common []git.ID    // what both sides have in common
	chosen bool        // to has all of common
	why    *fail.Error // why the ref is refused
}

const (
	mostJoined = 64               // commits of one ref that an exchange takes in so, unless the search has no limit
	mostJoin   = 20 * time.Second // how long it takes to do so
	mostDrops  = 20               // commits that are named in a hint
)

// exchangeJoining is exchangeRefs after what is joined is taken in.
func (ex *exchanger) exchangeJoining(ctx context.Context, ours, theirs *remote.RefSet) (again bool, err error) {
	for _, ref := range slices.Sorted(maps.Keys(ex.joining)) {
		if err := ex.join(ctx, ex.joining[ref], ours); err != nil {
			return false, err
		}
	}
	ex.setAside(ours, theirs)
	again, err = ex.exchangeRefs(ctx, ours, theirs)
	for _, j := range ex.joining { // refused by that
		again = again || err == nil && !j.done
	}
	return again, err
}

// join takes in here the valid commits below a refused ref or, of one that cannot be taken in, its parents. Where they differ it keeps what both
// say: a sync cannot ask, and once the ref is set back it has none of these commits any more.
func (ex *exchanger) join(ctx context.Context, j *joining, ours *remote.RefSet) error {
	name, isBranch := git.BranchName(j.ref.Name)
	if j.done {
		return nil
	}
	if j.done = true; !ex.merge || isBranch && !ex.wants(name) {
		return nil
	}
	if len(j.rest) > mostJoined { // what cannot be taken in must not be before the others each time
		rand.Shuffle(len(j.rest), func(a, b int) { j.rest[a], j.rest[b] = j.rest[b], j.rest[a] })
	}
	var tried, asking []git.ID
	seen := map[git.ID]bool{}
	limit, err := ex.searchTime(ctx)
	if err != nil {
		return err
	}
	until := time.Now().Add(mostJoin)
	late := func() bool { return limit > 0 && time.Now().After(until) }
	for n := 0; len(j.rest) > 0 && (limit == 0 || n < mostJoined) && !late(); {
		id := j.rest[0]
		j.rest = j.rest[1:]
		if seen[id] {
			continue
		}
		seen[id] = true
		tried = append(tried, id)
		refused := ex.aside[j.ref.Name]
		joined, err := ex.joinOne(ctx, git.Ref{Name: j.ref.Name, ID: id}, ours)
		if now := ex.aside[j.ref.Name]; err == nil && now != refused { // as notes that cannot be united
			err = now
		}
		if ex.aside[j.ref.Name] = refused; err != nil {
			ex.warn(fmt.Sprintf("'%s' of '%s': commit %s: %v", git.DisplayName(j.ref.Name), ex.peer.Name, id.Short(), err))
		}
		switch {
		case joined:
			n++
			err = j.choose(ctx, ex, id)
		case err == nil:
			asking = append(asking, id)
			fallthrough
		default:
			err = j.descend(ctx, ex, id, ours)
		}
		if err = errors.Join(ctx.Err(), err); err != nil {
			return err
		}
	}
	own := expunge.RefID(ours, j.ref.Name)
	if j.rest, err = ex.lacking(ctx, own, j.rest); err != nil || len(j.rest) > 0 {
		return err
	}
	if j.left, err = ex.lacking(ctx, own, tried); err != nil {
		return err
	}
	return ex.uniteLeft(ctx, j, asking, ours, late)
}

// uniteLeft merges what mayJoin kept from being taken in with the commit that the ref is set back to, so that the push does not drop it: the
// next exchange asks about it, as if it were alone there. What failed for another reason, such as want of room, would fail again. Of one that
// cannot be merged, those below it are in the list, too. What there is no time for stays in rest.
func (ex *exchanger) uniteLeft(ctx context.Context, j *joining, asking []git.ID, ours *remote.RefSet, late func() bool) (err error) {
	if j.ref.Name == git.NotesRef {
		return nil
	}
	for i, id := range asking {
		if late() {
			j.rest, err = ex.lacking(ctx, j.to, asking[i:])
			return err
		}
		to, err := ex.uniteOne(ctx, j.ref.Name, j.to, id, ours)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			ex.warn(fmt.Sprintf("'%s' of '%s': commit %s: %v", git.DisplayName(j.ref.Name), ex.peer.Name, id.Short(), err))
		}
		j.to = cmp.Or(to, j.to)
	}
	j.left, err = ex.lacking(ctx, j.to, j.left)
	return err
}

// uniteOne returns a commit that leads to two valid commits of a ref of the other side, with what both have; "" if they cannot be merged, or if
// the merge is refused for itself.
func (ex *exchanger) uniteOne(ctx context.Context, ref string, to, id git.ID, ours *remote.RefSet) (git.ID, error) {
	c, err := ex.s.Repo().Commit(ctx, to)
	if err != nil {
		return "", err
	}
	roadmap, _ := store.ParseRoadmap(c.Trailer(store.TrailerRoadmap))
	st := newRefAction(ref, to)
	if err := ex.mergeOne(ctx, st, id, roadmap); err != nil || st.take == "" {
		return "", err
	}
	if ref == git.RoadmapRef {
		known, err := expunge.TombstonesAt(ctx, ex.s, ours.Roadmap)
		if err != nil {
			return "", err
		}
		all, err := ex.tombstonesOf(ctx, ours.Roadmap, st.take)
		if err != nil || ex.unaccepted(ours, known, all) != nil {
			return "", err
		}
	}
	if signed, err := ex.isSigned(ctx, git.Ref{Name: ref, ID: st.take}, ours); err != nil || !signed {
		return "", err
	}
	return st.take, nil
}

// newRefAction returns an action on a ref of which ours is at a commit.
func newRefAction(ref string, ours git.ID) *refAction {
	st := &refAction{ref: ref, ours: ours}
	if branch, isBranch := git.BranchName(ref); isBranch {
		st.branch = branch
	}
	return st
}

// choose makes a commit that was taken in the one to set the ref back to, if it is the first that has all that both sides have in common.
func (j *joining) choose(ctx context.Context, ex *exchanger, id git.ID) error {
	if j.chosen {
		return nil
	}
	var err error
	if j.chosen, err = ex.hasAll(ctx, id, j.common); j.chosen {
		j.to = id
	}
	return err
}

// descend lists the parents of a commit that was not taken in, as far as ours lacks them.
func (j *joining) descend(ctx context.Context, ex *exchanger, id git.ID, ours *remote.RefSet) error {
	c, err := ex.s.Repo().Commit(ctx, id)
	if err != nil {
		return err
	}
	parents, err := ex.lacking(ctx, expunge.RefID(ours, j.ref.Name), c.Parents)
	j.rest = append(j.rest, parents...)
	return err
}

// keepingBoth settles a conflict by what both sides say. Of a map and a value in its place, which cannot be united, ours stays.
func keepingBoth(ses *store.Transaction) merge.Settler {
	union := merge.Preferring(ses, merge.SettleUnion)
	return func(ctx context.Context, c *store.Conflict) (*string, bool, error) {
		if c.Kind == doc.ConflictKey && c.Ours != nil && c.Theirs != nil && doc.IsMap(*c.Ours) != doc.IsMap(*c.Theirs) {
			return c.Ours, true, nil
		}
		return union(ctx, c)
	}
}

// joinOne takes one commit in, as if the other side had the ref there. It reports whether ours leads to it.
func (ex *exchanger) joinOne(ctx context.Context, r git.Ref, ours *remote.RefSet) (bool, error) {
	if may, err := ex.mayJoin(ctx, r, ours); err != nil || !may {
		return false, err
	}
	if r.Name == git.NotesRef {
		return ex.joinNotes(ctx, r, ours)
	}
	st := newRefAction(r.Name, expunge.RefID(ours, r.Name))
	roadmap, err := ex.s.RoadmapTip(ctx)
	if err != nil {
		return false, err
	}
	if err := ex.mergeOne(ctx, st, r.ID, roadmap); err != nil {
		return false, err
	}
	moved := false
	st.push = ""
	return st.take != "", ex.takeOne(ctx, st, ours, &moved)
}

// joinNotes is joinOne for a commit of the notes.
func (ex *exchanger) joinNotes(ctx context.Context, r git.Ref, ours *remote.RefSet) (bool, error) {
	if err := ex.checkOne(ctx, r); err != nil {
		return false, err
	}
	ses, err := ex.begin(ctx)
	if err != nil {
		return false, err
	}
	defer ses.Close()
	if err := ex.uniteNotes(ctx, ses, nil, ours, &remote.RefSet{Notes: r.ID}); err != nil {
		return false, err
	}
	return true, ses.Commit(ctx)
}

// checkOne checks what one commit of the other side brings.
func (ex *exchanger) checkOne(ctx context.Context, r git.Ref) (err error) {
	in, _ := ex.refsToCheck(r)
	ex.arrived, err = incoming.Arrived(ctx, ex.s, in, &ex.read)
	return err
}

// mergeOne restores what a commit of the other side lost, and merges it with the one at which the action has ours. It keeps what both say.
func (ex *exchanger) mergeOne(ctx context.Context, st *refAction, id, roadmap git.ID) error {
	if err := ex.checkOne(ctx, git.Ref{Name: st.ref, ID: id}); err != nil {
		return err
	}
	ses, err := ex.begin(ctx)
	if err != nil {
		return err
	}
	defer ses.Close()
	ex.settle = keepingBoth(ses)
	if err := ex.heal(ctx, ses, st, id, roadmap); err != nil {
		return err
	}
	if err := ex.compare(ctx, ses, st, roadmap); err != nil {
		return err
	}
	return ses.Commit(ctx) // nothing is queued: this flushes the objects to disk
}

// mayJoin reports whether a commit below a refused ref asks to forget nothing, contains nothing that was expunged, and is signed as the
// remote's commits have to be: it enters memory without what filterExpunged does about that.
func (ex *exchanger) mayJoin(ctx context.Context, r git.Ref, ours *remote.RefSet) (bool, error) {
	known, err := expunge.TombstonesAt(ctx, ex.s, ours.Roadmap)
	if err != nil {
		return false, err
	}
	if r.Name == git.RoadmapRef {
		if asks, err := ex.asks(ctx, r.ID, ours, &known); err != nil || asks {
			return false, err
		}
	}
	if !known.Empty() {
		if clean, err := ex.isClean(ctx, known, r, ours); err != nil || !clean {
			return false, err
		}
	}
	return ex.isSigned(ctx, r, ours)
}

// isSigned reports whether what a commit brings is signed as the remote's commits have to be.
func (ex *exchanger) isSigned(ctx context.Context, r git.Ref, ours *remote.RefSet) (bool, error) {
	demand, err := remote.VerifyOf(ctx, ex.s, ex.peer)
	if err != nil || demand == remote.VerifyOff {
		return err == nil, err
	}
	err = incoming.CheckSigned(ctx, ex.s, r.ID, fmt.Sprintf("'%s' of '%s'", git.DisplayName(r.Name), ex.peer.Name), demand == remote.VerifyWarn, ex.unasked(ours))
	var unsigned *fail.Error
	if errors.As(err, &unsigned) && unsigned.Code == fail.NotVerified {
		return false, nil
	}
	return err == nil, err
}

// asks reports whether the tombstones of a commit of the roadmap, or those that were lost before it, ask for anything, or are not accepted; else
// it adds the replaced commits that they name to known. A file that thousands of commits have is read once.
func (ex *exchanger) asks(ctx context.Context, id git.ID, ours *remote.RefSet, known *doc.Expunged) (bool, error) {
	c, err := ex.s.Repo().Commit(ctx, id)
	if err != nil {
		return false, err
	}
	file, _, err := ex.s.Repo().Edit(c.Tree).Entry(ctx, doc.ExpungedFile)
	if err != nil || ex.asking[file.ID] {
		return true, err
	}
	e, err := expunge.TombstonesAt(ctx, ex.s, id)
	if err != nil {
		return false, err
	}
	if ex.unaccepted(ours, *known, e) == nil {
		if err := addReplaced(known, e); err != nil {
			return false, err
		}
		if known.Contains(e) {
			all, err := ex.tombstonesOf(ctx, ours.Roadmap, id)
			return !known.Contains(all), err
		}
	}
	ex.asking[file.ID] = true
	return true, nil
}

// isClean reports whether a commit leads to nothing that was expunged.
func (ex *exchanger) isClean(ctx context.Context, known doc.Expunged, r git.Ref, ours *remote.RefSet) (bool, error) {
	w := expunge.NewRewriter(ex.s, known)
	if r.Name == git.NotesRef {
		now, err := w.CleanNotes(ctx, r.ID, ours.Notes)
		return now == r.ID, err
	}
	now, err := w.RewriteNew(ctx, []git.ID{r.ID})
	return now[r.ID] == r.ID, err
}

// joinHints adds to the refusals of what was joined the commands that set the refs back or, while there is more to take in, the sync that does
// so. What can neither be taken in nor merged they name.
func (ex *exchanger) joinHints(ctx context.Context) error {
	for _, ref := range slices.Sorted(maps.Keys(ex.joining)) {
		j := ex.joining[ref]
		if n := len(j.rest); n > 0 {
			j.why.Hints = append(j.why.Hints, fmt.Sprintf("not taken in here yet: %s below it; this does so, and says what sets it back:",
				prose.Count(n, "valid commit")), ex.wholeSearch())
			continue
		}
		if n := len(j.left); n > 0 {
			what := "the next push drops these commits, which cannot be taken in here:"
			if n > mostDrops {
				what = fmt.Sprintf("the next push drops %d commits, which cannot be taken in here, among them:", n)
			}
			list := fmt.Sprint(j.left[:min(n, mostDrops)])
			j.why.Hints = append(j.why.Hints, what, "git log "+list[1:len(list)-1]+" --not "+ref)
		}
		hints, err := ex.setBackTo(ctx, j.ref, j.to)
		if err != nil {
			return err
		}
		j.why.Hints = append(j.why.Hints, hints...)
	}
	clear(ex.joining)
	return nil
}
