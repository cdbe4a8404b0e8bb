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

// A ref of the other side that is refused can be set back there, by a push with a lease that this exchange prints, to a valid commit below
// the refused one. What others have pushed must not be lost by that: it may be nowhere else. So it is the newest valid commit and, where a
// refused merge joins several histories, the others are taken in here before the push is printed; the next exchange pushes them again.

// setBackHints returns the command that sets a ref of the other side back to a commit, or deletes it there if that
// is "", unless it has moved; before it a line that says so.
func (ex *exchanger) setBackHints(r git.Ref, to git.ID) []string {
	there, name := git.NameOn(r.Name, ex.peer.Heads), displayRef(r.Name)
	what := fmt.Sprintf("this sets '%s' back to %s on '%s':", name, to.Short(), ex.peer.Name)
	if to == "" {
		what = fmt.Sprintf("this deletes '%s' on '%s':", name, ex.peer.Name)
	}
	has := r.ID
	if held := ex.dirty.Refs[r.Name]; held.Now == r.ID && r.ID != "" { // rewritten when it was fetched
		has = held.Old
	}
	return []string{what, fmt.Sprintf("%s %s %s %s", ex.peer.PushCommand(), prose.ShellWord("--force-with-lease="+there+":"+string(has)),
		prose.ShellWord(ex.peer.Name), prose.ShellWord(string(to)+":"+there))}
}

// setBack returns the hints for a refused ref of the other side that is here, of which sound are the newest valid commits. One that has all that
// both sides have in common is what the ref is set back to. Else it returns no hints: [exchanger.join] takes the valid commits in first, and
// chooses among these. Without any valid commit the ref is set back to what both sides have in common, or to ours.
func (ex *exchanger) setBack(ctx context.Context, r git.Ref, own git.ID, sound []git.ID, why *fail.Error) ([]string, error) {
	infos, err := ex.s.Repo().Infos(ctx, []git.ID{r.ID})
	if err != nil {
		return nil, err
	}
	var common []git.ID
	if infos[0].Type == "commit" { // a ref may name anything
		if common, err = ex.s.Repo().MergeBases(ctx, own, r.ID); err != nil {
			return nil, err
		}
	}
	if sound, err = ex.distinct(ctx, sound); err != nil {
		return nil, err
	}
	rest, err := ex.lacking(ctx, own, sound)
	if err != nil {
		return nil, err
	}
	if len(rest) == 0 {
		return ex.setBackHints(r, cmp.Or(cmp.Or(sound...), cmp.Or(common...), own)), nil
	}
	if len(rest) == 1 {
		if has, err := ex.hasAll(ctx, rest[0], common); err != nil || has {
			return ex.setBackHints(r, rest[0]), err
		}
	}
	ex.joining[r.Name] = &joining{ref: r, common: common, to: cmp.Or(cmp.Or(common...), rest[0]), rest: rest, why: why}
	return nil, nil
}

// cutHints says that the search for valid commits below a ref was too long, and how to see what a push may drop.
func (ex *exchanger) cutHints(r git.Ref) []string {
	return []string{"not all commits below it were looked at; of these, which are not here, the next push drops some:", fmt.Sprintf("git log %s --not %s", r.ID, r.Name)}
}

// hasAll reports whether a commit leads to some others.
func (ex *exchanger) hasAll(ctx context.Context, id git.ID, of []git.ID) (bool, error) {
	for _, base := range of {
		if has, err := ex.s.Repo().IsAncestor(ctx, base, id); err != nil || !has {
			return false, err
		}
	}
	return true, nil
}

// mostCompared is of how many commits distinct asks git which of them leads to others.
const mostCompared = 1_000

// distinct returns those of some commits that no other of them leads to, each without what changes nothing on top of it.
func (ex *exchanger) distinct(ctx context.Context, ids []git.ID) (list []git.ID, err error) {
	if len(ids) < 2 {
		return ids, nil
	}
	for _, id := range ids {
		for range fewCommits {
			c, err := ex.s.Repo().Commit(ctx, id)
			if err != nil {
				return nil, err
			}
			if len(c.Parents) != 1 {
				break
			}
			p, err := ex.s.Repo().Commit(ctx, c.Parents[0])
			if errors.Is(err, git.ErrNotFound) || err == nil && p.Tree != c.Tree { // not found: the edge of a shallow clone
				break
			}
			if err != nil {
				return nil, err
			}
			id = p.ID
		}
		if !slices.Contains(list, id) {
			list = append(list, id)
		}
	}
	if len(list) > mostCompared {
		return list, nil
	}
	return ex.s.Repo().Independent(ctx, list)
}

