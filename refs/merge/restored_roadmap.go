package merge

import (
	"context"
	"slices"

	"github.com/git-context/git-context/refs/doc"
	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/store"
)

// RestoredRoadmap returns a base of two commits of the roadmap with the parts that came back on either side and count as a part
// of it, and those parts.
func RestoredRoadmap(ctx context.Context, s *store.Store, ours, theirs git.ID, base []byte) ([]byte, []doc.Part, error) {
	r, err := findRestorations(ctx, s, ours, theirs, doc.RoadmapFile)
	if err != nil || r.none() {
		return base, nil, err
	}
	b := partsBack{s: s, r: r, healed: doc.ParseRoadmap(base)}
	b.read = reader[*doc.Roadmap]{s: s, parse: func(data []byte) (*doc.Roadmap, error) { return doc.ParseRoadmap(data), nil }}
	for side, id := range r.tips {
		data, err := s.RoadmapAt(ctx, id)
		if err != nil {
			return nil, nil, err
		}
		b.added[side] = map[doc.Part]bool{}
		for _, part := range b.healed.Lost(doc.ParseRoadmap(data)) {
			b.added[side][part] = true
		}
	}
	for side := range r.of {
		if err := b.side(ctx, side); err != nil {
			return nil, nil, err
		}
	}
	if len(b.all) == 0 {
		return base, nil, nil
	}
	return b.healed.Bytes(), b.all, nil
}

// partsBack is one RestoredRoadmap.
type partsBack struct {
	s      *store.Store
	r      restorations
	read   reader[*doc.Roadmap]
	healed *doc.Roadmap
	added  [2]map[doc.Part]bool // what each tip has and the base lacks
	all    []doc.Part
}

// side adds what commits of one side have and their parents have not.
func (b *partsBack) side(ctx context.Context, side int) error {
	if len(b.added[0])+len(b.added[1]) == 0 {
		return nil
	}
	list, err := changes(ctx, b.s, b.r.of[side], func(change) bool { return true }, doc.RoadmapFile)
	if err != nil {
		return err
	}
	if list, err = affordable(ctx, b.s, list, mostRestored); err != nil {
		return err
	}
	var removed map[doc.Part][]*doc.Roadmap // nil: not looked for yet
	for _, c := range list {
		now, before, err := b.read.both(ctx, c)
		if err != nil {
			return err
		}
		var parts []doc.Part
		for _, part := range before.Lost(now) {
			if !b.added[0][part] && !b.added[1][part] {
				continue
			}
			if !b.added[1-side][part] && removed == nil {
				if removed, err = b.removed(ctx, 1-side); err != nil {
					return err
				}
			}
			if b.added[1-side][part] || slices.ContainsFunc(removed[part], func(r *doc.Roadmap) bool { return r.SameText(part, now) }) {
				parts = append(parts, part)
				delete(b.added[0], part)
				delete(b.added[1], part)
			}
		}
		b.healed.Restore(parts, now)
		b.all = append(b.all, parts...)
	}
	return nil
}

// removed lists what commits of one side have removed from the roadmap with a record, which does not name it, and the other
// side does not know, with versions that the side had of it.
func (b *partsBack) removed(ctx context.Context, side int) (map[doc.Part][]*doc.Roadmap, error) {
	ids, err := recording(ctx, b.s, string(b.r.tips[1-side])+".."+string(b.r.tips[side]), doc.RoadmapFile)
	if err != nil {
		return nil, err
	}
	removed := map[doc.Part][]*doc.Roadmap{}
	for i, commits := range [][]git.ID{ids, b.r.of[side]} {
		list, err := changes(ctx, b.s, commits, func(change) bool { return true }, doc.RoadmapFile)
		if err != nil {
			return nil, err
		}
		if list, err = affordable(ctx, b.s, list, mostRestored); err != nil {
			return nil, err
		}
		for _, c := range list {
			now, before, err := b.read.both(ctx, c)
			if err != nil {
				return nil, err
			}
			if i == 0 {
				for _, part := range now.Lost(before) {
					removed[part] = append(removed[part], before)
				}
				continue
			}
			for _, part := range before.Lost(now) {
				if removed[part] != nil {
					removed[part] = append(removed[part], now)
				}
			}
		}
	}
	return removed, nil
}
