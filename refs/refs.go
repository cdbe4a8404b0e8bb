package refs

import (
	"context"

	"github.com/git-context/git-context/refs/expunge"
	"github.com/git-context/git-context/refs/share"
	"github.com/git-context/git-context/refs/store"
)

// Store is the memory of one repository, seen from one worktree.
type Store = store.Store

// Open finds the repository and gives its store what that needs of the rooms above it.
func Open(ctx context.Context, o store.Options) (*Store, error) {
	above := store.Wire()
	above.FinishExpunge = expunge.FinishExpunge
	above.CheckForeign = expunge.CheckForeign
	above.AdoptBranch = share.AdoptBranch
	return store.New(ctx, o, above)
}
