package loss

import (
	"cmp"
	"context"
	"hash/maphash"
	"maps"
	"slices"

	"github.com/git-context/git-context/refs/git"
)

// kind is a kind of thing that the commits of a ref have in one document: topics in their folder, keys in
// metadata.yaml, items and sections in main.md. A document is a blob or a tree; "" is one that a commit lacks.
type kind[T comparable] interface {
	// document returns the document of a commit.
	document(ctx context.Context, commit git.ID) (git.ID, error)
	// lost lists the things that a document lacks of another one. birth says that a branch begins with it.
	lost(ctx context.Context, now, before git.ID, birth bool) ([]T, error)
	// has reports whether there is something in the place of a thing.
	has(ctx context.Context, doc git.ID, thing T) (bool, error)
	// same reports whether two documents have a thing alike.
	same(ctx context.Context, a, b git.ID, thing T) (bool, error)
	// removal returns what the record of a commit removes; nil for nothing.
	removal(ctx context.Context, commit git.ID, birth bool) (func(T) bool, error)
}

// ledger follows the things of one kind through the commits of a range, parents before children. What a commit lacks of a
// parent without a record, it owes: it is as if the commit had it, so that a merge of that commit takes it for present, and
// unchanged if it was unchanged. So what a range lost does not depend on the order in which commits and parents are looked at,
// nor, where it is clear, on what this repository has.
type ledger[T comparable] struct {
	f *finder
	k kind[T]

	owed      map[git.ID]*debts[T]       // by commit; nil for nothing
	lost      map[[2]git.ID][]T          // what a commit, the first one, newly owes of a parent
	removed   map[T][]git.ID             // the commits that removed a thing with a record
	steps     map[step[T]]*debts[T]      // what such steps came to, if no record was in them
	known     map[uint64]*debts[T]       // by their sums
	losses    map[[2]git.ID]map[bool][]T // of lost, by the two documents and birth
	contested map[git.ID]bool            // merges in which newest looked at contents
	doubts    map[T]git.ID               // merges of which it is not clear what they lost, see unclear
	listed    map[git.ID]bool            // the list
	below     map[git.ID]bool            // commits that readBelow has seen
	cut       map[git.ID]bool            // commits that come from new ones which are not in the list
	looks     int                        // in how many cases newest compared contents
	visits    int                        // of things that merges lack, in their parents
	passed    map[git.ID]bool            // commits that merges passed over lead to, and these
	over      git.ID                     // the first of these merges
}

// debts are what a commit owes: for each thing the document that has it. They do not change once they are in a ledger.
type debts[T comparable] struct{ from map[T]git.ID }

func (d *debts[T]) of(thing T) (git.ID, bool) {
	if d == nil {
		return "", false
	}
	doc, owes := d.from[thing]
	return doc, owes
}

func (d *debts[T]) has(thing T) bool {
	_, owes := d.of(thing)
	return owes
}

func (d *debts[T]) len() int {
	if d == nil {
		return 0
	}
	return len(d.from)
}

// step is from the one parent of a commit to the commit, as far as one kind of thing is concerned.
type step[T comparable] struct {
	owed        *debts[T]
	before, now git.ID
	birth       bool
}

// follow makes the ledger of a list of commits, parents before children.
func follow[T comparable](ctx context.Context, f *finder, k kind[T], list []git.ID) (*ledger[T], error) {
	l := &ledger[T]{f: f, k: k, owed: map[git.ID]*debts[T]{}, lost: map[[2]git.ID][]T{}, removed: map[T][]git.ID{},
		steps: map[step[T]]*debts[T]{}, known: map[uint64]*debts[T]{}, losses: map[[2]git.ID]map[bool][]T{}, contested: map[git.ID]bool{},
		doubts: map[T]git.ID{}, cut: map[git.ID]bool{}, passed: map[git.ID]bool{},
		listed: make(map[git.ID]bool, len(list)), below: map[git.ID]bool{}}
	for _, id := range list {
		l.listed[id] = true
	}
	for _, id := range list {
		parents, err := l.parents(ctx, id)
		if err != nil {
			return nil, err
		}
		for _, p := range parents {
			l.passed[id] = l.passed[id] || l.passed[p.commit]
			l.cut[id] = l.cut[id] || l.cut[p.commit] || f.News[p.commit] != nil && !l.listed[p.commit]
		}
		switch {
		case len(parents) == 0:
		case l.alike(parents):
			err = l.single(ctx, id, parents[0])
		default:
			err = l.merge(ctx, id, parents)
		}
		if err != nil {
			return nil, err
		}
	}
	return l, nil
}

// side is a parent of a commit.
type side[T comparable] struct {
	commit, doc git.ID
	owed        *debts[T]
}

// parents lists the parents of a commit that are here, each once.
func (l *ledger[T]) parents(ctx context.Context, id git.ID) ([]side[T], error) {
	var list []side[T]
	for _, p := range l.f.News[id].Parents {
		if slices.ContainsFunc(list, func(s side[T]) bool { return s.commit == p }) {
			continue
		}
		tree, err := l.f.tree(ctx, p)
		if err != nil {
			return nil, err
		}
		if tree == "" {
			continue
		}
		doc, err := l.k.document(ctx, p)
		if err != nil {
			return nil, err
		}
		list = append(list, side[T]{p, doc, l.owed[p]})
	}
	return list, nil
}

