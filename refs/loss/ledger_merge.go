package loss

import (
	"context"
	"slices"

	"github.com/git-context/git-context/refs/git"
)

// fewParents is how many parents a merge has at most that git is asked about. One of more that lacks something is refused; a
// range that judges takes records for removals.
const fewParents = 8

// mostVisits bounds how many things that merges lack one ledger looks at, each in each parent. Merges that commands make lack what
// one side has removed: at most some thousands, in some dozens of merges.
const mostVisits = 1_000_000

// holder is a parent of a merge that has, or owes, what the merge lacks.
type holder struct {
	parent, doc git.ID
	fresh       bool // it has it
}

// merge records what a merge owes: what it lacks of any parent, unless its record says so or another parent has removed it
// since what both come from. Of two contents it owes the one that changed.
func (l *ledger[T]) merge(ctx context.Context, id git.ID, parents []side[T]) error {
	if l.visits > mostVisits {
		l.pass(id, parents[0])
		return nil
	}
	order, holders, err := l.holders(ctx, id, parents)
	if err != nil || len(order) == 0 {
		return err
	}
	removes, err := l.k.removal(ctx, id, false)
	if err != nil {
		return err
	}
	if l.visits > mostVisits || len(parents) > fewParents && l.strict() {
		l.pass(id, parents[0])
		return nil
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
		if h.doc == unclear && l.doubts[thing] == "" {
			l.doubts[thing] = id
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

// strict reports whether what is not clear refuses the ref. A new clone refuses what all others refuse: else it would push
// its choice to them.
func (l *ledger[T]) strict() bool { return !l.f.Judge }

// pass passes over a merge that costs too much to look into, or is none that a command made. Its ref is refused; in a range that
// judges it owes what its first parent does.
func (l *ledger[T]) pass(id git.ID, first side[T]) {
	if l.passed[id] = true; l.over == "" {
		l.over = id
	}
	if first.owed != nil {
		l.owed[id] = first.owed
	}
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
		l.visits += len(lost) + p.owed.len()
		if l.visits > mostVisits {
			return order, of, nil
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
	if len(parents) > fewParents {
		for _, thing := range order {
			if len(holders[thing]) < len(parents) && len(l.removed[thing]) > 0 {
				delete(holders, thing)
			}
		}
		return nil
	}
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
			if err := l.removedOn(ctx, things, lacks, has.commit, gone); err != nil {
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
// common, or were removed with a record on the way to the one that lacks them alone. What has another form there, as a map has
// in the place of a value, was not removed.
func (l *ledger[T]) removedOn(ctx context.Context, things []T, lacks side[T], has git.ID, gone map[T]bool) error {
	if len(things) == 0 {
		return nil
	}
	removed, err := l.removedOf(ctx, things, lacks.commit, has)
	for _, thing := range removed {
		other, hasErr := l.k.has(ctx, lacks.doc, thing)
		if hasErr != nil {
			return hasErr
		}
		if !other {
			gone[thing] = true
		}
	}
	return err
}

func (l *ledger[T]) removedOf(ctx context.Context, things []T, lacks, has git.ID) (list []T, err error) {
	if !l.f.mayAsk() {
		return l.removedHere(ctx, things)
	}
	if l.cut[lacks] { // what was lost below the first commit of a branch is not known
		if err := l.readBelow(ctx, lacks); err != nil {
			return nil, err
		}
		return l.removedWithRecord(ctx, things, lacks, has)
	}
	bases, err := l.f.mergeBases(ctx, lacks, has)
	if err != nil {
		return nil, err
	}
	there := make(map[T]int, len(things))
	for _, base := range bases {
		doc, err := l.k.document(ctx, base)
		if err != nil {
			return nil, err
		}
		for _, thing := range things {
			had, err := l.k.has(ctx, doc, thing)
			if err != nil {
				return nil, err
			}
			if _, owes := l.owed[base].of(thing); had || owes {
				there[thing]++
			}
		}
	}
	var doubtful []T // what one side has added since is in none of the bases
	for _, thing := range things {
		switch n := there[thing]; {
		case len(bases) == 0 || 0 < n && n < len(bases):
			doubtful = append(doubtful, thing)
		case n > 0:
			list = append(list, thing)
		}
	}
	for _, thing := range doubtful {
		removed, err := l.removedSince(ctx, thing, lacks, has)
		if err == nil && !removed && l.f.Judge {
			removed = len(l.removed[thing]) > 0
		}
		if err == nil && !removed { // the records of this repository's own ref are not in the range
			removed, err = l.removedByUs(ctx, thing, has)
		}
		if err != nil {
			return nil, err
		}
		if removed {
			list = append(list, thing)
		}
	}
	return list, nil
}

// removedHere returns the things that a record of the range names, or that this repository lacks.
func (l *ledger[T]) removedHere(ctx context.Context, things []T) (list []T, err error) {
	for _, thing := range things {
		gone := len(l.removed[thing]) > 0
		if !gone {
			if gone, err = l.lacksHere(ctx, thing); err != nil {
				return nil, err
			}
		}
		if gone {
			list = append(list, thing)
		}
	}
	return list, nil
}

// lacksHere reports whether this repository has the ref, and it lacks a thing: it does not bring back what it may have removed.
func (l *ledger[T]) lacksHere(ctx context.Context, thing T) (bool, error) {
	if l.f.Have == "" {
		return false, nil
	}
	doc, err := l.k.document(ctx, l.f.Have)
	if err != nil {
		return false, err
	}
	has, err := l.k.has(ctx, doc, thing)
	return !has, err
}

// removedByUs reports whether this repository's ref lacks a thing that it has had: what is in nothing that it has in common with
// the commit that has the thing came later. A commit that it has nothing in common with may be a copy of anything.
func (l *ledger[T]) removedByUs(ctx context.Context, thing T, has git.ID) (bool, error) {
	lacks, err := l.lacksHere(ctx, thing)
	if err != nil || !lacks {
		return false, err
	}
	bases, err := l.f.mergeBases(ctx, l.f.Have, has)
	if err != nil || len(bases) == 0 {
		return true, err
	}
	for _, base := range bases {
		doc, err := l.k.document(ctx, base)
		if err != nil {
			return false, err
		}
		if had, err := l.k.has(ctx, doc, thing); had || err != nil {
			return had, err
		}
	}
	return false, nil
}

// readBelow adds what commits removed with a record that a commit comes from and the list leaves out: a branch lacks what
// had been removed from the branch that it began from.
func (l *ledger[T]) readBelow(ctx context.Context, id git.ID) error {
	for stack := []git.ID{id}; len(stack) > 0; {
		at := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		n := l.f.News[at]
		if n == nil || l.below[at] {
			continue
		}
		l.below[at] = true
		for _, p := range n.Parents {
			if l.cut[at] || !l.listed[p] { // else all that it comes from is in the list
				stack = append(stack, p)
			}
		}
		if l.listed[at] {
			continue
		}
		if err := l.readRecord(ctx, at); err != nil {
			return err
		}
	}
	return nil
}

func (l *ledger[T]) readRecord(ctx context.Context, id git.ID) error {
	birth, err := l.f.isBirth(ctx, id)
	if err != nil {
		return err
	}
	removes, err := l.k.removal(ctx, id, birth)
	if removes == nil || err != nil {
		return err
	}
	now, err := l.k.document(ctx, id)
	if err != nil {
		return err
	}
	parents, err := l.parents(ctx, id)
	if err != nil {
		return err
	}
	for _, p := range parents {
		lost, err := l.missing(ctx, now, p.doc, birth)
		if err != nil {
			return err
		}
		for _, thing := range lost {
			if removes(thing) {
				l.removed[thing] = append(l.removed[thing], id)
			}
		}
	}
	return nil
}

// removedWithRecord returns the things of which there is a record on the way to one commit alone, and those that this
// repository lacks, whose own records are not in the range.
func (l *ledger[T]) removedWithRecord(ctx context.Context, things []T, lacks, has git.ID) (list []T, err error) {
	for _, thing := range things {
		removed, err := l.removedSince(ctx, thing, lacks, has)
		if err == nil && !removed && l.strict() {
			removed, err = l.removedByUs(ctx, thing, has)
		}
		if err != nil {
			return nil, err
		}
		if removed {
			list = append(list, thing)
		}
	}
	return list, nil
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
