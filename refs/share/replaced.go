package share

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/git-context/git-context/refs/doc"
	"github.com/git-context/git-context/refs/expunge"
	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/remote"
)

// noteTracked remembers what tracking refs had before a fetch moves them, until purgeReplaced has looked at it. The first time it adds what they had
// when the last sync was done with them: a fetch without a merge, git's own too, may have moved them since.
func (ex *exchanger) noteTracked(ctx context.Context, before *remote.RefSet) error {
	if ex.tracked == nil {
		ex.tracked = map[git.Ref]bool{}
	}
	for _, r := range refsOf(before) {
		if r.ID != "" {
			ex.tracked[r] = true
		}
	}
	if !ex.merge || ex.seenNoted {
		return nil
	}
	ex.seenNoted = true
	var moved []git.Ref
	for name, id := range ex.seen.Branches {
		if before.Branches[name] != id {
			moved = append(moved, git.Ref{Name: git.BranchRef(name), ID: id})
		}
	}
	whole, err := expunge.Whole(ctx, ex.s, moved, idsOf(before))
	for _, r := range whole {
		ex.tracked[r] = true
	}
	return err
}

// noteSeen records what the other side has of the branches that are not here, once this exchange has kept, or purged, what that has replaced. What is
// said of those that are set aside stays.
func (ex *exchanger) noteSeen(ctx context.Context, ours, theirs *remote.RefSet) error {
	if !ex.merge || ex.rehearsal || ex.peer.Bundle {
		return nil
	}
	now := map[string]git.ID{}
	for name, id := range ex.seen.Branches {
		if ex.aside[git.BranchRef(name)] != nil {
			now[name] = id
		}
	}
	for name, id := range theirs.Branches {
		if ours.Branches[name] == "" {
			now[name] = id
		}
	}
	if err := ex.seen.Write(ctx, ex.s, ex.peer, now); err != nil {
		return err
	}
	ex.seen = remote.Seen{Branches: now}
	return nil
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

// replacedBranches returns the branches of the other side, by their tracking refs, as they were before this exchange fetched,
// where they led to what they lead to no more: what asks to forget something may come together with the branches without
// it, and then nothing else here has it. The same holds for what a remote has under its other names alone, which people remove, and for what other
// remotes had until a fetch without a merge.
func (ex *exchanger) replacedBranches(ctx context.Context) ([]git.Ref, error) {
	if ex.named != nil { // one fetch brought both
		return ex.named.replacedBranches(ctx)
	}
	list, err := ex.s.Repo().Refs(ctx, strings.TrimSuffix(git.RemotePrefix, "/"))
	if err != nil {
		return nil, err
	}
	now := map[git.Ref]bool{}
	for _, r := range list {
		now[r] = true
	}
	had, err := ex.besideBranches(ctx)
	if err != nil {
		return nil, err
	}
	moved, err := ex.movedElsewhere(ctx, now, expunge.UniqueIDs(list))
	if err != nil {
		return nil, err
	}
	had = append(had, moved...)
	for r := range ex.tracked {
		if _, isBranch := git.BranchName(r.Name); isBranch {
			had = append(had, git.Ref{Name: ex.peer.Tracking.Of(r.Name), ID: r.ID})
		}
	}
	had = slices.DeleteFunc(had, func(r git.Ref) bool { return now[r] })
	left, err := ex.s.Repo().Beyond(ctx, expunge.UniqueIDs(had), expunge.UniqueIDs(list))
	if err != nil {
		return nil, err
	}
	had = slices.DeleteFunc(had, func(r git.Ref) bool { return !left[r.ID] })
	bad, err := expunge.FindUnsound(ctx, ex.s, had, nil, nil)
	if err != nil {
		return nil, err
	}
	had = slices.DeleteFunc(had, func(r git.Ref) bool { return bad[r.Name] != nil })
	slices.SortFunc(had, func(a, b git.Ref) int { return cmp.Or(cmp.Compare(a.Name, b.Name), cmp.Compare(a.ID, b.ID)) })
	return had, nil
}

// besideBranches returns the branches under the other names of remotes, by the tracking refs that they would have under the names in use.
func (ex *exchanger) besideBranches(ctx context.Context) (had []git.Ref, err error) {
	list, err := ex.s.Repo().Refs(ctx, strings.TrimSuffix(git.OtherPrefix, "/"))
	for _, r := range list {
		name, rest, ok := git.OtherRef(r.Name)
		if _, isBranch := git.BranchName(git.Root + rest); ok && isBranch {
			had = append(had, git.Ref{Name: git.RemoteTracking(name).Of(git.Root + rest), ID: r.ID})
		}
	}
	return had, err
}

// movedElsewhere returns what other remotes had after the last sync with them, by their tracking refs, where these are elsewhere now.
func (ex *exchanger) movedElsewhere(ctx context.Context, now map[git.Ref]bool, tips []git.ID) (moved []git.Ref, err error) {
	names, err := ex.s.Repo().Remotes(ctx)
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		if name == ex.peer.Name {
			continue
		}
		seen, err := remote.ReadSeen(ctx, ex.s, remote.Remote{Name: name})
		if err != nil {
			return nil, err
		}
		for branch, id := range seen.Branches {
			if at := (git.Ref{Name: git.RemoteTracking(name).Of(git.BranchRef(branch)), ID: id}); !now[at] {
				moved = append(moved, at)
			}
		}
	}
	return expunge.Whole(ctx, ex.s, moved, tips)
}
