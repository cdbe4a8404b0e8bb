package store

import (
	"context"
	"fmt"
	"slices"

	"github.com/git-context/git-context/refs/fail"
	"github.com/git-context/git-context/refs/git"
)

// Continue finishes what waits on a branch, a merge or a sync that met conflicts, on the
// tips as they are now. A conflict that changed since it was resolved is open again.
func (s *Store) MergeContinue(ctx context.Context, w Writer, target string) (MergeResult, error) {
	target, err := s.orCurrent(ctx, target)
	if err != nil {
		return MergeResult{}, err
	}
	h, err := s.waitingMerge(ctx, target)
	if err != nil {
		return MergeResult{Branch: target}, err
	}
	if h.Merge == nil {
		return s.continueSync(ctx, w, h)
	}
	return s.continueMerge(ctx, w, h)
}

// continueSync finishes the refs that a sync left in conflict, from what the
// remote had when it was last asked. The next sync pushes them.
func (s *Store) continueSync(ctx context.Context, w Writer, h *heldMerge) (MergeResult, error) {
	res := MergeResult{Branch: h.Target, Merged: h.Remote, Conflicts: []Conflict{}}
	p, err := bundlePeer(h.Remote), error(nil)
	if !h.Bundle {
		p, err = s.remote(ctx, h.Remote)
	}
	if err != nil {
		return res, err
	}
	lock, err := s.LockPeer(ctx, p)
	if err != nil {
		return res, err
	}
	defer lock.Unlock()
	done := newSyncResult(p.Name)
	y := newSyncing(s, SyncOptions{Writer: w}, p, &done)
	y.merge = true
	if err := y.prepare(ctx); err != nil {
		return res, err
	}
	y.current, y.held = h.Target, h
	ours, theirs, err := s.survey(ctx, p)
	if err != nil {
		return res, err
	}
	if err := h.stillThere(&theirs); err != nil {
		return res, err
	}
	_, err = y.exchangeRefs(ctx, &ours, &theirs)
	if err == nil {
		err = y.outcome()
	}
	if err == nil && h.Bundle {
		err = s.forget(ctx, p)
	}
	res.Conflicts, res.Steps, res.Warnings = done.Conflicts, done.Steps, done.Warnings
	sortConflicts(res.Conflicts)
	res.UpToDate = err == nil && len(done.Merged) == 0
	if slices.Contains(done.Merged, git.BranchRef(h.Target)) {
		tip := ours.branches[h.Target]
		res.Commit = &tip
	}
	return res, err
}

// stillThere refuses to go on without what the conflicts are about: a prune took
// the tracking refs away, or another bundle's stand in their place. A remote that
// has gone on meanwhile is another matter: its news are merged too.
func (h *heldMerge) stillThere(theirs *survey) error {
	for ref, id := range h.Theirs {
		now := theirs.roadmap
		if name, ok := git.BranchName(ref); ok {
			now = theirs.branches[name]
		}
		if now == id || now != "" && !h.Bundle {
			continue
		}
		again := "git context sync " + h.Remote
		if h.Bundle {
			again = "git context unbundle " + h.Remote
		}
		return fail.New(fail.ErrStale, fail.MergeStale, fmt.Sprintf("what '%s' had of '%s' is not known here any more", h.Remote, displayRef(ref)),
			again, "git context merge --abort")
	}
	return nil
}
