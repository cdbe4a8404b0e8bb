package share

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/git-context/git-context/refs/doc"
	"github.com/git-context/git-context/refs/expunge"
	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/loss"
	"github.com/git-context/git-context/refs/prose"
	"github.com/git-context/git-context/refs/store"
)

// heal sets what a ref of the other side brings: its commit or, if its commits lack something of
// their parents, a commit made here on top of it that has it again. Absence never means deletion:
// who pushes a commit of an empty tree must not take memory away from others. It names whose
// commits these are. roadmap is the one that goes with a branch.
func (ex *exchanger) heal(ctx context.Context, ses *store.Transaction, st *refAction, theirs, roadmap git.ID) error {
	st.theirs = theirs
	if !ex.merge || theirs == "" || theirs == st.ours {
		return nil
	}
	if behind, err := ex.isBehind(ctx, theirs, st.ours); behind || err != nil {
		return err
	}
	gone, err := ex.tombstones(ctx, theirs, st.branch == "")
	if err != nil {
		return err
	}
	r := loss.NewRange(theirs, ex.arrived, gone)
	r.Have, r.Keys, r.Branch, r.Fresh = st.ours, ex.read.Of, st.branch, ex.fresh
	if err := ex.addKnown(ctx, r); err != nil {
		return err
	}
	var causes []loss.Cause
	if st.branch == "" {
		causes, err = ex.healRoadmap(ctx, ses, st, r)
	} else {
		causes, err = ex.healBranch(ctx, ses, st, r, roadmap)
	}
	if err != nil {
		return fmt.Errorf("restore '%s' of '%s': %w", git.DisplayName(st.ref), ex.peer.Name, err)
	}
	for _, c := range causes {
		ex.restored(st.ref, c)
	}
	return nil
}

// fresh returns the commits that came with this exchange: no ref of this repository led to them before, and no branch of the remote
// did when it was last asked.
func (ex *exchanger) fresh() map[git.ID]bool {
	parents := make(map[git.ID][]git.ID, len(ex.arrived))
	fresh := make(map[git.ID]bool, len(ex.arrived))
	for _, c := range ex.arrived {
		parents[c.ID], fresh[c.ID] = c.Parents, true
	}
	for queue := slices.Collect(maps.Values(ex.seen.Branches)); len(queue) > 0; queue = queue[1:] {
		if fresh[queue[0]] {
			delete(fresh, queue[0])
			queue = append(queue, parents[queue[0]]...)
		}
	}
	return fresh
}

// addKnown adds to what a ref brings the commits that are new for this ref alone: a commit that came
// with a tag or another branch before, where it took nothing away, may be pushed to this one.
func (ex *exchanger) addKnown(ctx context.Context, r loss.Range) error {
	known, seen := false, map[git.ID]bool{r.Have: true}
	for queue := []git.ID{r.Tip}; len(queue) > 0 && !known; queue = queue[1:] {
		id := queue[0]
		if seen[id] {
			continue
		}
		seen[id] = true
		if n := r.News[id]; n != nil {
			queue = append(queue, n.Parents...)
		} else {
			known = true
		}
	}
	if !known {
		return nil
	}
	list, err := ex.ahead(ctx, r)
	r.Add(list)
	return err
}

// ahead lists commits that the branch here lacks. Of a branch that is not here they are those that no branch here
// has; one git lists them for all branches of the other side, which may be thousands. Where a branch here has even the newest
// one, it may be healed by a commit of its own on top of that: they are those of the branches that do not have it.
func (ex *exchanger) ahead(ctx context.Context, r loss.Range) ([]git.AheadCommit, error) {
	if r.Have != "" {
		return ex.s.Repo().Ahead(ctx, r.Tip, r.Have)
	}
	if ex.unowned == nil {
		list, err := ex.s.Repo().AheadOfRefs(ctx, ex.peer.Tracking.Branches(), git.BranchPrefix)
		if err != nil {
			return nil, err
		}
		ex.unowned = &list
	}
	if !ex.adopt && !slices.ContainsFunc(*ex.unowned, func(c git.AheadCommit) bool { return c.ID == r.Tip }) {
		return ex.s.Repo().AheadOfOthers(ctx, r.Tip, git.BranchPrefix)
	}
	return *ex.unowned, nil
}

// fewCommits is how many commits isBehind reads, which takes less time than a process of git.
const fewCommits = 64

// isBehind reports whether a commit is among the last ones that led to another: mostly this repository is
// some commits ahead, and the other side brings nothing. false says nothing.
func (ex *exchanger) isBehind(ctx context.Context, id, of git.ID) (bool, error) {
	for range fewCommits {
		if of == "" {
			return false, nil
		}
		c, err := ex.s.Repo().Commit(ctx, of)
		if errors.Is(err, git.ErrNotFound) { // beyond the edge of a shallow clone
			return false, nil
		}
		if err != nil || len(c.Parents) == 0 {
			return false, err
		}
		if of = c.Parents[0]; of == id {
			return true, nil
		}
	}
	return false, nil
}

// mostWarned is how many warnings one ref has: a teammate can push thousands of commits that lack something.
const mostWarned = 20

