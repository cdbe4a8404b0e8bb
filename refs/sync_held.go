package refs

import "context"

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
	lock, err := s.repo.Lock(ctx, p.lockName())
	if err != nil {
		return res, err
	}
	defer lock.Unlock()
	var done SyncResult
	y := &syncing{s: s, peer: p, res: &done, o: SyncOptions{Writer: w}, merge: true}
	if err := y.prepare(ctx); err != nil {
		return res, err
	}
	y.current, y.held = h.Target, h
	ours, theirs, err := s.survey(ctx, p)
	if err != nil {
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
	if tip, tipErr := s.Tip(ctx, h.Target); tipErr == nil {
		res.Commit = &tip.commit.ID
	}
	return res, err
}
