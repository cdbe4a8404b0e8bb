package loss

import (
	"bytes"
	"context"
	"errors"
	"maps"
	"slices"

	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/store"
)

// claim is what this repository knows of the contents of an entry.
type claim int

const (
	claimNone claim = iota
	claimOld        // it has had the content that the merge lacks, and not the other one
	claimNew        // likewise the other way round
)

// claimed reports which content of an entry this repository knows as that of the entry's own branch, where a merge has two of them.
// Anybody can bring other words under its id into the branch that is looked at, and merge the two: which content the histories
// began with then proves nothing. What proves something, in this order:
//
//  1. the merge was made here: somebody has chosen;
//  2. this repository wrote the entry with one content, on another branch;
//  3. its branch has the entry, see finder.ours;
//  4. the history that it had before this exchange has one content only.
func (f *finder) claimed(ctx context.Context, k store.EntryKind, c *git.Commit, parent git.ID, e lostEntry) (claim, error) {
	made, err := f.madeHere(ctx)
	if err != nil || made[c.ID] != nil {
		return claimNone, err
	}
	other := Key{e.key.ID, e.now}
	old, err := f.wrote(ctx, k, e.blob, e.key)
	if err != nil {
		return claimNone, err
	}
	now, err := f.wroteNow(ctx, k, c.ID, other)
	if err != nil || old != now {
		return claimOf(old, now), err
	}
	if ours, err := f.ours(ctx, k, e.key.ID); ours != nil || err != nil {
		return claimNone, err
	}
	if old, err = f.had(ctx, k, []git.ID{parent}, e.key); err == nil {
		now, err = f.had(ctx, k, slices.DeleteFunc(slices.Clone(c.Parents), func(id git.ID) bool { return id == parent }), other)
	}
	return claimOf(old, now), err
}

func claimOf(old, now bool) claim {
	switch {
	case old == now:
		return claimNone
	case old:
		return claimOld
	}
	return claimNew
}

// madeHere returns the commits of branches that this repository made. Those that are not here were purged, or never got a ref.
func (f *finder) madeHere(ctx context.Context) (map[git.ID]*git.Commit, error) {
	if f.made != nil {
		return f.made, nil
	}
	written, err := f.s.Written(ctx)
	if err != nil {
		return nil, err
	}
	infos, err := f.s.Repo().Infos(ctx, slices.Sorted(maps.Keys(written)))
	if err != nil {
		return nil, err
	}
	var here []git.ID
	for _, info := range infos {
		if info.Type == "commit" {
			here = append(here, info.ID)
		}
	}
	made := map[git.ID]*git.Commit{}
	err = f.s.Repo().ReadAll(ctx, here, func(o git.Object) error {
		c, err := git.ParseCommit(o.ID, o.Data)
		if err == nil && store.BranchOf(c) != "" { // else notes, which judge entries of others, and the roadmap
			made[c.ID] = c
		}
		return err
	})
	if err == nil {
		f.made = made
	}
	return made, err
}

// wrote reports whether a commit that was made here on another branch, the entry's own, brought an entry with that content.
func (f *finder) wrote(ctx context.Context, k store.EntryKind, blob git.ID, key Key) (bool, error) {
	text, err := f.text(ctx, k, blob, key)
	if err != nil {
		return false, err
	}
	origin := string(text[:max(0, bytes.IndexByte(text, '\n'))])
	if origin == f.Branch || origin == "" {
		return false, nil
	}
	at := k.File + " " + origin
	if f.wrotes[at] == nil {
		made, err := f.madeHere(ctx)
		if err != nil {
			return false, err
		}
		set := map[Key]bool{}
		for _, c := range made {
			if store.BranchOf(c) != origin || c.Trailer(store.TrailerRestores) != "" {
				continue
			}
			// A commit that lost a race for its ref stays here, though an expunge may have purged a part of its tree.
			if err := f.addCame(ctx, k, c, set); err != nil && !errors.Is(err, git.ErrNotFound) {
				return false, err
			}
		}
		f.wrotes[at] = set
	}
	return f.wrotes[at][key], nil
}

// wroteNow is wrote for the content of an entry at a commit.
func (f *finder) wroteNow(ctx context.Context, k store.EntryKind, id git.ID, key Key) (bool, error) {
	tree, err := f.tree(ctx, id)
	if err != nil {
		return false, err
	}
	all, err := f.contents(ctx, k, tree)
	if err != nil || all[key] == "" {
		return false, err
	}
	return f.wrote(ctx, k, all[key], key)
}

// mostHad is how many commits the search for what was there before an exchange looks into.
const mostHad = 64

// had reports whether the newest commits that some commits come from, and that were here before this exchange, have an entry with
// that content.
func (f *finder) had(ctx context.Context, k store.EntryKind, tips []git.ID, key Key) (bool, error) {
	if f.Fresh == nil {
		return false, nil
	}
	at := k.File
	for _, id := range tips {
		at += " " + string(id)
	}
	if f.hads[at] == nil {
		set, err := f.hadBelow(ctx, k, tips)
		if err != nil {
			return false, err
		}
		if len(f.hads) >= keptTrees {
			clear(f.hads)
		}
		f.hads[at] = set
	}
	return f.hads[at][key], nil
}

// hadBelow returns all that those commits have.
func (f *finder) hadBelow(ctx context.Context, k store.EntryKind, tips []git.ID) (map[Key]bool, error) {
	if f.fresh == nil {
		f.fresh = f.Fresh()
	}
	set := map[Key]bool{}
	looked := 0
	seen := map[git.ID]bool{}
	for queue := slices.Clone(tips); len(queue) > 0 && looked < mostHad; queue = queue[1:] {
		id := queue[0]
		if seen[id] {
			continue
		}
		seen[id] = true
		if n := f.News[id]; n != nil && f.fresh[id] {
			queue = append(queue, n.Parents...)
			continue
		}
		looked++
		tree, err := f.tree(ctx, id)
		if err != nil {
			return nil, err
		}
		if tree == "" { // beyond the edge of a shallow clone
			continue
		}
		all, err := f.contents(ctx, k, tree)
		if err != nil {
			return nil, err
		}
		for key := range all {
			set[key] = true
		}
	}
	return set, nil
}
