package share

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/git-context/git-context/refs/doc"
	"github.com/git-context/git-context/refs/expunge"
	"github.com/git-context/git-context/refs/fail"
	"github.com/git-context/git-context/refs/git"
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
	name := git.DisplayName(r.Name)
	what := fmt.Sprintf("this sets '%s' back to %s on '%s':", name, to.Short(), ex.peer.Name)
	if to == "" {
		what = fmt.Sprintf("this deletes '%s' on '%s':", name, ex.peer.Name)
	}
	has := r.ID
	if held := ex.dirty.Refs[r.Name]; held.Now == r.ID && r.ID != "" { // rewritten when it was fetched
		has = held.Old
	}
	return []string{what, setBackCommand(ex.peer, git.Ref{Name: r.Name, ID: has}, to)}
}

// setBackCommand sets a ref of a remote, which has its name here, to a commit, unless it has moved.
func setBackCommand(p remote.Remote, r git.Ref, to git.ID) string {
	there := git.NameOn(r.Name, p.Heads)
	return fmt.Sprintf("%s %s %s %s", p.PushCommand(), prose.ShellWord("--force-with-lease="+there+":"+string(r.ID)),
		prose.ShellWord(p.Name), prose.ShellWord(string(to)+":"+there))
}

// setBackTo is setBackHints with our tombstones in the commit that a roadmap is set back to: other clones would bring back what is expunged
// before the next exchange sends them.
func (ex *exchanger) setBackTo(ctx context.Context, r git.Ref, to git.ID) ([]string, error) {
	if r.Name == git.RoadmapRef && ex.push && !ex.rehearsal {
		made, err := ex.withTombstones(ctx, to)
		if err != nil {
			return nil, err
		}
		to = cmp.Or(made, to)
	}
	return ex.setBackHints(r, to), nil
}

// withTombstones makes a commit on top of one of the roadmap that has the tombstones which may go to the other side; "" if there are no more.
func (ex *exchanger) withTombstones(ctx context.Context, to git.ID) (git.ID, error) {
	ours, err := ex.s.RoadmapTip(ctx)
	if err != nil {
		return "", err
	}
	ses, err := ex.begin(ctx)
	if err != nil {
		return "", err
	}
	defer ses.Close()
	st := newRefAction(git.RoadmapRef, ours)
	if err := ex.sendAnswered(ctx, ses, st, to); err != nil {
		return "", err
	}
	return st.push, ses.Commit(ctx) // nothing is queued: this flushes the objects to disk
}

// renewLease makes the command that sets the roadmap back expect what this exchange has pushed there, see sendTombstones.
func (ex *exchanger) renewLease() {
	var why *fail.Error
	if ex.sent[1] == "" || !slices.Contains(ex.res.Pushed, git.RoadmapRef) || !errors.As(ex.aside[git.RoadmapRef], &why) {
		return
	}
	for i, hint := range why.Hints {
		why.Hints[i] = strings.ReplaceAll(hint, ":"+string(ex.sent[0]), ":"+string(ex.sent[1]))
	}
}

// setBack returns the hints for a refused ref of the other side that is here, of which sound are the newest valid commits. One that has all that
// both sides have in common is what the ref is set back to. Else it returns no hints: [exchanger.join] takes the valid commits in first, and
// chooses among these. Without any valid commit the ref is set back to what both sides have in common, or to ours.
func (ex *exchanger) setBack(ctx context.Context, r git.Ref, own git.ID, sound []git.ID, why *fail.Error) ([]string, error) {
	infos, err := ex.s.Repo().InfosHere(ctx, []git.ID{r.ID}) // what git refuses must not come as a missing object does in a partial clone
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
		return ex.setBackTo(ctx, r, cmp.Or(cmp.Or(sound...), cmp.Or(common...), own))
	}
	if len(rest) == 1 {
		if has, err := ex.hasAll(ctx, rest[0], common); err != nil {
			return nil, err
		} else if has {
			return ex.setBackTo(ctx, r, rest[0])
		}
	}
	ex.joining[r.Name] = &joining{ref: r, common: common, to: cmp.Or(cmp.Or(common...), rest[0]), rest: rest, why: why}
	return nil, nil
}

// cutHints says that the search for valid commits below a ref was too long, and how it goes on to its end. What a push to one of those
// that were found would drop is not known.
func (ex *exchanger) cutHints() []string {
	return []string{"not all commits below it were looked at; this looks at all, and says what sets it back:", ex.wholeSearch()}
}

