package share

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/git-context/git-context/refs/doc"
	"github.com/git-context/git-context/refs/expunge"
	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/incoming"
	"github.com/git-context/git-context/refs/remote"
)

// tagsToBringBack returns what to do with tags that name the form of a commit without what somebody has refused to forget
// since: a tag of that form on one side is replaced by the whole commit that the other side has, here only by what it named
// before (see [expunge.TagsName]). No other tag moves, and of a branch two forms are united, so that only tags need this.
func (ex *exchanger) tagsToBringBack(ctx context.Context, ours, theirs *remote.RefSet) ([]*refAction, error) {
	known, err := tombstonesAt(ctx, ex.s, ours.Roadmap)
	if err != nil {
		return nil, err
	}
	refused := known.Refused()
	if refused.Empty() {
		return nil, nil
	}
	var plan []*refAction
	for _, name := range slices.Sorted(maps.Keys(ours.Tags)) {
		st := &refAction{ref: git.TagRef(name), ours: ours.Tags[name], theirs: theirs.Tags[name]}
		if st.theirs == "" || st.theirs == st.ours || ex.isDirty(st.ref) || ex.aside[st.ref] != nil {
			continue
		}
		if err := ex.bringTagBack(ctx, st, refused); err != nil {
			return nil, fmt.Errorf("tag '%s': %w", name, err)
		}
		if st.take != "" && !ex.mayTakeTag(ctx, st, ours) {
			continue
		}
		if st.push != "" || st.take != "" {
			plan = append(plan, st)
		}
	}
	return plan, nil
}

// bringTagBack compares the two commits that a tag names.
func (ex *exchanger) bringTagBack(ctx context.Context, st *refAction, refused doc.Expunged) error {
	back, err := ex.wasTagged(ctx, refused, st.theirs, st.ours)
	if err != nil {
		return err
	}
	if back {
		if ex.push && len(ex.o.Branches) == 0 {
			st.push = st.ours
		}
		return nil
	}
	if back, err = ex.wasTagged(ctx, refused, st.ours, st.theirs); err != nil || !back || !ex.merge {
		return err
	}
	st.take = st.theirs
	return nil
}

// wasTagged reports whether a commit is what a tag named here before it was hidden. To ask whether tags named it costs nothing, and the
// rest takes a walk for each tag that a teammate moved.
func (ex *exchanger) wasTagged(ctx context.Context, refused doc.Expunged, hidden, whole git.ID) (bool, error) {
	tagged, err := expunge.Tagged(ex.s, whole)
	if !tagged || err != nil {
		return false, err
	}
	return expunge.IsFormOf(ctx, ex.s, refused, hidden, whole)
}

// mayTakeTag reports whether the other side's commit may come here by a tag, and warns if it may not.
func (ex *exchanger) mayTakeTag(ctx context.Context, st *refAction, ours *remote.RefSet) bool {
	err := incoming.Check(ctx, ex.s, incoming.Refs{Tags: []git.Ref{{Name: ex.peer.Tracking.Of(st.ref), ID: st.take}}})
	var demand remote.Verify
	if err == nil {
		demand, err = remote.VerifyOf(ctx, ex.s, ex.peer)
	}
	if err == nil && demand != remote.VerifyOff {
		err = incoming.CheckSigned(ctx, ex.s, st.take, fmt.Sprintf("'%s' of '%s'", displayRef(st.ref), ex.peer.Name), demand == remote.VerifyWarn,
			ex.unasked(ours))
	}
	if err != nil {
		ex.warn(err.Error())
	}
	return err == nil
}
