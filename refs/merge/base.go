package merge

import (
	"context"

	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/store"
)

// ancestry finds what two commits both come from, where that may be several
// commits: T is what of a commit is merged.
type ancestry[T any] struct {
	repo   *git.Repo
	read   func(ctx context.Context, id git.ID) (T, error)
	merge  func(ctx context.Context, base *T, a, b T) (T, error) // base is nil for none
	merged int                                                   // bases, so far
}

// maxVirtual bounds how many bases, and bases of bases, are merged: histories may be
// made to have very many. Those beyond it are left out. What only they have is not in
// the base: then what one side removed of it comes back, and what both changed is a
// conflict. No merge is refused for that, since the refs of somebody who has commits of
// his own could not be exchanged before the remote's are replaced. As the merge has both
// sides for parents, it is settled for all clones.
const maxVirtual = 32

// of merges the best common ancestors, as git's recursive strategy does:
//
//  1. none: nil;
//  2. one: what it contains;
//  3. several (two sides that merged each other's past): they are merged one
//     after another, each with what it has in common with those before it.
func (a *ancestry[T]) of(ctx context.Context, ids []git.ID) (*T, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	ids, err := a.affordable(ctx, ids)
	if err != nil {
		return nil, err
	}
	base, err := a.read(ctx, ids[0])
	if err != nil {
		return nil, err
	}
	for i, id := range ids[1:] {
		next, err := a.read(ctx, id)
		if err != nil {
			return nil, err
		}
		shared, err := a.repo.MergeBases(ctx, id, ids[:i+1]...)
		if err != nil {
			return nil, err
		}
		below, err := a.of(ctx, shared)
		if err != nil {
			return nil, err
		}
		if base, err = a.merge(ctx, below, base, next); err != nil {
			return nil, err
		}
	}
	return &base, nil
}

// affordable returns the bases that are merged, at least one: of too many, one of each content.
func (a *ancestry[T]) affordable(ctx context.Context, ids []git.ID) ([]git.ID, error) {
	room := maxVirtual - a.merged + 1
	if len(ids) > room {
		known := map[git.ID]bool{}
		some := ids[:0:0]
		for _, id := range ids {
			c, err := a.repo.Commit(ctx, id)
			if err != nil {
				return nil, err
			}
			if !known[c.Tree] {
				known[c.Tree] = true
				some = append(some, id)
			}
			if len(some) == room {
				break
			}
		}
		ids = some
	}
	a.merged += len(ids) - 1
	return ids, nil
}

// branchBase is the tree that two tips of memory come from: a commit's, or one
// that several were merged into, of which only the topics and the metadata mean
// anything. replica says that the two are one branch. nil is none.
func branchBase(ctx context.Context, tx *store.Transaction, branch string, ids []git.ID, replica bool) (*store.Tip, error) {
	room := newLineBudget() // of all
	a := &ancestry[*store.Tip]{repo: tx.Store.Repo(),
		read: func(ctx context.Context, id git.ID) (*store.Tip, error) { return tx.Store.TipAt(ctx, branch, id) },
		merge: func(ctx context.Context, base **store.Tip, x, y *store.Tip) (*store.Tip, error) {
			d := documents{tx: tx, tree: tx.Store.Repo().Edit(x.Commit().Tree), ours: x, theirs: y, replica: replica, settle: disagreement(tx), room: room}
			if base != nil {
				d.base = *base
			}
			return d.virtual(ctx)
		},
	}
	base, err := a.of(ctx, ids)
	if err != nil || base == nil {
		return nil, err
	}
	return *base, nil
}

// RoadmapBase is the main.md that two commits of the roadmap come from, empty for
// none.
func RoadmapBase(ctx context.Context, tx *store.Transaction, ids []git.ID) ([]byte, error) {
	room := newLineBudget() // of all
	a := &ancestry[[]byte]{repo: tx.Store.Repo(),
		read: tx.Store.RoadmapAt,
		merge: func(ctx context.Context, base *[]byte, x, y []byte) ([]byte, error) {
			var b []byte
			if base != nil {
				b = *base
			}
			merged, _, err := mergeRoadmap(ctx, tx, b, x, y, disagreement(tx), room)
			return merged, err
		},
	}
	base, err := a.of(ctx, ids)
	if err != nil || base == nil {
		return nil, err
	}
	return *base, nil
}
