package refs

import (
	"context"

	"github.com/git-context/git-context/refs/store"
)

// Store is the memory of one repository, seen from one worktree.
type Store = store.Store

// Open finds the repository and wires the rooms that the store calls.
func Open(ctx context.Context, o store.Options) (*Store, error) {
	return store.New(ctx, o, store.Wire())
}
