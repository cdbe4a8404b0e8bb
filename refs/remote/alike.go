package remote

import (
	"context"

	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/store"
)

// mostMerges is how many merges Alike looks at: more of them than that are merged again.
const mostMerges = 200

// Alike reports whether two commits of one ref, neither of which is in the history of the other, are the same memory, merged
// differently: what only one of them has in its history are merges with the tree of both that say nothing. Two clones
// make such merges when each merges the same two histories without the other's merge.
func Alike(ctx context.Context, s *store.Store, a, b git.ID) (bool, error) {
	tree, err := treeOf(ctx, s, a)
	if err != nil {
		return false, err
	}
	if other, err := treeOf(ctx, s, b); err != nil || tree != other {
		return false, err
	}
	for _, side := range [][2]git.ID{{a, b}, {b, a}} {
		list, err := s.Repo().Ahead(ctx, side[0], side[1])
		if err != nil || len(list) > mostMerges {
			return false, err
		}
		for _, c := range list {
			if len(c.Parents) < 2 || c.Tree != tree {
				return false, nil
			}
		}
		if silent, err := sayNothing(ctx, s, list); !silent || err != nil {
			return false, err
		}
	}
	return true, nil
}

func treeOf(ctx context.Context, s *store.Store, id git.ID) (git.ID, error) {
	c, err := s.Repo().Commit(ctx, id)
	if err != nil {
		return "", err
	}
	return c.Tree, nil
}

// sayNothing reports whether no commit of a list has an entry, or tells what it removed or brought back.
func sayNothing(ctx context.Context, s *store.Store, list []git.AheadCommit) (bool, error) {
	for _, one := range list {
		c, err := s.Repo().Commit(ctx, one.ID)
		if err != nil {
			return false, err
		}
		for _, key := range []string{store.TrailerID, store.TrailerRemoves, store.TrailerRestores} {
			if c.Trailer(key) != "" {
				return false, nil
			}
		}
	}
	return true, nil
}

// Larger reports whether a commit comes after another one in an order that is the same in all clones, and in which a merge comes after
// what it merges: by the number of commits in the history, then by hash.
func Larger(ctx context.Context, s *store.Store, a, b git.ID) (bool, error) {
	left, err := s.Repo().Ahead(ctx, a, b)
	if err != nil {
		return false, err
	}
	right, err := s.Repo().Ahead(ctx, b, a)
	if len(left) != len(right) {
		return len(left) > len(right), err
	}
	return a > b, err
}

// Elsewhere reports whether another remote than r had a commit as the tip of a ref when it was last asked.
func Elsewhere(ctx context.Context, s *store.Store, r Remote, id git.ID) (bool, error) {
	list, err := s.Repo().Refs(ctx, git.RemotePrefix, git.RemoteNotesPrefix)
	if err != nil {
		return false, err
	}
	for _, ref := range list {
		if ref.ID == id && !r.Tracking.Has(ref.Name) {
			return true, nil
		}
	}
	return false, nil
}
