package loss

import (
	"context"
	"slices"

	"github.com/git-context/git-context/refs/git"
)

// fewParents is for how many parents of a merge git is asked for common ancestors. Beyond that, records take their
// place, as for [mostBases].
const fewParents = 8

// mostContested is for how many merges one ledger looks which of two contents is the newer one. No merge that a command
// made needs it.
const mostContested = 64

// holder is a parent of a merge that has, or owes, what the merge lacks.
type holder struct {
	parent, doc git.ID
	fresh       bool // it has it
}

// merge records what a merge owes: what it lacks of any parent, unless its record says so or another parent has removed it
// since what both come from. Of two contents it owes the one that changed.
func (l *ledger[T]) merge(ctx context.Context, id git.ID, parents []side[T]) error {
	order, holders, err := l.holders(ctx, id, parents)
	if err != nil || len(order) == 0 {
		return err
	}
	removes, err := l.k.removal(ctx, id, false)
	if err != nil {
		return err
	}
	if removes != nil {
		order = slices.DeleteFunc(order, func(thing T) bool {
			if removes(thing) {
				l.removed[thing] = append(l.removed[thing], id)
				delete(holders, thing)
			}
			return removes(thing)
		})
	}
	if err := l.dropRemoved(ctx, holders, order, parents); err != nil {
		return err
	}
	from := map[T]git.ID{}
	for _, thing := range order {
		left := holders[thing]
		if len(left) == 0 {
			continue
		}
		h, err := l.newest(ctx, id, thing, left)
		if err != nil {
			return err
		}
		if from[thing] = h.doc; h.fresh {
			at := [2]git.ID{id, h.parent}
			l.lost[at] = append(l.lost[at], thing)
		}
	}
	if owed := l.intern(from); owed != nil {
		l.owed[id] = owed
	}
	return nil
}

// holders lists what a merge lacks, with the parents that have it or owe it.
func (l *ledger[T]) holders(ctx context.Context, id git.ID, parents []side[T]) (order []T, of map[T][]holder, err error) {
	now, err := l.k.document(ctx, id)
	if err != nil {
		return nil, nil, err
	}
	of = map[T][]holder{}
	add := func(thing T, h holder) {
		if of[thing] == nil {
			order = append(order, thing)
		}
		of[thing] = append(of[thing], h)
	}
	for _, p := range parents {
		lost, err := l.missing(ctx, now, p.doc, false)
		if err != nil {
			return nil, nil, err
		}
		for _, thing := range lost {
			add(thing, holder{p.commit, p.doc, true})
		}
		settled, err := l.settled(ctx, now, p)
		if err != nil {
			return nil, nil, err
		}
		if p.owed != nil {
			for thing, doc := range p.owed.from {
				if !settled[thing] {
					add(thing, holder{p.commit, doc, false})
				}
			}
		}
	}
	return order, of, nil
}

// dropRemoved takes away the holders of things that another parent of the merge has removed from what they have.
func (l *ledger[T]) dropRemoved(ctx context.Context, holders map[T][]holder, order []T, parents []side[T]) error {
	holds := make(map[git.ID]map[T]bool, len(parents))
	for thing, list := range holders {
		for _, h := range list {
			if holds[h.parent] == nil {
				holds[h.parent] = map[T]bool{}
			}
			holds[h.parent][thing] = true
		}
	}
	for _, has := range parents {
		gone := map[T]bool{}
		for _, lacks := range parents {
			if len(holds[has.commit]) == 0 {
				break
			}
			if has.doc == lacks.doc && has.owed == lacks.owed {
				continue
			}
			var things []T
			for _, thing := range order {
				if holds[has.commit][thing] && !holds[lacks.commit][thing] && !gone[thing] {
					things = append(things, thing)
				}
			}
			if err := l.removedOn(ctx, things, lacks.commit, has.commit, len(parents), gone); err != nil {
				return err
			}
		}
		for thing := range gone {
			holders[thing] = slices.DeleteFunc(holders[thing], func(h holder) bool { return h.parent == has.commit })
		}
	}
	return nil
}

