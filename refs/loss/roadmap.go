package loss

import (
	"context"
	"slices"

	"github.com/git-context/git-context/refs/doc"
	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/prose"
	"github.com/git-context/git-context/refs/store"
)

// Roadmap is what the commits of the roadmap lack of their parents and its tip lacks still.
type Roadmap struct {
	Causes []Cause // parents before their children

	parts []doc.Part
	from  []git.ID // commits that have them
}

// Empty reports whether nothing is lost.
func (l *Roadmap) Empty() bool { return len(l.parts) == 0 }

// What counts what is lost, for a message.
func (l *Roadmap) What() string { return partsText(len(l.parts)) }

func partsText(n int) string { return prose.Count(n, "item") + " of the roadmap" }

// OfRoadmap finds what the commits of the roadmap lost: items and sections that a commit lacks of a
// parent without a record. A merge may lack what another parent removed. What the tip has again is
// not lost, nor is what a later commit removed.
func OfRoadmap(ctx context.Context, s *store.Store, r Range) (*Roadmap, error) {
	f := newFinder(s, r)
	l := &Roadmap{}
	list, err := f.order(ctx, func(context.Context, git.ID) (bool, error) { return true, nil })
	if err != nil {
		return nil, err
	}
	removed := map[doc.Part]bool{} // by a later commit
	known := map[doc.Part]bool{}
	for _, id := range list {
		for _, p := range r.News[id].Parents {
			parts, err := f.parts(ctx, id, p, removed)
			if err != nil {
				return nil, err
			}
			if len(parts) == 0 {
				continue
			}
			cause, err := f.cause(ctx, id, p, []string{partsText(len(parts))})
			if err != nil {
				return nil, err
			}
			l.Causes = append(l.Causes, cause)
			for _, part := range parts {
				if !known[part] {
					known[part] = true
					l.parts = append(l.parts, part)
				}
			}
			l.from = append(l.from, p)
		}
	}
	slices.Reverse(l.Causes)
	if len(l.parts) == 0 {
		return l, nil
	}
	return l, l.dropPresent(ctx, s, r.Tip)
}

// parts returns what a commit of the roadmap lacks of a parent without a record. What it removed
// with one is added to removed.
func (f *finder) parts(ctx context.Context, id, parent git.ID, removed map[doc.Part]bool) ([]doc.Part, error) {
	now, before, err := f.mains(ctx, id, parent)
	if err != nil || before == nil || doc.OnlyAdds(string(before), string(now)) {
		return nil, err
	}
	parts := doc.ParseRoadmap(now).Lost(doc.ParseRoadmap(before))
	if len(parts) == 0 {
		return nil, nil
	}
	recorded, err := f.removed(ctx, id)
	if err != nil {
		return nil, err
	}
	if recorded[doc.RoadmapFile] {
		for _, part := range parts {
			removed[part] = true
		}
		return nil, nil
	}
	gone, err := f.partsBeside(ctx, id, parent)
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(parts, func(p doc.Part) bool {
		return gone[p] || removed[p] // the parent that lacks it must answer for it
	}), nil
}

// mains reads main.md of a commit and of its parent; nil for the parent's if both are the same, or
// if it is not here.
func (f *finder) mains(ctx context.Context, id, parent git.ID) (now, before []byte, err error) {
	var blobs [2]git.ID
	for i, commit := range []git.ID{id, parent} {
		tree, err := f.tree(ctx, commit)
		if err != nil {
			return nil, nil, err
		}
		root, err := f.list(ctx, tree)
		if err != nil {
			return nil, nil, err
		}
		blobs[i] = root[doc.RoadmapFile].ID
	}
	if blobs[1] == "" || blobs[0] == blobs[1] {
		return nil, nil, nil
	}
	if blobs[0] != "" {
		if now, err = f.s.Repo().Blob(ctx, blobs[0]); err != nil {
			return nil, nil, err
		}
	}
	before, err = f.s.Repo().Blob(ctx, blobs[1])
	return now, before, err
}

// partsBeside returns what the other parents of a merge removed of what they have in common with
// one parent.
func (f *finder) partsBeside(ctx context.Context, id, parent git.ID) (map[doc.Part]bool, error) {
	gone := map[doc.Part]bool{}
	for _, p := range f.News[id].Parents {
		if p == parent {
			continue
		}
		if len(f.bases) >= mostBases {
			return f.recordedParts(ctx)
		}
		bases, err := f.mergeBases(ctx, parent, p)
		if err != nil {
			return nil, err
		}
		for _, base := range bases {
			now, before, err := f.mains(ctx, p, base)
			if err != nil {
				return nil, err
			}
			if before == nil {
				continue
			}
			for _, part := range doc.ParseRoadmap(now).Lost(doc.ParseRoadmap(before)) {
				gone[part] = true
			}
		}
	}
	return gone, nil
}

// recordedParts returns what commits of the range removed with a record, see recorded.
func (f *finder) recordedParts(ctx context.Context) (map[doc.Part]bool, error) {
	if f.gone != nil {
		return f.gone, nil
	}
	gone := map[doc.Part]bool{}
	for id, n := range f.News {
		recorded, err := f.removed(ctx, id)
		if err != nil {
			return nil, err
		}
		if !recorded[doc.RoadmapFile] {
			continue
		}
		for _, p := range n.Parents {
			now, before, err := f.mains(ctx, id, p)
			if err != nil {
				return nil, err
			}
			for _, part := range doc.ParseRoadmap(now).Lost(doc.ParseRoadmap(before)) {
				gone[part] = true
			}
		}
	}
	f.gone = gone
	return gone, nil
}

// dropPresent leaves out what the tip has.
func (l *Roadmap) dropPresent(ctx context.Context, s *store.Store, tip git.ID) error {
	data, err := s.RoadmapAt(ctx, tip)
	if err != nil {
		return err
	}
	now := doc.ParseRoadmap(data)
	lost := map[doc.Part]bool{}
	for _, id := range l.from {
		was, err := s.RoadmapAt(ctx, id)
		if err != nil {
			return err
		}
		for _, p := range now.Lost(doc.ParseRoadmap(was)) {
			lost[p] = true
		}
	}
	l.parts = slices.DeleteFunc(l.parts, func(p doc.Part) bool { return !lost[p] })
	return nil
}

// Restore makes the commit of the roadmap that has again what is lost. It moves no ref.
func (l *Roadmap) Restore(ctx context.Context, tx *store.Transaction, tip git.ID) (*git.Commit, error) {
	data, err := tx.Store.RoadmapAt(ctx, tip)
	if err != nil {
		return nil, err
	}
	r, left := doc.ParseRoadmap(data), l.parts
	for _, id := range l.from { // the newest first
		was, err := tx.Store.RoadmapAt(ctx, id)
		if err != nil {
			return nil, err
		}
		left = r.Restore(left, doc.ParseRoadmap(was))
	}
	c, err := tx.Store.Repo().Commit(ctx, tip)
	if err != nil {
		return nil, err
	}
	tree := tx.Store.Repo().Edit(c.Tree)
	if err := tx.Put(ctx, tree, doc.RoadmapFile, r.Bytes()); err != nil {
		return nil, err
	}
	return tx.RoadmapCommit(ctx, tree, []git.ID{tip}, store.RoadmapRecord{Reason: "Restore " + l.What(), Restores: l.from[0]})
}
