package share

import (
	"context"
	"fmt"
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
		err = ex.outcome()
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
			fmt.Sprintf("the version of '%s' from '%s' that conflicted is not here any more", displayRef(ref), h.Remote),
			again, "git context merge --abort")
	}
	return nil
}
