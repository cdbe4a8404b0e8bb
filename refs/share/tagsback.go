package share

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/git-context/git-context/refs/doc"
	"github.com/git-context/git-context/refs/expunge"
	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/incoming"
	"github.com/git-context/git-context/refs/prose"
	"github.com/git-context/git-context/refs/remote"
)

// tagsToBringBack returns what to do with tags that name the form of a commit without what somebody has refused to forget
// since: a tag of that form on one side is replaced by the whole commit that the other side has, here only by what it named
// before (see [expunge.TagsName]). No other tag moves, and of a branch two forms are united, so that only tags need this.
func (ex *exchanger) tagsToBringBack(ctx context.Context, ours, theirs *remote.RefSet) ([]*refAction, error) {
	known, err := expunge.TombstonesAt(ctx, ex.s, ours.Roadmap)
	if err != nil {
		return nil, err
	}
	refused := known.Refused()
	if refused.Empty() {
		return nil, nil
	}
	tagged, err := expunge.Tagged(ex.s)
	if err != nil {
		return nil, err
	}
	late, err := ex.searchUntil(ctx)
	if err != nil {
		return nil, err
	}
	var plan []*refAction
	looked, left := 0, 0
	for name, id := range ours.Tags { // in no order, so that the time is not always that of the same ones
		st := &refAction{ref: git.TagRef(name), ours: id, theirs: theirs.Tags[name]}
		if st.theirs == "" || st.theirs == st.ours || ex.isDirty(st.ref) || ex.aside[st.ref] != nil || !tagged[st.ours] && !tagged[st.theirs] {
			continue
		}
		if looked > 0 && late() { // the rest takes several walks for each tag that a teammate moved
			left++
			continue
		}
		looked++
		if err := ex.bringTagBack(ctx, st, refused, tagged); err != nil {
			return nil, fmt.Errorf("tag '%s': %w", name, err)
		}
		if (st.push != "" || st.take != "") && (st.take == "" || ex.mayTakeTag(ctx, st, ours)) {
			plan = append(plan, st)
		}
	}
	if left > 0 {
		ex.warn(fmt.Sprintf("left for the next sync, because others take too long: %s of '%s' that may come back whole", prose.Count(left, "tag"), ex.peer.Name))
	}
	slices.SortFunc(plan, func(a, b *refAction) int { return strings.Compare(a.ref, b.ref) })
	return plan, nil
}

// bringTagBack compares the two commits that a tag names.
func (ex *exchanger) bringTagBack(ctx context.Context, st *refAction, refused doc.Expunged, tagged map[git.ID]bool) error {
	isFormOf := func(hidden, whole git.ID) (bool, error) {
		if !tagged[whole] {
			return false, nil
		}
		return expunge.IsFormOf(ctx, ex.s, refused, hidden, whole)
	}
	back, err := isFormOf(st.theirs, st.ours)
	if err != nil {
		return err
	}
	if back {
		if ex.push && len(ex.o.Branches) == 0 {
			st.push = st.ours
		}
		return nil
	}
	if back, err = isFormOf(st.ours, st.theirs); err != nil || !back || !ex.merge {
		return err
	}
	st.take = st.theirs
	return nil
}

// mayTakeTag reports whether the other side's commit may come here by a tag, and warns if it may not.
func (ex *exchanger) mayTakeTag(ctx context.Context, st *refAction, ours *remote.RefSet) bool {
	err := incoming.Check(ctx, ex.s, incoming.Refs{Tags: []git.Ref{{Name: ex.peer.Tracking.Of(st.ref), ID: st.take}}})
	var demand remote.Verify
	if err == nil {
		demand, err = remote.VerifyOf(ctx, ex.s, ex.peer)
	}
	if err == nil && demand != remote.VerifyOff {
		err = incoming.CheckSigned(ctx, ex.s, st.take, fmt.Sprintf("'%s' of '%s'", git.DisplayName(st.ref), ex.peer.Name), demand == remote.VerifyWarn,
			ex.unasked(ours))
	}
	if err != nil {
		ex.warn(err.Error())
	}
	return err == nil
}
