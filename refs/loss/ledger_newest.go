package loss

import (
	"context"
	"slices"

	"github.com/git-context/git-context/refs/git"
)

// mostContested is for how many merges one ledger looks which of two contents is the newer one. No merge that a command
// made needs it.
const mostContested = 64

// fewContents is how many contents of one thing newest compares in a merge, and mostContents in how many cases altogether.
const (
	fewContents  = 3
	mostContents = 20_000
)

// unclear stands for a document: a merge lost a thing that both sides have changed. No command makes such a merge, and a clone
// that chose between the two could be made to bring back old words.
const unclear git.ID = "unclear"

// newest returns the holder with the content that changed since what it has in common with the others. Where both have
// changed it, or there are too many to look at, it is unclear what was lost; a range that judges takes a likely one.
func (l *ledger[T]) newest(ctx context.Context, id git.ID, thing T, holders []holder) (holder, error) {
	docs := map[git.ID]bool{}
	for _, h := range holders {
		docs[h.doc] = true
	}
	if len(docs) == 1 {
		return l.likely(holders), nil
	}
	if len(l.contested) < mostContested {
		l.contested[id] = true
	}
	if l.looks++; docs[unclear] || len(docs) > fewContents || !l.contested[id] || l.looks > mostContents {
		return l.undecided(holders), nil
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
		changed, err := l.changed(ctx, thing, best, h)
		switch {
		case err != nil:
			return best, err
		case changed[0] == changed[1]:
			return l.undecided(holders), nil
		case changed[1]:
			best = h
		}
	}
	return best, nil
}

// undecided returns what a merge owes whose holders cannot be told apart.
func (l *ledger[T]) undecided(holders []holder) holder {
	if l.f.Judge {
		return l.likely(holders)
	}
	return holder{doc: unclear}
}

// likely returns a holder without a look at what it has: one that has the thing itself.
func (l *ledger[T]) likely(holders []holder) holder {
	if i := slices.IndexFunc(holders, func(h holder) bool { return h.fresh }); i >= 0 {
		return holders[i]
	}
	return holders[0]
}

// changed reports which of two holders have changed a thing since what they have in common.
func (l *ledger[T]) changed(ctx context.Context, thing T, a, b holder) (changed [2]bool, err error) {
	bases, err := l.f.mergeBases(ctx, a.parent, b.parent)
	if err != nil {
		return changed, err
	}
	changed = [2]bool{true, true}
	for _, base := range bases {
		doc, owes := l.owed[base].of(thing)
		if !owes {
			if doc, err = l.k.document(ctx, base); err != nil {
				return changed, err
			}
		}
		for i, of := range []holder{a, b} {
			if !changed[i] || doc == unclear {
				continue
			}
			same, err := l.k.same(ctx, doc, of.doc, thing)
			if err != nil {
				return changed, err
			}
			changed[i] = !same
		}
	}
	return changed, nil
}