// searchTime is how long an exchange looks for valid commits below a refused ref, see [store.KeySearchTime]; 0: as long as it takes.
func (ex *exchanger) searchTime(ctx context.Context) (time.Duration, error) {
	cfg, err := ex.s.Repo().Config(ctx)
	if err != nil {
		return 0, err
	}
	n, err := cfg.Int(store.KeySearchTime, store.DefaultSearchTime)
	if err == nil && (n < 0 || n > store.MostSearchTime) {
		err = fmt.Errorf("%s is %d; it must be between 0 and %d", store.KeySearchTime, n, store.MostSearchTime)
	}
	if err != nil {
		return 0, fail.New(fail.ErrInvalid, fail.ConfigInvalid, err.Error(), fmt.Sprintf("git config %s %d", store.KeySearchTime, store.DefaultSearchTime))
	}
	return time.Duration(n) * time.Millisecond, nil
}

// searchUntil returns a function that reports whether a search which begins now has had its time.
func (ex *exchanger) searchUntil(ctx context.Context) (func() bool, error) {
	limit, err := ex.searchTime(ctx)
	until := time.Now().Add(limit)
	return func() bool { return limit > 0 && time.Now().After(until) }, err
}

// wholeSearch is the sync that looks for valid commits below refused refs, and takes them in, however long that takes.
func (ex *exchanger) wholeSearch() string {
	return "git -c " + store.KeySearchTime + "=0 context sync " + prose.ShellWord(ex.peer.Name)
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

// noCommand is the hint where no command is known that mends it.
const noCommand = "who has pushed it must replace it there"

// setRoadmapBack adds to the refusal of the other side's roadmap for its tombstones the command that sets it back there to its newest
// commits of which the tombstones are taken over: who pushes such tombstones must not keep the roadmap from everybody.
func (ex *exchanger) setRoadmapBack(ctx context.Context, why *fail.Error, ours, theirs git.ID, accepts func(doc.Expunged) bool) error {
	if ex.peer.Bundle || ours == "" {
		why.Hints = append(why.Hints, noCommand)
		return nil
	}
	late, err := ex.searchUntil(ctx)
	if err != nil {
		return err
	}
	bad, cut, err := ex.badLists(ctx, ours, theirs, accepts, late)
	if err != nil {
		return err
	}
	var sound []git.ID
	for found := false; !found; {
		if cut || late() {
			why.Hints = append(why.Hints, ex.cutHints()...)
			return nil
		}
		if sound, err = ex.below(ctx, theirs, ours, func(c git.AheadCommit) (bool, error) { return bad[c.ID], nil }); err != nil {
			return err
		}
		found = true
		for _, id := range sound { // several lists may be too much together
			e, err := ex.tombstonesOf(ctx, ours, id)
			if err != nil {
				return err
			}
			bad[id] = !accepts(e)
			found = found && !bad[id]
		}
	}
	hints, err := ex.setBack(ctx, git.Ref{Name: git.RoadmapRef, ID: theirs}, ours, sound, why)
	why.Hints = append(why.Hints, hints...)
	return err
}

// badLists returns the commits of the other side's roadmap that have tombstones which are not accepted, or lead to such a commit. cut is whether
// there was no time for all of them.
func (ex *exchanger) badLists(ctx context.Context, ours, theirs git.ID, accepts func(doc.Expunged) bool, late func() bool) (bad map[git.ID]bool, cut bool, err error) {
	list, err := ex.aheadOfRoadmap(ctx, ours, theirs)
	if err != nil {
		return nil, false, err
	}
	most, _ := ex.mostTombstones()
	bad, of := map[git.ID]bool{}, map[git.ID]bool{} // of: by the file
	for _, c := range slices.Backward(list) {
		tree := ex.s.Repo().Edit(c.Tree)
		file, has, err := tree.Entry(ctx, doc.ExpungedFile)
		if err != nil {
			return nil, false, err
		}
		if _, known := of[file.ID]; has && !known {
			if late() {
				return nil, true, nil
			}
			infos, err := ex.s.Repo().Infos(ctx, []git.ID{file.ID})
			if err != nil {
				return nil, false, err
			}
			if of[file.ID] = infos[0].Size > int64(most); !of[file.ID] {
				e, err := expunge.TombstonesIn(ctx, ex.s, tree)
				of[file.ID] = err != nil || !accepts(e) // an error is of the data
			}
		}
		bad[c.ID] = of[file.ID] || slices.ContainsFunc(c.Parents, func(p git.ID) bool { return bad[p] })
	}
	return bad, false, nil
}