// restored says whose commit lacked what.
func (ex *exchanger) restored(ref string, c loss.Cause) {
	if done := (Restored{Ref: ref, Commit: c.Commit, By: c.By, What: c.What}); !slices.Contains(ex.res.Restored, done) {
		ex.res.Restored = append(ex.res.Restored, done)
		what := "was restored"
		if ex.rehearsal {
			what = "would be restored"
		}
		switch ex.warned[ref]++; {
		case ex.warned[ref] == mostWarned:
			ex.warn(fmt.Sprintf("'%s' of '%s': more commits lack something of their parents, which %s; --json lists them", git.DisplayName(ref), ex.peer.Name, what))
			return
		case ex.warned[ref] > mostWarned:
			return
		}
		ex.warn(fmt.Sprintf("'%s' of '%s': %s, which %s", git.DisplayName(ref), ex.peer.Name, c, what))
	}
}

// tombstones returns what was expunged, here or on the other side's roadmap.
func (ex *exchanger) tombstones(ctx context.Context, theirs git.ID, roadmap bool) (doc.Expunged, error) {
	gone, err := expunge.Tombstones(ctx, ex.s)
	if err != nil || !roadmap {
		return gone, err
	}
	more, err := expunge.TombstonesAt(ctx, ex.s, theirs)
	return gone.Union(more), err
}

// lostTombstones returns the tombstones that the commits of a roadmap have lost; none if it has all.
func (ex *exchanger) lostTombstones(ctx context.Context, roadmap git.ID) (doc.Expunged, error) {
	all, err := ex.tombstonesOf(ctx, "", roadmap)
	if err != nil {
		return all, err
	}
	has, err := expunge.TombstonesAt(ctx, ex.s, roadmap)
	if err != nil || has.Contains(all) {
		return doc.Expunged{}, err
	}
	return all, nil
}

func (ex *exchanger) healBranch(ctx context.Context, ses *store.Transaction, st *refAction, r loss.Range,
	roadmap git.ID) ([]loss.Cause, error) {
	lost, err := loss.OfBranch(ctx, ex.s, r)
	if err != nil || lost.Empty() {
		return nil, err
	}
	tip, err := ex.s.TipAt(ctx, st.branch, r.Tip)
	if err != nil {
		return nil, err
	}
	c, err := lost.Restore(ctx, ses, tip)
	if err != nil {
		st.sound = lost.Sound
		return nil, err
	}
	if lost.Dropped > 0 {
		ex.warn(fmt.Sprintf("'%s' of '%s': to make room, a commit here removes %s that came with the loss and that nobody else has", git.DisplayName(st.ref), ex.peer.Name,
			prose.Count(lost.Dropped, "key")))
	}
	c.SetRoadmap(roadmap)
	made, err := ses.WriteObjects(ctx, c)
	if err != nil {
		return nil, err
	}
	st.theirs, st.healed = made.ID, st.theirs
	return lost.Causes, nil
}

func (ex *exchanger) healRoadmap(ctx context.Context, ses *store.Transaction, st *refAction, r loss.Range) ([]loss.Cause, error) {
	lost, err := loss.OfRoadmap(ctx, ex.s, r)
	if err != nil {
		return nil, err
	}
	if r.Have == "" { // else ours has them by now, see takeTombstones
		if lost.Tombstones, err = ex.lostTombstones(ctx, r.Tip); err != nil {
			return nil, err
		}
	}
	if lost.Empty() {
		return nil, nil
	}
	made, err := lost.Restore(ctx, ses, r.Tip)
	if err != nil {
		st.sound = lost.Sound
		return nil, err
	}
	st.theirs, st.healed = made.ID, st.theirs
	return lost.Causes, nil
}

// healAdopted heals a branch that is made from a tracking ref. The next push sends it.
func (ex *exchanger) healAdopted(ctx context.Context, st *refAction, theirs git.ID) error {
	roadmap, err := ex.s.RoadmapTip(ctx)
	if err != nil {
		return err
	}
	ses, err := ex.begin(ctx)
	if err != nil {
		return err
	}
	defer ses.Close()
	if err := ex.heal(ctx, ses, st, theirs, roadmap); err != nil {
		return err
	}
	st.take = st.theirs
	return ses.Commit(ctx) // nothing is queued: this flushes the objects to disk
}

// HealSource makes a commit on top of a branch that is to be merged which has again what the branch has lost since it left the
// target, see [loss.OfSource]; nil if nothing is lost. It moves no ref.
func HealSource(ctx context.Context, tx *store.Transaction, source *store.Tip, target git.ID) (*git.Commit, error) {
	s, tip := tx.Store, source.Commit().ID
	list, err := s.Repo().Ahead(ctx, tip, target)
	if err != nil {
		return nil, err
	}
	gone, err := expunge.Tombstones(ctx, s)
	if err != nil {
		return nil, err
	}
	r := loss.NewRange(tip, nil, gone)
	r.Have, r.Branch = target, source.Name()
	r.Add(list)
	lost, err := loss.OfSource(ctx, s, r)
	if err != nil || lost.Empty() {
		return nil, err
	}
	c, err := lost.Restore(ctx, tx, source)
	if err != nil {
		return nil, fmt.Errorf("restore what '%s' lacks: %w", prose.OneLine(source.Name(), 100), err)
	}
	for i, cause := range lost.Causes {
		if i == mostWarned {
			s.Warn(fmt.Sprintf("'%s': more commits lack something of their parents, which the merge restores", prose.OneLine(source.Name(), 100)))
			break
		}
		s.Warn(fmt.Sprintf("'%s': %s, which the merge restores", prose.OneLine(source.Name(), 100), cause))
	}
	return tx.WriteObjects(ctx, c)
}
