package merge

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/git-context/git-context/refs/doc"
	"github.com/git-context/git-context/refs/store"
)

// sides are the two sides of a merge and, where there is just one, its base.
type sides struct {
	ours, theirs, base *store.Tip
	totals, baseTotals doc.Totals // of ours and of the base
	replica, show      bool       // see TreeMerge
	prefer             string     // likewise
}

// mergeEntries unites the entries of both sides and writes the segments. An entry must be there once however it came to either
// side; how much has to be read for that depends on what the totals say:
//
//  1. ours contains all of the base's entries, and no later ones of the origins that
//     the source brings: what the source has beyond the base is new. This is a
//     branch that is merged back, the first time or again.
//  2. ours contains nothing at all of the origins that the source brings: everything
//     of the source is new. This is a branch that takes in the one it came from.
//  3. otherwise, and where ours does not tell its origins apart any more, both sides
//     are read whole.
//
// An entry that both have with two contents stays as ours has it, is refused, or is taken as the merge prefers it, see
// [refuseRewritten]. Replicas alone take the content that a union prefers,
// so that two that merge at once agree; what package loss defends is restored before.
func mergeEntries(ctx context.Context, tx *store.Transaction, k store.EntryKind, c *store.Draft, both sides) (mergedEntries, error) {
	ours, theirs, seg, err := entries(ctx, tx.Store, k, both)
	if err != nil {
		return mergedEntries{}, err
	}
	r := mergedEntries{theirs: theirs}
	r.Union, err = k.Union(ours, theirs)
	if err == nil && len(r.TwoContents) > 0 && !both.replica {
		if err := refuseRewritten(k, ours, theirs, r.TwoContents, both); err != nil {
			return r, err
		}
		r, err = settleContents(k, ours, theirs, r.TwoContents, both.prefer)
	}
	if err != nil {
		return r, fmt.Errorf("merge %s of '%s': %w", k.File, both.theirs.Name(), err)
	}
	return r, PutSegments(ctx, tx, c, seg, r.Union)
}

// mergedEntries is what mergeEntries made of the entries of one kind.
type mergedEntries struct {
	doc.Union
	theirs   doc.Entries                 // what was read of the source, and came
	replaced map[string]doc.OriginTotals // the entries of ours that are in the source's words, by the origin that they had
}

// entries reads what mergeEntries must unite.
func entries(ctx context.Context, s *store.Store, k store.EntryKind, both sides) (ours, theirs doc.Entries, seg *segments, err error) {
	if ours.Live, err = both.ours.OptionalDocument(ctx, k.File); err != nil {
		return
	}
	if theirs.Live, err = both.theirs.OptionalDocument(ctx, k.File); err != nil {
		return
	}
	_, folded := both.totals.Origins[doc.OtherOrigins]
	if both.base != nil && !folded && !both.show && both.holdBase() {
		var fresh doc.Entries
		var ok bool
		if fresh, seg, ok, err = beyondBase(ctx, s, k, both, theirs.Live); err != nil || ok {
			return ours, fresh, seg, err
		}
	}
	if seg, err = DiffSegments(ctx, s, k.Dir, both.ours, both.theirs, nil, false); err != nil {
		return
	}
	theirs.Segments = seg.theirs
	heads, err := headsOf(k, theirs)
	if err != nil {
		return
	}
	for _, h := range heads {
		if _, known := both.totals.Origins[h.Origin]; known || folded || both.show {
			seg, err = DiffSegments(ctx, s, k.Dir, both.ours, both.theirs, nil, true)
			if err == nil {
				ours.Segments, theirs.Segments = seg.Ours, seg.theirs
			}
			return
		}
	}
	return
}

// holdBase reports whether ours has at least as many entries of every origin as the base.
// Entries are never removed, so ours then has the base's own, unless it began anew at a birth
// since; beyondBase checks that too.
func (b sides) holdBase() bool {
	for origin, n := range b.baseTotals.Origins {
		have, known := b.totals.Origins[origin]
		if !known || have.Steps < n.Steps || have.Commits < n.Commits {
			return false
		}
	}
	return true
}

