package loss

import (
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/git-context/git-context/refs/doc"
	"github.com/git-context/git-context/refs/expunge"
	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/prose"
	"github.com/git-context/git-context/refs/store"
)

// Roadmap is what the commits of the roadmap lack of their parents and its tip lacks still.
type Roadmap struct {
	Causes []Cause  // parents before their children
	Sound  []git.ID // see [Branch]

	Tombstones doc.Expunged // that Restore puts into its commit, too

	owed map[doc.Part]git.ID // with the main.md that has it
	from git.ID              // a commit that has some of it

	unclear error // refuses the roadmap, see ledger.total
}

// Empty reports whether nothing is lost.
func (l *Roadmap) Empty() bool {
	return l.unclear == nil && len(l.owed) == 0 && l.Tombstones.Empty()
}

// Unclear reports whether it is not clear what to restore, see [Range.Judge].
func (l *Roadmap) Unclear() bool { return l.unclear != nil }

// What counts what is lost, for a message.
func (l *Roadmap) What() string {
	if len(l.owed) == 0 && !l.Tombstones.Empty() {
		return "what is expunged"
	}
	return partsText(slices.Collect(maps.Keys(l.owed)))
}

// partsText counts parts. An item that is lost with its outcome is one.
func partsText(parts []doc.Part) string {
	whole := map[doc.Part]bool{} // by the part that an outcome belongs to
	for _, p := range parts {
		of := doc.Part{Section: p.Section, Text: p.Text}
		whole[of] = whole[of] || !p.Outcome
	}
	outcomes := 0
	for _, item := range whole {
		if !item {
			outcomes++
		}
	}
	var what []string
	if n := len(whole) - outcomes; n > 0 {
		what = append(what, prose.Count(n, "item"))
	}
	if outcomes > 0 {
		what = append(what, prose.Count(outcomes, "outcome"))
	}
	return strings.Join(what, " and ") + " of the roadmap"
}

// OfRoadmap finds what the commits of the roadmap lost: items, their outcomes and sections that a commit lacks of a
// parent without a record. A merge may lack what another parent removed. What the tip has again is
// not lost, nor is what a later commit removed.
func OfRoadmap(ctx context.Context, s *store.Store, r Range) (*Roadmap, error) {
	f := newFinder(s, r)
	list, err := f.order(ctx, func(context.Context, git.ID) (bool, error) { return true, nil })
	if err != nil {
		return nil, err
	}
	slices.Reverse(list)
	l := &Roadmap{}
	parts, err := follow(ctx, f, partKind{f}, list)
	if err != nil {
		return nil, err
	}
	for _, id := range list {
		for _, p := range r.News[id].Parents {
			lost := parts.lost[[2]git.ID{id, p}]
			if len(lost) == 0 {
				continue
			}
			cause, err := f.cause(ctx, id, p, []string{partsText(lost)})
			if err != nil {
				return nil, err
			}
			l.Causes = append(l.Causes, cause)
			l.from = p
		}
	}
	l.owed, l.unclear, err = parts.total(ctx, r.Tip)
	if err != nil || l.Empty() {
		return l, err
	}
	l.Sound, err = f.sound(ctx, list, parts.owes, map[git.ID]bool{})
	return l, err
}

// partKind are the items, their outcomes and the sections of the roadmap. Their document is main.md.
type partKind struct{ f *finder }

func (k partKind) document(ctx context.Context, commit git.ID) (git.ID, error) {
	tree, err := k.f.tree(ctx, commit)
	if err != nil {
		return "", err
	}
	root, err := k.f.list(ctx, tree)
	return root[doc.RoadmapFile].ID, err
}

// read reads a main.md; "" is an empty one.
func (k partKind) read(ctx context.Context, main git.ID) ([]byte, error) {
	if main == "" {
		return nil, nil
	}
	return k.f.s.Repo().Blob(ctx, main)
}

func (k partKind) lost(ctx context.Context, now, before git.ID, _ bool) ([]doc.Part, error) {
	have, err := k.read(ctx, now)
	if err != nil {
		return nil, err
	}
	had, err := k.read(ctx, before)
	if err != nil || doc.OnlyAdds(string(had), string(have)) {
		return nil, err
	}
	return doc.ParseRoadmap(have).Lost(doc.ParseRoadmap(had)), nil
}