// lacking returns those of some commits that a commit does not lead to, without those beyond the edge of a shallow clone.
func (ex *exchanger) lacking(ctx context.Context, tip git.ID, ids []git.ID) ([]git.ID, error) {
	beyond, err := ex.s.Repo().Beyond(ctx, ids, []git.ID{tip})
	return slices.DeleteFunc(slices.Clone(ids), func(id git.ID) bool { return !beyond[id] }), err
}

// below returns the newest commits that a ref of the other side leads to, ours does not, and that are not bad: the first on every way
// down. If there are none, they are those that ours leads to.
func (ex *exchanger) below(ctx context.Context, tip, own git.ID, bad func(git.AheadCommit) (bool, error)) (sound []git.ID, err error) {
	list, err := ex.s.Repo().Ahead(ctx, tip, own)
	if err != nil {
		return nil, err
	}
	by := make(map[git.ID]git.AheadCommit, len(list))
	for _, c := range list {
		by[c.ID] = c
	}
	var both []git.ID
	seen := map[git.ID]bool{tip: true}
	for queue := []git.ID{tip}; len(queue) > 0; queue = queue[1:] {
		c, ahead := by[queue[0]]
		if !ahead {
			both = append(both, queue[0])
			continue
		}
		is, err := bad(c)
		if err != nil {
			return nil, err
		}
		if !is {
			sound = append(sound, c.ID)
			continue
		}
		for _, p := range c.Parents {
			if !seen[p] {
				seen[p] = true
				queue = append(queue, p)
			}
		}
	}
	if len(sound) == 0 {
		return both, nil
	}
	return sound, nil
}

// joining is a refused ref that has several valid commits below it, none of which leads to all others.
type joining struct {
	ref  git.Ref  // as the other side has it, by its name here
	to   git.ID   // the commit to set it back to: the first with all of common that was taken in, else a part of that
	rest []git.ID // the valid commits that our ref lacks
	left []git.ID // those of them that cannot be taken in
	done bool     // this exchange has tried
	late bool     // it had no time for some of rest

	common []git.ID    // what both sides have in common
	chosen bool        // to has all of common
	why    *fail.Error // why the ref is refused
}

const (
	mostJoined = 64               // commits of one ref that an exchange takes in so: the next one goes on
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
	var tried []git.ID
	seen := map[git.ID]bool{}
	until := time.Now().Add(mostJoin)
	for n := 0; len(j.rest) > 0 && n < mostJoined && !j.late; j.late = time.Now().After(until) {
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
			ex.warn(fmt.Sprintf("'%s' of '%s': commit %s: %v", displayRef(j.ref.Name), ex.peer.Name, id.Short(), err))
		}
		if joined {
			n++
			err = j.choose(ctx, ex, id)
		} else {
			err = j.descend(ctx, ex, id, ours)
		}
		if err = errors.Join(ctx.Err(), err); err != nil {
			return err
		}
	}
	own := expunge.RefID(ours, j.ref.Name)
	var err error
	if j.rest, err = ex.lacking(ctx, own, j.rest); err == nil {
		j.left, err = ex.lacking(ctx, own, tried)
	}
	return err
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
	in, _ := ex.refsToCheck(r)
	var err error
	if ex.arrived, err = incoming.Arrived(ctx, ex.s, in, &ex.read); err != nil {
		return false, err
	}
	ses, err := ex.s.Begin(ctx, ex.o.Writer, "sync: "+prose.OneLine(ex.peer.Name, 100))
	if err != nil {
		return false, err
	}
	defer ses.Close()
	if r.Name == git.NotesRef {
		if err := ex.uniteNotes(ctx, ses, nil, ours, &remote.RefSet{Notes: r.ID}); err != nil {
			return false, err
		}
		return true, ses.Commit(ctx)
	}
	branch, isBranch := git.BranchName(r.Name)
	if !isBranch {
		branch = ""
	}
	st := &refAction{ref: r.Name, branch: branch, ours: expunge.RefID(ours, r.Name)}
	roadmap, err := ex.s.RoadmapTip(ctx)
	if err != nil {
		return false, err
	}
	ex.settle = keepingBoth(ses)
	if err := ex.heal(ctx, ses, st, r.ID, roadmap); err != nil {
		return false, err
	}
	if err := ex.compare(ctx, ses, st, roadmap); err != nil {
		return false, err
	}
	if err := ses.Commit(ctx); err != nil { // nothing is queued: this flushes the objects to disk
		return false, err
	}
	moved := false
	st.push = ""
	return st.take != "", ex.takeOne(ctx, st, ours, &moved)
}