// beyondBase reads what the source has beyond the base. It reports false where
// some of that may are in ours too: where ours has later entries of the same
// origin, or where an entry older than the base turns up that its live file does
// not hold, or has with another content.
func beyondBase(ctx context.Context, s *store.Store, k store.EntryKind, both sides, live []byte) (doc.Entries, *segments, bool, error) {
	var fresh doc.Entries
	seg, err := DiffSegments(ctx, s, k.Dir, both.ours, both.theirs, both.base, false)
	if err != nil || len(seg.both) > 0 || !doc.ValidID(both.base.Commit().Trailer(store.TrailerNewest)) {
		return fresh, nil, false, err
	}
	baseLive, err := both.base.OptionalDocument(ctx, k.File)
	if err != nil {
		return fresh, nil, false, err
	}
	old, err := doc.EntryHeads(k.File, baseLive)
	if err != nil {
		return fresh, nil, false, err
	}
	if n := len(old); n > 0 {
		if ok, err := both.ours.ContainsEntry(ctx, k, old[n-1].ID); err != nil || !ok {
			return fresh, nil, false, err
		}
	} else if both.baseTotals.Steps > 0 {
		return fresh, nil, false, nil // sealed whole: nothing to recognise it by
	}
	if again, err := k.Union(doc.Entries{Live: baseLive}, doc.Entries{Live: live}); err != nil || len(again.TwoContents) > 0 {
		return fresh, nil, false, err // one was expunged, or is back
	}
	known := make(map[string]bool, len(old))
	for _, h := range old {
		known[h.ID] = true
	}
	newest := both.base.Commit().Trailer(store.TrailerNewest)
	heads, err := headsOf(k, doc.Entries{Live: live, Segments: seg.theirs})
	if err != nil {
		return fresh, nil, false, err
	}
	for _, h := range heads {
		if !known[h.ID] && (h.ID <= newest || both.totals.Origins[h.Origin] != both.baseTotals.Origins[h.Origin]) {
			return fresh, nil, false, nil
		}
	}
	if fresh, err = doc.RemoveEntries(k.File, doc.Entries{Live: live, Segments: seg.theirs}, known); err != nil {
		return fresh, nil, false, err
	}
	return fresh, seg, true, nil
}

// headsOf lists the entries of a side as far as it was read.
func headsOf(k store.EntryKind, e doc.Entries) ([]doc.EntryHead, error) {
	all, err := doc.EntryHeads(k.File, e.Live)
	for _, f := range e.Segments {
		if err != nil {
			break
		}
		var more []doc.EntryHead
		more, err = doc.EntryHeads(k.File, f.Data)
		all = append(all, more...)
	}
	return all, err
}

// PutSegments writes a union's segments into the change's tree; its live file is
// left to the caller.
func PutSegments(ctx context.Context, tx *store.Transaction, c *store.Draft, seg *segments, u doc.Union) error {
	for _, path := range u.Removed {
		if err := c.Tree.Remove(ctx, path); err != nil {
			return err
		}
	}
	given := map[string][]byte{}
	for _, f := range seg.theirs {
		given[f.Path] = f.Data
	}
	for _, f := range u.Segments {
		if data, ok := given[f.Path]; ok && bytes.Equal(data, f.Data) { // taken as it is
			if err := c.Tree.Put(ctx, f.Path, seg.ids[f.Path]); err != nil {
				return err
			}
			continue
		}
		if err := tx.Put(ctx, c.Tree, f.Path, f.Data); err != nil {
			return err
		}
	}
	return nil
}

// commitsOf returns the commits that the source brought, and counts them by origin, without
// births, which are entries of commit.md but not counted as commits.
func commitsOf(read doc.Entries, ids []string, added map[string]doc.OriginTotals) ([]doc.Commit, error) {
	files := [][]byte{read.Live}
	for _, f := range read.Segments {
		files = append(files, f.Data)
	}
	var brought []doc.Commit
	counted := map[string]bool{}
	for _, data := range files {
		ms, err := doc.ParseCommits(data)
		if err != nil {
			return nil, err
		}
		for _, m := range ms {
			if _, ok := slices.BinarySearch(ids, m.ID); !ok || counted[m.ID] {
				continue
			}
			counted[m.ID] = true
			t := added[m.Origin] // a birth makes the origin known, and counts nothing
			if m.Kind != doc.KindBirth {
				t.Commits++
				brought = append(brought, m)
			}
			added[m.Origin] = t
		}
	}
	slices.SortFunc(brought, func(a, b doc.Commit) int { return strings.Compare(a.ID, b.ID) })
	return brought, nil
}
