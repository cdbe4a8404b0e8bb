package loss

import (
	"bytes"
	"context"
	"maps"
	"slices"

	"github.com/git-context/git-context/refs/expunge"
	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/store"
)

// claims reports, of a merge that has another content of an entry than its parent, whether this repository knows the parent's as the
// one of the entry's own branch, and whether it knows the other one so. Anybody can bring other words under the id of an entry into
// the branch that is looked at, and merge the two, so that the history does not tell which words were first. What counts, in this order:
//
//  1. a merge that was made here is a choice of somebody here: neither;
//  2. this repository wrote the entry with that content on another branch;
//  3. its own branch has the entry: neither, see finder.ours;
//  4. the history that it had before this exchange has that content.
func (f *finder) claims(ctx context.Context, k store.EntryKind, c *git.Commit, parent git.ID, e lostEntry) (old, now bool, err error) {
	made, err := f.madeHere(ctx)
	if err != nil || made[c.ID] != nil {
		return false, false, err
	}
	other := Key{e.key.ID, e.now}
	if old, err = f.wrote(ctx, k, e.blob, e.key); err != nil {
		return false, false, err
	}
	if now, err = f.wroteNow(ctx, k, c.ID, other); err != nil || old != now {
		return old, now, err
	}
	if ours, err := f.ours(ctx, k, e.key.ID); ours != nil || err != nil {
		return false, false, err
	}
	if old, err = f.had(ctx, k, []git.ID{parent}, e.key); err == nil {
		now, err = f.had(ctx, k, slices.DeleteFunc(slices.Clone(c.Parents), func(id git.ID) bool { return id == parent }), other)
	}
	return old, now, err
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
	here, err := f.s.Repo().CommitsHere(ctx, slices.Sorted(maps.Keys(written)))
	if err != nil {
		return nil, err
	}
	made := map[git.ID]*git.Commit{}
	err = f.s.Repo().ReadAll(ctx, slices.Sorted(maps.Keys(here)), func(o git.Object) error {
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
			if err := f.addCame(ctx, k, c, set); err != nil && !expunge.Purged(ctx, f.s, c.ID, err) {
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
