package share

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/git-context/git-context/refs/fail"
	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/incoming"
	"github.com/git-context/git-context/refs/prose"
	"github.com/git-context/git-context/refs/remote"
	"github.com/git-context/git-context/refs/store"
)

// otherBranch is a branch that the other names of a remote have and this repository does not. It becomes none
// here: a sync brings it under the names in use alone.
type otherBranch struct {
	name         string
	named, there git.ID   // under the names in use, "" for none, and under the others
	work, had    git.ID   // the code that was handed over with it, likewise
	bases        []git.ID // where both diverged, else empty
}

// findBranches takes the branches that are not here out of the other side, and keeps those of which the names
// in use lack something. Whether one was deleted under these names is not known, so that it comes back.
func (ex *exchanger) findBranches(ctx context.Context, ours, theirs *remote.RefSet, inUse remote.Remote) error {
	named, err := remote.Tracked(ctx, ex.s, inUse)
	if err != nil {
		return err
	}
	names := slices.Collect(maps.Keys(theirs.Branches)) // in no order, so that the time is not always that of the same ones
	for _, name := range names {
		if ours.Branches[name] != "" {
			continue
		}
		b := otherBranch{name: name, named: named.Branches[name], there: theirs.Branches[name],
			work: theirs.Works[name], had: named.Works[name]}
		delete(theirs.Branches, name)
		delete(theirs.Works, name)
		if b.named == b.there {
			continue
		}
		if ex.other.late() {
			ex.other.back[git.Ref{Name: git.BranchRef(name), ID: b.there}] = ""
			continue
		}
		if ok, err := ex.checkBranch(ctx, ours, &b); err != nil || !ok {
			if err != nil {
				return err
			}
			continue
		}
		ex.other.branches = append(ex.other.branches, b)
	}
	return nil
}

// checkBranch checks what such a branch brings, compares it, and reports whether it brings anything. One that
// is refused is set aside; what is valid below it counts.
func (ex *exchanger) checkBranch(ctx context.Context, ours *remote.RefSet, b *otherBranch) (bool, error) {
	ref := git.BranchRef(b.name)
	err := store.CheckBranchName(b.name)
	if err == nil {
		r := git.Ref{Name: ex.peer.Tracking.Of(ref), ID: b.there}
		err = incoming.Check(ctx, ex.s, incoming.Refs{Branches: []git.Ref{r}})
		var refused *fail.Error
		if errors.As(err, &refused) && refused.Code == fail.IncomingInvalid {
			ex.aside[ref] = err
			if b.there, err = ex.validBelow(ctx, git.Ref{Name: ref, ID: b.there}, ours); err != nil || b.there == "" || b.there == b.named {
				return false, err
			}
			b.work = "" // made with the refused commit
		}
	}
	if err == nil && b.work != "" {
		err = incoming.CheckWork(ctx, ex.s, git.Ref{Name: ex.peer.Tracking.Of(git.WorkRef(b.name)), ID: b.work})
	}
	if err == nil { // what would be refused here is not passed on either
		err = ex.refuseUnverified(ctx, b.name, b.there)
	}
	var refused *fail.Error
	if errors.As(err, &refused) && slices.Contains([]string{fail.IncomingInvalid, fail.BranchName, fail.NotVerified}, refused.Code) {
		ex.aside[ref] = err
		return false, nil
	}
	if err != nil || b.named == "" {
		return err == nil, err
	}
	how, bases, err := ex.relation(ctx, ref, b.named, b.there)
	if how == diverged {
		b.bases = bases
	}
	return how != ahead, err
}

// validBelow returns the newest valid commit below a refused branch that is not here, or one that unites several; "" if there is none. What it
// cannot tell stays there.
func (ex *exchanger) validBelow(ctx context.Context, r git.Ref, ours *remote.RefSet) (git.ID, error) {
	sound, err := ex.soundBelow(ctx, r, incoming.RoleBranch, ours)
	if ctx.Err() != nil {
		return "", ctx.Err()
	}
	if err != nil {
		ex.other.back[r] = ""
	}
	if err != nil || len(sound.Tips) == 0 {
		return "", nil
	}
	ex.other.below[r.Name] = true
	to := sound.Tips[0]
	for _, id := range sound.Tips[1:] {
		united, err := ex.uniteOne(ctx, r.Name, to, id, ours)
		if ctx.Err() != nil {
			return "", ctx.Err()
		}
		if err != nil || united == "" {
			ex.other.back[r] = ""
			return "", nil
		}
		to = united
	}
	return to, nil
}

// withBranches adds to a plan the branches that only have to be brought under the names in use. A conflict
// waits until the branch is here.
func (ex *exchanger) withBranches(ctx context.Context, ses *store.Transaction, plan []*refAction, roadmap git.ID) ([]*refAction, error) {
	if !ex.push {
		return plan, nil
	}
	for _, b := range ex.other.branches {
		st := &refAction{ref: git.BranchRef(b.name), branch: b.name, ours: b.named, theirs: b.named, push: b.there}
		if len(b.bases) > 0 {
			merged, err := ex.mergeNamed(ctx, ses, st, b, roadmap)
			if err != nil {
				if err := ex.setAsideOne(ctx, st.ref, err); err != nil {
					return nil, err
				}
				continue
			}
			if merged == nil {
				ex.warn(fmt.Sprintf("branch '%s' of '%s' has conflicts between its two names; to resolve them: git context switch %s, %s",
					b.name, ex.peer.Name, b.name, SyncCommand(prose.ShellWord(ex.peer.Name))))
				continue
			}
			st.push = merged.ID
		}
		plan = append(plan, st)
		if b.work != "" && b.work != b.had {
			work, err := ex.workOf(ctx, b.there)
			if err != nil {
				return nil, err
			}
			if len(b.bases) == 0 && work == b.work {
				plan = append(plan, &refAction{ref: git.WorkRef(b.name), theirs: b.had, push: b.work, of: st})
			}
		}
	}
	return plan, nil
}

// mergeNamed merges both versions of a branch that is not here; nil with open conflicts.
func (ex *exchanger) mergeNamed(ctx context.Context, ses *store.Transaction, st *refAction, b otherBranch, roadmap git.ID) (*git.Commit, error) {
	c, _, err := ex.mergeBranch(ctx, ses, st, b.there, b.bases, roadmap, ex.settler(b.bases))
	if err != nil {
		return nil, fmt.Errorf("merge '%s' of '%s': %w", b.name, ex.peer.Other().Name, store.NoRoom(b.name, err))
	}
	return c, nil
}
