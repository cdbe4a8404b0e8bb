package share

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/git-context/git-context/refs/expunge"
	"github.com/git-context/git-context/refs/fail"
	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/incoming"
	"github.com/git-context/git-context/refs/prose"
	"github.com/git-context/git-context/refs/remote"
	"github.com/git-context/git-context/refs/replica"
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

// raise puts what is valid below refused branches that are not here in their place, and takes those out of the other side of which nothing is:
// that may be nowhere else. Where something is expunged their tracking refs move, too, because what is refused cannot be rewritten. It returns
// why they are refused, and the names of those for which there was no time.
func (ex *exchanger) raise(ctx context.Context, ours, theirs *remote.RefSet, inUse remote.Remote) (why map[string]error, late map[string]bool, err error) {
	named, err := remote.Tracked(ctx, ex.s, inUse)
	if err != nil {
		return nil, nil, err
	}
	why, late = map[string]error{}, map[string]bool{}
	var moved []git.Ref // tracking refs
	to := map[string]git.ID{}
	names := slices.Collect(maps.Keys(theirs.Branches)) // in no order, so that the time is not always that of the same ones
	for _, name := range names {
		r := git.Ref{Name: git.BranchRef(name), ID: theirs.Branches[name]}
		if ours.Branches[name] != "" || named.Branches[name] == r.ID {
			continue
		}
		if ex.other.late() {
			ex.other.back[r], late[name] = "", true
			continue
		}
		at := git.Ref{Name: ex.peer.Tracking.Of(r.Name), ID: r.ID}
		err := incoming.Check(ctx, ex.s, incoming.Refs{Branches: []git.Ref{at}})
		var refused *fail.Error
		if !errors.As(err, &refused) || refused.Code != fail.IncomingInvalid {
			if err != nil {
				return nil, nil, err
			}
			continue
		}
		why[r.Name] = err
		sound, err := ex.validBelow(ctx, r, named.Branches[name], ours)
		if err != nil {
			return nil, nil, err
		}
		moved, to[at.Name] = append(moved, at), sound
		set(theirs, git.Ref{Name: r.Name, ID: sound})
		delete(theirs.Works, name) // made with the refused commit
		if sound == "" {
			delete(theirs.Branches, name)
		}
	}
	e, err := expunge.TombstonesAt(ctx, ex.s, ours.Roadmap)
	if err != nil || e.Empty() {
		return why, late, err
	}
	return why, late, expunge.ReplaceUnsound(ctx, ex.s, ex.o.Writer, moved, to, ex.needed()...)
}

// findBranches takes the branches that are not here out of the other side, and keeps those of which the names
// in use lack something, without those in late. Whether one was deleted under these names is not known, so that it comes back.
func (ex *exchanger) findBranches(ctx context.Context, ours, theirs *remote.RefSet, inUse remote.Remote, late map[string]bool) error {
	named, err := remote.Tracked(ctx, ex.s, inUse)
	if err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(theirs.Branches)) {
		if ours.Branches[name] != "" {
			continue
		}
		b := otherBranch{name: name, named: named.Branches[name], there: theirs.Branches[name],
			work: theirs.Works[name], had: named.Works[name]}
		delete(theirs.Branches, name)
		delete(theirs.Works, name)
		if b.named == b.there || late[name] {
			continue
		}
		if refused, err := ex.refusedInUse(ctx, b, inUse); err != nil || refused {
			if err != nil {
				return err
			}
			ex.other.back[git.Ref{Name: git.BranchRef(name), ID: b.there}] = ""
			continue
		}
		if b.named == "" && ex.leaveClash(b, ours, &named) {
			continue
		}
		if ok, err := ex.checkBranch(ctx, &b); err != nil || !ok {
			if err != nil {
				return err
			}
			continue
		}
		ex.other.branches = append(ex.other.branches, b)
	}
	return nil
}

// refusedInUse reports whether a branch is refused under the names in use: nothing can be pushed on top of that, nor merged with it.
func (ex *exchanger) refusedInUse(ctx context.Context, b otherBranch, inUse remote.Remote) (bool, error) {
	ref := git.BranchRef(b.name)
	if _, dropped := ex.named.spared[ref]; dropped || ex.named.aside[ref] != nil {
		return true, nil
	}
	if b.named == "" {
		return false, nil
	}
	err := incoming.Check(ctx, ex.s, incoming.Refs{Branches: []git.Ref{{Name: inUse.Tracking.Of(ref), ID: b.named}}})
	if err == nil {
		err = ex.named.refuseUnverified(ctx, b.name, b.named)
	}
	var refused *fail.Error
	if errors.As(err, &refused) && (refused.Code == fail.IncomingInvalid || refused.Code == fail.NotVerified) {
		return true, nil
	}
	return false, err
}