// has reports whether a main.md has a part. It lists the parts of the last few once.
func (k partKind) has(ctx context.Context, main git.ID, part doc.Part) (bool, error) {
	all := k.f.parts[main]
	if all == nil {
		data, err := k.read(ctx, main)
		if err != nil {
			return false, err
		}
		all = map[doc.Part]bool{}
		for _, p := range doc.ParseRoadmap(nil).Lost(doc.ParseRoadmap(data)) {
			all[p] = true
		}
		if len(k.f.parts) >= keptRoadmaps {
			clear(k.f.parts)
		}
		k.f.parts[main] = all
	}
	return all[part], nil
}

// keptPairs is for how many pairs of main.md a search keeps which sections and outcomes are the same: those that one merge may ask for.
const keptPairs = 16

// keptRoadmaps is of how many main.md a search keeps the parts; each may have megabytes.
const keptRoadmaps = 2

// same reports whether two main.md have a section with the same text, or an item with the same outcome. An item itself is its
// text. Two versions are compared once, as in ledger.missing.
func (k partKind) same(ctx context.Context, a, b git.ID, part doc.Part) (bool, error) {
	if part.Text != "" && !part.Outcome {
		return true, nil
	}
	at := [2]git.ID{min(a, b), max(a, b)}
	if same, known := k.f.same[at]; known {
		return same[part], nil
	}
	var of [2]*doc.Roadmap
	for i, main := range at {
		data, err := k.read(ctx, main)
		if err != nil {
			return false, err
		}
		of[i] = doc.ParseRoadmap(data)
	}
	if len(k.f.same) >= keptPairs {
		clear(k.f.same)
	}
	k.f.same[at] = of[0].Same(of[1])
	return k.f.same[at][part], nil
}

// removal takes a record for one of all that its commit lacks. Before an outcome was a part, only the subject said that an item
// is open again.
func (k partKind) removal(ctx context.Context, commit git.ID, _ bool) (func(doc.Part) bool, error) {
	names, err := k.f.removed(ctx, commit)
	if err != nil || names[doc.RoadmapFile] {
		return func(doc.Part) bool { return true }, err
	}
	c, err := k.f.s.Repo().Commit(ctx, commit)
	if err != nil {
		return nil, err
	}
	for _, subject := range []string{"todo undo: ", "milestone undo: "} {
		if strings.HasPrefix(c.Subject(), subject) {
			return func(p doc.Part) bool { return p.Outcome }, nil
		}
	}
	return nil, nil
}

// Restore makes the commit of the roadmap that has again what is lost. It moves no ref.
func (l *Roadmap) Restore(ctx context.Context, tx *store.Transaction, tip git.ID) (*git.Commit, error) {
	if l.unclear != nil {
		return nil, l.unclear
	}
	data, err := tx.Store.RoadmapAt(ctx, tip)
	if err != nil {
		return nil, err
	}
	now, r := doc.ParseRoadmap(data), doc.ParseRoadmap(data)
	for _, main := range sources(l.owed) {
		text, err := tx.Store.Repo().Blob(ctx, main)
		if err != nil {
			return nil, err
		}
		was := doc.ParseRoadmap(text)
		lost := slices.DeleteFunc(now.Lost(was), func(p doc.Part) bool { return l.owed[p] != main })
		r.Restore(lost, was)
	}
	c, err := tx.Store.Repo().Commit(ctx, tip)
	if err != nil {
		return nil, err
	}
	tree := tx.Store.Repo().Edit(c.Tree)
	if err := tx.Put(ctx, tree, doc.RoadmapFile, r.Bytes()); err != nil {
		return nil, err
	}
	if !l.Tombstones.Empty() {
		has, err := expunge.TombstonesIn(ctx, tx.Store, tree)
		if err != nil {
			return nil, err
		}
		if err := expunge.PutTombstones(ctx, tx, tree, has.Union(l.Tombstones)); err != nil {
			return nil, err
		}
	}
	return tx.RoadmapCommit(ctx, tree, []git.ID{tip}, store.RoadmapRecord{Reason: "Restore " + l.What(), Restores: l.from})
}
