package share

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/git-context/git-context/refs/fail"
	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/merge"
	"github.com/git-context/git-context/refs/remote"
	"github.com/git-context/git-context/refs/store"
)

// Continue finishes a merge, or a sync with conflicts, that waits on a branch, from the present
// tips. A conflict that changed since it was resolved is open again: fail.ErrConflict.
func Continue(ctx context.Context, s *store.Store, w store.Writer, target string) (merge.Result, error) {
	target, err := merge.OrCurrent(ctx, s, target)
	if err != nil {
		return merge.Result{}, err
	}
	h, err := merge.WaitingMerge(ctx, s, target)
	if err != nil {
		return merge.Result{Branch: target}, err
	}
	if h.Merge == nil {
		return continueSync(ctx, s, w, h)
	}
	return merge.ContinueMerge(ctx, s, w, h)
}

// continueSync finishes the refs that a sync left in conflict, from what the remote had when it
// was last asked. The next sync pushes them.
func continueSync(ctx context.Context, s *store.Store, w store.Writer, h *store.WaitingMerge) (merge.Result, error) {
	res := merge.Result{Branch: h.Target, Merged: h.Remote, Conflicts: []store.Conflict{}}
	p, err := bundlePeer(h.Remote), error(nil)
	if !h.Bundle {
		p, err = remote.Find(ctx, s, h.Remote)
	}
	if err != nil {
		return res, err
	}
	lock, err := remote.Lock(ctx, s, p)
	if err != nil {
		return res, err
	}
	defer lock.Unlock()
	done := newResult(p.Name)
	ex := newExchanger(s, Options{Writer: w}, p, &done)
	ex.merge = true
	if err := ex.prepare(ctx); err != nil {
		return res, err
	}
	ex.current, ex.waiting = h.Target, h
	if _, err := ex.takeOther(ctx); err != nil {
		return res, err
	}
	ours, theirs, err := remote.Survey(ctx, s, p)
	if err != nil {
		return res, err
	}
	if err := stillThere(h, &theirs); err != nil {
		return res, err
	}
	if err := ex.checkSignatures(ctx, &ours, &theirs); err != nil {
		return res, err
	}
	if err := ex.askBefore(ctx, &ours, &theirs); err != nil {
		return res, err
	}
	_, err = ex.exchangeRefs(ctx, &ours, &theirs)
	if err == nil {
		err = ex.outcome(ctx)
	}
	if err == nil && h.Bundle {
		err = dropBundleRefs(ctx, s, p)
	}
	res.Conflicts, res.Steps, res.Warnings = done.Conflicts, done.Steps, done.Warnings
	merge.SortConflicts(res.Conflicts)
	res.UpToDate = err == nil && len(done.Merged) == 0
	if slices.Contains(done.Merged, git.BranchRef(h.Target)) {
		tip := ours.Branches[h.Target]
		res.Commit = &tip
	}
	return res, err
}

// stillThere refuses to continue if the other side's commits of the conflicts are unknown: a
// prune removed the tracking refs, or another bundle replaced them. If a remote has moved on,
// its new commits are merged too.
func stillThere(h *store.WaitingMerge, theirs *remote.RefSet) error {
	for ref, id := range h.Theirs {
		now := theirs.Roadmap
		if name, ok := git.BranchName(ref); ok {
			now = theirs.Branches[name]
		}
		if now == id || now != "" && !h.Bundle {
			continue
		}
		again := "git context sync " + h.Remote
		if h.Bundle {
			again = "git context unbundle " + h.Remote
		}
		return fail.New(fail.ErrStale, fail.MergeStale,
			fmt.Sprintf("the version of '%s' from '%s' that conflicted is not here any more", git.DisplayName(ref), h.Remote),
			again, "git context merge --abort")
	}
	return nil
}

// keepConflicts stores open conflicts where Resolve finds them, before anything moves. Those with the other names of the
// remote wait until there are none with the names in use.
func (ex *exchanger) keepConflicts(ctx context.Context) error {
	if len(ex.open) == 0 && len(ex.other.open) > 0 {
		ex.open, ex.openAt = ex.other.open, ex.other.openAt
		ex.res.Conflicts = append(ex.res.Conflicts, ex.other.conflicts...)
	}
	if len(ex.open) == 0 {
		return nil
	}
	waiting, lock, err := ex.lockWaiting(ctx)
	if err != nil {
		return err
	}
	defer lock.Unlock()
	if waiting != nil && (waiting.Merge != nil || waiting.Remote != ex.peer.Name) {
		ex.blocked = fail.New(fail.ErrConflict, fail.MergeWaiting,
			fmt.Sprintf("the merge of '%s' into '%s' is not finished; finish or abort it before the conflicts with '%s'",
				waiting.Source(), ex.current, ex.peer.Name), "git context merge --status",
			"git context merge --continue", "git context merge --abort")
		return nil
	}
	// The refs without open conflicts have not moved yet: their answers stay until they have.
	return ex.hold(waiting, func(ref string) bool { return ex.openAt[ref] == "" })
}

// dropWaiting drops a former sync's conflicts of the refs that are done. Another merge may wait by now, which stays.
func (ex *exchanger) dropWaiting(ctx context.Context) error {
	if ex.waiting == nil {
		return nil
	}
	waiting, lock, err := ex.lockWaiting(ctx)
	if err != nil {
		return err
	}
	defer lock.Unlock()
	if waiting == nil || waiting.Merge != nil || waiting.Remote != ex.peer.Name {
		return nil
	}
	waiting.MarkUsed(ex.waiting)
	return ex.hold(waiting, ex.uncompared)
}

// lockWaiting reads what waits on the branch that keeps conflicts, while nobody else changes it.
func (ex *exchanger) lockWaiting(ctx context.Context) (*store.WaitingMerge, *git.Lock, error) {
	lock, err := ex.s.Repo().Lock(ctx, store.BranchLock(ex.current))
	if err != nil {
		return nil, nil, err
	}
	waiting, err := ex.s.ReadMerge(ex.current)
	if err != nil {
		lock.Unlock()
		return nil, nil, err
	}
	return waiting, lock, nil
}

// hold stores the open conflicts, and of those that waited before the ones of refs that stay, with their answers.
func (ex *exchanger) hold(before *store.WaitingMerge, stays func(ref string) bool) error {
	h := &store.WaitingMerge{Target: ex.current, Remote: ex.peer.Name, Bundle: ex.peer.Bundle, Theirs: maps.Clone(ex.openAt)}
	list := slices.Clone(ex.open)
	if before != nil {
		for _, c := range before.Conflicts {
			ref := before.RefOf(c.Path)
			if stays(ref) && !slices.ContainsFunc(ex.open, func(o store.Conflict) bool { return o.Path == c.Path }) {
				list = append(list, c.Conflict)
				h.Theirs[ref] = before.Theirs[ref]
			}
		}
	}
	switch {
	case len(list) == 0:
		return ex.s.FinishMerge(ex.current, before)
	case before != nil && len(ex.open) == 0 && len(list) == len(before.Conflicts):
		return nil // as it was
	}
	return merge.HoldMerge(ex.s, h, before, list)
}

// uncompared reports whether this exchange did not compare a ref to its end, so that it may still have the conflicts that it
// had: the ref is set aside, was deleted on the other side, or was not asked for.
func (ex *exchanger) uncompared(ref string) bool {
	branch, isBranch := git.BranchName(ref)
	return ex.aside[ref] != nil || ex.other.aside[ref] || ex.other.openAt[ref] != "" ||
		isBranch && (!ex.wants(branch) || slices.Contains(ex.deleted, branch))
}
