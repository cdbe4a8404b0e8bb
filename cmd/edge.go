package cmd

import (
	"context"
	"slices"

	"github.com/git-context/git-context/refs"
	"github.com/git-context/git-context/refs/store"
)

// edgeHints returns what to tell if a shallow clone lacks older commits of what revs reach, see
// [store.Store.Cut]: every view that ends at the edge tells the same.
func edgeHints(ctx context.Context, s *refs.Store, revs ...string) ([]string, error) {
	cut, err := s.Cut(ctx, revs...)
	if err != nil || !cut {
		return nil, err
	}
	return []string{"older commits are " + store.BeyondEdge + ": " + store.Deepen}, nil
}

// absentHints is edgeHints for a view that shows entries of commits: it asks nothing if all of these
// commits are here.
func absentHints(ctx context.Context, s *refs.Store, entries ...store.Commit) ([]string, error) {
	if !slices.ContainsFunc(entries, func(c store.Commit) bool { return c.Hash == nil }) {
		return nil, nil
	}
	return edgeHints(ctx, s, store.AllMemory()...)
}