// alike reports whether all parents have and owe the same.
func (l *ledger[T]) alike(parents []side[T]) bool {
	return !slices.ContainsFunc(parents, func(s side[T]) bool { return s.doc != parents[0].doc || s.owed != parents[0].owed })
}

// missing lists what a document lacks of another one. Two documents are compared once: thousands of commits may go from one
// to the other and back.
func (l *ledger[T]) missing(ctx context.Context, now, before git.ID, birth bool) ([]T, error) {
	if now == before || before == "" {
		return nil, nil
	}
	at := [2]git.ID{now, before}
	if list, known := l.losses[at][birth]; known {
		return list, nil
	}
	list, err := l.k.lost(ctx, now, before, birth)
	if err == nil && len(list) > 0 {
		if l.losses[at] == nil {
			l.losses[at] = map[bool][]T{}
		}
		l.losses[at][birth] = list
	}
	return list, err
}

// settled returns what a commit that owes something has again in a child.
func (l *ledger[T]) settled(ctx context.Context, now git.ID, p side[T]) (map[T]bool, error) {
	if p.owed == nil {
		return nil, nil
	}
	list, err := l.missing(ctx, p.doc, now, false)
	set := make(map[T]bool, len(list))
	for _, thing := range list {
		set[thing] = true
	}
	return set, err
}

// single records what a commit of one parent owes.
func (l *ledger[T]) single(ctx context.Context, id git.ID, p side[T]) error {
	now, err := l.k.document(ctx, id)
	if err != nil {
		return err
	}
	birth, err := l.f.isBirth(ctx, id)
	if err != nil {
		return err
	}
	lost, err := l.missing(ctx, now, p.doc, birth)
	if err != nil || len(lost) == 0 && p.owed == nil {
		return err
	}
	removes, err := l.k.removal(ctx, id, birth)
	if err != nil {
		return err
	}
	at := step[T]{p.owed, p.doc, now, birth}
	if owed, known := l.steps[at]; known && removes == nil {
		l.set(id, p.commit, owed, lost)
		return nil
	}
	settled, err := l.settled(ctx, now, p)
	if err != nil {
		return err
	}
	if len(lost) == 0 && removes == nil && !slices.ContainsFunc(slices.Collect(maps.Keys(settled)), p.owed.has) {
		l.set(id, p.commit, p.owed, nil) // thousands of commits may hand on what one owes
		return nil
	}
	from := make(map[T]git.ID, p.owed.len()+len(lost))
	var fresh []T
	add := func(thing T, doc git.ID) bool {
		if removes != nil && removes(thing) {
			l.removed[thing] = append(l.removed[thing], id)
			return false
		}
		from[thing] = doc
		return true
	}
	if p.owed != nil {
		for thing, doc := range p.owed.from {
			if !settled[thing] {
				add(thing, doc)
			}
		}
	}
	for _, thing := range lost {
		if add(thing, p.doc) {
			fresh = append(fresh, thing)
		}
	}
	owed := l.intern(from)
	if removes == nil {
		l.steps[at], fresh = owed, lost
	}
	l.set(id, p.commit, owed, fresh)
	return nil
}

func (l *ledger[T]) set(id, parent git.ID, owed *debts[T], fresh []T) {
	if owed != nil {
		l.owed[id] = owed
	}
	if len(fresh) > 0 {
		l.lost[[2]git.ID{id, parent}] = fresh
	}
}

// intern returns the debts of that content, so that those of thousands of commits that lose the same are one.
func (l *ledger[T]) intern(from map[T]git.ID) *debts[T] {
	if len(from) == 0 {
		return nil
	}
	var sum uint64
	for thing, doc := range from {
		sum ^= maphash.Comparable(seed, struct {
			thing T
			doc   git.ID
		}{thing, doc})
	}
	if d := l.known[sum]; d != nil && len(d.from) == len(from) {
		return d
	}
	l.known[sum] = &debts[T]{from}
	return l.known[sum]
}

// owes reports whether a commit owes anything, or may.
func (l *ledger[T]) owes(id git.ID) bool { return l.owed[id] != nil || l.passed[id] }

// total returns what a commit owes and has nothing in the place of, which is what has to be restored, and the error that refuses
// the commit where that cannot be told: no clone chooses between two contents for all others.
func (l *ledger[T]) total(ctx context.Context, id git.ID) (owed map[T]git.ID, refused, err error) {
	if l.strict() && l.passed[id] {
		refused, err = l.f.refuses(ctx, l.over)
	}
	d := l.owed[id]
	if d == nil || err != nil {
		return nil, refused, err
	}
	now, err := l.k.document(ctx, id)
	if err != nil {
		return nil, nil, err
	}
	owed = make(map[T]git.ID, len(d.from))
	for thing, doc := range d.from {
		has, err := l.k.has(ctx, now, thing)
		switch {
		case err != nil:
			return nil, nil, err
		case has:
		case doc != unclear:
			owed[thing] = doc
		case refused == nil:
			if refused, err = l.f.refuses(ctx, l.doubts[thing]); err != nil {
				return nil, nil, err
			}
		}
	}
	return owed, refused, nil
}

// sources lists the documents that have what is owed, those with most of it first.
func sources[T comparable](owed map[T]git.ID) []git.ID {
	n := map[git.ID]int{}
	for _, doc := range owed {
		n[doc]++
	}
	return slices.SortedFunc(maps.Keys(n), func(a, b git.ID) int { return cmp.Or(cmp.Compare(n[b], n[a]), cmp.Compare(a, b)) })
}