// removedOn adds to gone those of the things that one commit has and another one lacks which were there in what both have in
// common, or were removed with a record on the way to the one that lacks them alone.
func (l *ledger[T]) removedOn(ctx context.Context, things []T, lacks, has git.ID, parents int, gone map[T]bool) error {
	if len(things) == 0 {
		return nil
	}
	if parents > fewParents || !l.f.mayAsk() {
		for _, thing := range things {
			if len(l.removed[thing]) > 0 {
				gone[thing] = true
			}
		}
		return nil
	}
	bases, err := l.f.mergeBases(ctx, lacks, has)
	if err != nil {
		return err
	}
	there := make(map[T]int, len(things))
	for _, base := range bases {
		doc, err := l.k.document(ctx, base)
		if err != nil {
			return err
		}
		for _, thing := range things {
			had, err := l.k.has(ctx, doc, thing)
			if err != nil {
				return err
			}
			if _, owes := l.owed[base].of(thing); had || owes {
				there[thing]++
			}
		}
	}
	for _, thing := range things {
		removed := there[thing] == len(bases)
		if n := there[thing]; 0 < n && !removed { // what one side has added since is in none
			if removed, err = l.removedSince(ctx, thing, lacks, has); err != nil {
				return err
			}
		}
		if removed && len(bases) > 0 {
			gone[thing] = true
		}
	}
	return nil
}

// removedSince reports whether a commit that one commit comes from, and another one does not, has removed a thing.
func (l *ledger[T]) removedSince(ctx context.Context, thing T, lacks, has git.ID) (bool, error) {
	for _, id := range l.removed[thing] {
		if !l.f.mayAsk() {
			return true, nil
		}
		common, err := l.f.mergeBases(ctx, id, has)
		if err != nil {
			return false, err
		}
		if slices.Contains(common, id) {
			continue
		}
		if common, err = l.f.mergeBases(ctx, id, lacks); err != nil || slices.Contains(common, id) {
			return err == nil, err
		}
	}
	return false, nil
}

// newest returns the holder with the content that changed since what it has in common with the others. Where both have
// changed, it is the content that this repository has, or else the first.
func (l *ledger[T]) newest(ctx context.Context, id git.ID, thing T, holders []holder) (holder, error) {
	docs := map[git.ID]bool{}
	for _, h := range holders {
		docs[h.doc] = true
	}
	if len(docs) > 1 && len(l.contested) < mostContested {
		l.contested[id] = true
	}
	if len(docs) == 1 || len(docs) > fewParents || !l.contested[id] {
		return l.likely(holders), nil
	}
	best := holders[0]
	for _, h := range holders[1:] {
		if h.doc == best.doc {
			continue
		}
		same, err := l.k.same(ctx, best.doc, h.doc, thing)
		if err != nil {
			return best, err
		}
		if same {
			continue
		}
		if newer, err := l.newer(ctx, thing, h, best); err != nil {
			return best, err
		} else if newer {
			best = h
		}
	}
	return best, nil
}

// likely returns a holder without a look at what it has: this repository's own commit, or one that has the thing itself.
func (l *ledger[T]) likely(holders []holder) holder {
	for _, is := range []func(holder) bool{
		func(h holder) bool { return h.parent == l.f.Have },
		func(h holder) bool { return h.fresh },
	} {
		if i := slices.IndexFunc(holders, is); i >= 0 {
			return holders[i]
		}
	}
	return holders[0]
}

// newer reports whether one holder has changed a thing and the other one has not.
func (l *ledger[T]) newer(ctx context.Context, thing T, h, than holder) (bool, error) {
	bases, err := l.f.mergeBases(ctx, h.parent, than.parent)
	if err != nil {
		return false, err
	}
	old := [2]bool{}
	for _, base := range bases {
		doc, owes := l.owed[base].of(thing)
		if !owes {
			if doc, err = l.k.document(ctx, base); err != nil {
				return false, err
			}
		}
		for i, of := range []holder{h, than} {
			if old[i] {
				continue
			}
			if old[i], err = l.k.same(ctx, doc, of.doc, thing); err != nil {
				return false, err
			}
		}
	}
	if old[0] != old[1] {
		return old[1], nil
	}
	if l.ours == "" {
		return false, nil
	}
	return l.k.same(ctx, l.ours, h.doc, thing)
}