// leaveClash sets a branch aside that cannot exist beside one of the names in use, and reports whether it has. The command renames it.
func (ex *exchanger) leaveClash(b otherBranch, sides ...*remote.RefSet) bool {
	ref := git.BranchRef(b.name)
	if !slices.ContainsFunc(sides, func(side *remote.RefSet) bool { return clashes(ref, side) }) {
		return false
	}
	p, heads := ex.named.peer, ex.peer.Heads
	from, to := git.NameOn(ref, heads), git.NameOn(git.BranchRef(freeName(b.name)), heads)
	push := p.PushCommand() + " " + prose.ShellWord(p.Name) + " "
	drop := p.PushCommand() + " " + prose.ShellWord("--force-with-lease="+from+":"+string(b.there)) + " " + prose.ShellWord(p.Name) + " "
	ex.aside[ref] = fail.New(fail.ErrRefused, fail.BranchName, fmt.Sprintf("branch '%s' of '%s' has no place beside the branches of '%s'; this renames it there:\n%s && %s",
		b.name, ex.peer.Name, p.Name, push+prose.ShellWord(string(b.there)+":"+to), drop+prose.ShellWord(":"+from)))
	return true
}

// checkBranch checks the rest of what such a branch brings, compares it, and reports whether it brings anything. One that is refused is set aside.
func (ex *exchanger) checkBranch(ctx context.Context, b *otherBranch) (bool, error) {
	ref := git.BranchRef(b.name)
	err := store.CheckBranchName(b.name)
	var refused *fail.Error
	if err == nil && b.work != "" {
		bad := incoming.CheckWork(ctx, ex.s, git.Ref{Name: ex.peer.Tracking.Of(git.WorkRef(b.name)), ID: b.work})
		if expunge.IsUnsound(bad) { // it harms only itself
			ex.warn("left alone: " + bad.Error())
			b.work = ""
		} else {
			err = bad
		}
	}
	if err == nil { // what would be refused here is not passed on either
		err = ex.refuseUnverified(ctx, b.name, b.there)
	}
	if errors.As(err, &refused) && slices.Contains([]string{fail.IncomingInvalid, fail.BranchName, fail.NotVerified}, refused.Code) {
		ex.aside[ref] = err
		return false, nil
	}
	if err != nil || b.named == "" {
		return err == nil, err
	}
	how, bases, err := ex.relation(ctx, ref, b.named, b.there)
	if how == replica.Diverged {
		b.bases = bases
	}
	return how != replica.Ahead, err
}

// validBelow returns the newest valid commit below a refused branch that is not here, or one that unites several; "" if there is none. What it
// cannot tell, or unite, stays there. named is what the names in use have.
func (ex *exchanger) validBelow(ctx context.Context, r git.Ref, named git.ID, ours *remote.RefSet) (to git.ID, err error) {
	sound, err := ex.soundBelow(ctx, r, incoming.RoleBranch, ours)
	if err == nil && len(sound.Tips) > 0 {
		ex.other.below[r.Name] = true
		to, err = ex.unite(ctx, r.Name, sound.Tips, ours, named)
	}
	if ctx.Err() != nil {
		return "", ctx.Err()
	}
	if err != nil || to == "" && len(sound.Tips) > 0 {
		ex.other.back[r] = ""
		return "", nil
	}
	return to, nil
}

// unite returns a commit that unites valid ones of a ref: the first of known that leads to all of them, so that not each exchange makes another one, or
// else a new one; "" if they cannot be united.
func (ex *exchanger) unite(ctx context.Context, ref string, tips []git.ID, ours *remote.RefSet, known ...git.ID) (to git.ID, err error) {
	for _, id := range known {
		if id == "" {
			continue
		}
		if has, err := ex.hasAll(ctx, id, tips); err != nil || has {
			return id, err
		}
	}
	to = tips[0]
	for _, id := range tips[1:] {
		if to, err = ex.uniteOne(ctx, ref, to, id, ours); err != nil || to == "" {
			return "", err
		}
	}
	return to, nil
}

// withBranches adds to a plan the branches that only have to be brought under the names in use. A conflict
// waits until the branch is here.
func (ex *exchanger) withBranches(ctx context.Context, ses *store.Transaction, plan []*refAction, roadmap git.ID) ([]*refAction, error) {
	if !ex.push || ex.aside[git.RoadmapRef] != nil { // what the remote has expunged is not known then, see holdReturning
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
					b.name, ex.peer.Name, b.name, remote.SyncCommand(prose.ShellWord(ex.peer.Name))))
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