// mayJoin reports whether a commit below a refused ref asks to forget nothing, contains nothing that was expunged, and is signed as the
// remote's commits have to be: it enters memory without what filterExpunged does about that.
func (ex *exchanger) mayJoin(ctx context.Context, r git.Ref, ours *remote.RefSet) (bool, error) {
	known, err := tombstonesAt(ctx, ex.s, ours.Roadmap)
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
	demand, err := remote.VerifyOf(ctx, ex.s, ex.peer)
	if err != nil || demand == remote.VerifyOff {
		return err == nil, err
	}
	err = incoming.CheckSigned(ctx, ex.s, r.ID, fmt.Sprintf("'%s' of '%s'", displayRef(r.Name), ex.peer.Name), demand == remote.VerifyWarn, ex.unasked(ours))
	var unsigned *fail.Error
	if errors.As(err, &unsigned) && unsigned.Code == fail.NotVerified {
		return false, nil
	}
	return err == nil, err
}

// asks reports whether the tombstones of a commit of the roadmap ask for anything, or are not accepted; else it adds the replaced commits that
// they name to known. A file that thousands of commits have is read once.
func (ex *exchanger) asks(ctx context.Context, id git.ID, ours *remote.RefSet, known *doc.Expunged) (bool, error) {
	c, err := ex.s.Repo().Commit(ctx, id)
	if err != nil {
		return false, err
	}
	file, _, err := ex.s.Repo().Edit(c.Tree).Entry(ctx, doc.ExpungedFile)
	if err != nil || ex.asking[file.ID] {
		return true, err
	}
	e, err := tombstonesAt(ctx, ex.s, id)
	if err != nil {
		return false, err
	}
	if ex.unaccepted(ours, *known, e) == nil {
		if err := addReplaced(known, e); err != nil || known.Contains(e) {
			return false, err
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

// joinHints adds to the refusals of what was joined the commands that set the refs back or, while there is more to take in, the next sync. What
// cannot be taken in they name.
func (ex *exchanger) joinHints() {
	for _, ref := range slices.Sorted(maps.Keys(ex.joining)) {
		j := ex.joining[ref]
		if len(j.rest) > 0 {
			j.why.Hints = append(j.why.Hints, "below it are valid commits that are not here yet; this takes them in:", SyncCommand(prose.ShellWord(ex.peer.Name)))
			if !j.late {
				continue
			}
			j.why.Hints = append(j.why.Hints, fmt.Sprintf("only if that brings nothing more, since it drops %s:", prose.Count(len(j.rest), "such commit")))
		}
		if n := len(j.left); n > 0 {
			what := "the next push drops these commits, which cannot be taken in here:"
			if n > mostDrops {
				what = fmt.Sprintf("the next push drops %d commits, which cannot be taken in here, among them:", n)
			}
			list := fmt.Sprint(j.left[:min(n, mostDrops)])
			j.why.Hints = append(j.why.Hints, what, "git log "+list[1:len(list)-1]+" --not "+ref)
		}
		j.why.Hints = append(j.why.Hints, ex.setBackHints(j.ref, j.to)...)
	}
	clear(ex.joining)
}

// noCommand is the hint where no command is known that mends it.
const noCommand = "who has pushed it must replace it there"

// mostListed is how many bytes of tombstones setRoadmapBack reads.
const mostListed = 64 << 20

// setRoadmapBack adds to the refusal of the other side's roadmap for its tombstones the command that sets it back there to its newest
// commits of which the tombstones are taken over: who pushes such tombstones must not keep the roadmap from everybody.
func (ex *exchanger) setRoadmapBack(ctx context.Context, why *fail.Error, ours, theirs git.ID, accepts func(doc.Expunged) bool) error {
	if ex.peer.Bundle || ours == "" {
		why.Hints = append(why.Hints, noCommand)
		return nil
	}
	most, _ := ex.mostTombstones()
	bytes, cut, bad := int64(0), false, map[git.ID]bool{} // by the file
	sound, err := ex.below(ctx, theirs, ours, func(c git.AheadCommit) (bool, error) {
		file, has, err := ex.s.Repo().Edit(c.Tree).Entry(ctx, doc.ExpungedFile)
		if _, seen := bad[file.ID]; seen || !has || err != nil {
			return bad[file.ID], err
		}
		infos, err := ex.s.Repo().Infos(ctx, []git.ID{file.ID})
		if err != nil {
			return false, err
		}
		if size := infos[0].Size; int64(most) < size || bytes+size > mostListed {
			cut, bad[file.ID] = cut || int64(most) >= size, true
			return true, nil
		}
		data, err := ex.s.Repo().Blob(ctx, file.ID)
		if err != nil {
			return false, err
		}
		bytes += int64(len(data))
		e, err := doc.ParseExpunged(data)
		bad[file.ID] = err != nil || !accepts(e) // an error is of the data
		return bad[file.ID], nil
	})
	if err != nil {
		return err
	}
	r := git.Ref{Name: git.RoadmapRef, ID: theirs}
	if cut {
		why.Hints = append(why.Hints, ex.cutHints(r)...)
	}
	hints, err := ex.setBack(ctx, r, ours, sound, why)
	why.Hints = append(why.Hints, hints...)
	return err
}
