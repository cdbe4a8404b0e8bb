package undo

import (
	"context"

	"github.com/git-context/git-context/refs/store"
)

// Amend is store.Store.Amend of a commit that was never shared and is not needed.
func Amend(ctx context.Context, s *store.Store, o store.CommitOptions) (store.CommitResult, error) {
	return s.Amend(ctx, o, func(ctx context.Context, l *store.LastChange) error { return check(ctx, s, l) })
}
