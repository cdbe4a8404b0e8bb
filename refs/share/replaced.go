package share

import (
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/git-context/git-context/refs/doc"
	"github.com/git-context/git-context/refs/expunge"
	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/remote"
)

// noteTracked remembers what tracking refs had before a fetch moves them, until purgeReplaced has looked at it.
func (ex *exchanger) noteTracked(before *remote.RefSet) {
	if ex.tracked == nil {
		ex.tracked = map[git.Ref]bool{}
	}
	for _, r := range refsOf(before) {
		if r.ID != "" {
			ex.tracked[r] = true
		}
	}
}

// purgeReplaced deletes the old history that the fetch has replaced or pruned. A plain `git fetch` brings it into
// tracking refs again as long as the remote has it; once no ref leads to it, no exchange would find it. Where tracking
// refs only went forward this costs one listing of no commits, and where they did not move nothing.
func (ex *exchanger) purgeReplaced(ctx context.Context, e doc.Expunged, ours, theirs *remote.RefSet) error {
	moved := slices.DeleteFunc(slices.Collect(maps.Keys(ex.tracked)), func(r git.Ref) bool {
		return r.ID == expunge.RefID(theirs, r.Name) || r.ID == expunge.RefID(ours, r.Name)
	})
	if ex.tracked = nil; len(moved) == 0 {
		return nil
	}
	now := expunge.UniqueIDs(slices.DeleteFunc(refsOf(theirs), func(r git.Ref) bool { return r.ID == "" }))
	left, err := ex.s.Repo().Beyond(ctx, expunge.UniqueIDs(moved), now)
	if err != nil {
		return err
	}
	moved = slices.DeleteFunc(moved, func(r git.Ref) bool { _, work := git.WorkBranch(r.Name); return !left[r.ID] && !work })
	old, err := expunge.OldAmong(ctx, ex.s, e, moved, ours.Notes)
	if err != nil || len(old) == 0 {
		return err
	}
	return ex.purgeTracked(ctx, old)
}

// purgeTracked deletes old history that tracking refs had. A killed run is finished by readDirty.
func (ex *exchanger) purgeTracked(ctx context.Context, old []git.Ref) error {
	ex.dirty.Purge = append(ex.dirty.Purge, expunge.UniqueIDs(old)...)
	if err := expunge.WriteDirtyState(ex.s, ex.peer, ex.dirty); err != nil {
		return err
	}
	var logs []string
	for _, r := range old {
		logs = append(logs, ex.peer.Tracking.Of(r.Name))
	}
	if err := expunge.DropReflogs(ctx, ex.s, logs); err != nil {
		return err
	}
	kept, err := ex.deleteOld(ctx)
	for _, k := range kept {
		if !strings.HasPrefix(k.Name, git.KeptPrefix) { // until somebody answers
			ex.warn("what was expunged and fetched again cannot be deleted here: " + expunge.KeptReason(k))
		}
	}
	return err
}
