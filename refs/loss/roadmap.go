package loss

import (
	"context"
	"maps"
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
	all := map[*doc.Part]bool{} // comparisons of two versions of which each part is known
	had := map[git.ID]bool{}    // versions of main.md that have parts
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
				if all[&parts[0]] {
					break
				}
				if !known[part] {
					known[part] = true
					l.parts = append(l.parts, part)
				}
			}
			all[&parts[0]] = true
			if err := l.noteSource(ctx, f, p, had); err != nil {
				return nil, err
			}
		}
	}
	slices.Reverse(l.Causes)
	if len(l.parts) == 0 {
		return l, nil
	}
	return l, l.dropPresent(ctx, s, r.Tip)
}

// noteSource remembers a commit that has what is lost: this repository's for what it has in its history.
func (l *Roadmap) noteSource(ctx context.Context, f *finder, id git.ID, had map[git.ID]bool) error {
	ours, err := f.isOurs(ctx, id)
	if err != nil {
		return err
	}
	if ours {
		id = f.Have
	}
	main, err := f.mainOf(ctx, id)
	if err == nil && !had[main] {
		had[main] = true
		l.from = append(l.from, id)
	}
	return err
}

// parts returns what a commit of the roadmap lacks of a parent without a record. What it removed
// with one is added to removed.
func (f *finder) parts(ctx context.Context, id, parent git.ID, removed map[doc.Part]bool) ([]doc.Part, error) {
	parts, err := f.lostParts(ctx, id, parent)
	if len(parts) == 0 || err != nil {
		return nil, err
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
	ours, err := f.isOurs(ctx, parent)
	if err != nil {
		return nil, err
	}
	if ours { // what was removed here since
		lacks, err := f.lostParts(ctx, f.Have, parent)
		if err != nil {
			return nil, err
		}
		gone = maps.Clone(gone)
		for _, part := range lacks {
			gone[part] = true
		}
	}
	if len(gone)+len(removed) == 0 {
		return parts, nil
	}
	return slices.DeleteFunc(slices.Clone(parts), func(p doc.Part) bool {
		return gone[p] || removed[p] // the parent that lacks it must answer for it
	}), nil
}

// mainOf returns the main.md of a commit; "" for none, or if it is not here.
func (f *finder) mainOf(ctx context.Context, id git.ID) (git.ID, error) {
	tree, err := f.tree(ctx, id)
	if err != nil {
		return "", err
	}
	root, err := f.list(ctx, tree)
	return root[doc.RoadmapFile].ID, err
}

// lostParts returns what main.md of one commit lacks of that of another one. Two versions are compared once: thousands of
// commits may go from one to the other and back.
func (f *finder) lostParts(ctx context.Context, id, other git.ID) ([]doc.Part, error) {
	to, err := f.mainOf(ctx, id)
	if err != nil {
		return nil, err
	}
	from, err := f.mainOf(ctx, other)
	if err != nil || from == "" || to == from {
		return nil, err
	}
	at := [2]git.ID{from, to}
	if parts, known := f.lost[at]; known {
		return parts, nil
	}
	var now []byte
	if to != "" {
		if now, err = f.s.Repo().Blob(ctx, to); err != nil {
			return nil, err
		}
	}
	before, err := f.s.Repo().Blob(ctx, from)
	if err != nil {
		return nil, err
	}
	var parts []doc.Part
	if !doc.OnlyAdds(string(before), string(now)) {
		parts = doc.ParseRoadmap(now).Lost(doc.ParseRoadmap(before))
	}
	f.lost[at] = parts
	return parts, nil
}

// partsBeside returns what the other parents of a merge removed of what they have in common with
// one parent. A section whose text that parent has changed is not among it, unless the removal has a record.
func (f *finder) partsBeside(ctx context.Context, id, parent git.ID) (map[doc.Part]bool, error) {
	gone := map[doc.Part]bool{}
	for _, p := range f.News[id].Parents {
		if p == parent {
			continue
		}
		if !f.mayAsk() {
			return f.recordedParts(ctx)
		}
		bases, err := f.mergeBases(ctx, parent, p)
		if err != nil {
			return nil, err
		}
		for _, base := range bases {
			parts, err := f.lostParts(ctx, p, base)
			if err != nil {
				return nil, err
			}
			same, err := f.sameSections(ctx, parts, parent, base)
			if err != nil {
				return nil, err
			}
			for _, part := range parts {
				if gone[part] = gone[part] || part.Text != "" || same[part.Section]; !gone[part] {
					recorded, err := f.recordedParts(ctx)
					if err != nil {
						return nil, err
					}
					gone[part] = recorded[part]
				}
			}
		}
	}
	return gone, nil
}

// sameSections returns which of the sections among some parts have the same text in two commits. Two versions are compared
// once, as in lostParts.
func (f *finder) sameSections(ctx context.Context, parts []doc.Part, a, b git.ID) (map[string]bool, error) {
	if !slices.ContainsFunc(parts, func(p doc.Part) bool { return p.Text == "" }) {
		return nil, nil
	}
	var at [2]git.ID
	var of [2]*doc.Roadmap
	for i, id := range []git.ID{a, b} {
		var err error
		if at[i], err = f.mainOf(ctx, id); err != nil {
			return nil, err
		}
	}
	if same, known := f.same[at]; known {
		return same, nil
	}
	for i, id := range []git.ID{a, b} {
		data, err := f.s.RoadmapAt(ctx, id)
		if err != nil {
			return nil, err
		}
		of[i] = doc.ParseRoadmap(data)
	}
	f.same[at] = of[0].Same(of[1])
	return f.same[at], nil
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
			parts, err := f.lostParts(ctx, id, p)
			if err != nil {
				return nil, err
			}
			for _, part := range parts {
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
