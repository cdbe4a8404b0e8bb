package refs

import (
	"context"

	"github.com/git-context/git-context/refs/code"
	"github.com/git-context/git-context/refs/expunge"
	"github.com/git-context/git-context/refs/share"
	"github.com/git-context/git-context/refs/store"
)

// Store is the memory of one repository, seen from one worktree.
type Store = store.Store

// Open finds the repository and gives its store what that needs of the packages above it.
// Whether there is memory is found out by the first function that needs it. Errors are
// git.ErrNotRepository, and *fail.Error for a branch name of o or of GIT_CONTEXT_BRANCH
// that no branch can have.
func Open(ctx context.Context, o store.Options) (*Store, error) {
	return store.New(ctx, o, store.Above{
		FinishExpunge: expunge.Finish,
		SettleIntent:  code.Settle,
		CheckHook:     code.CheckHook,
		CommitCode:    code.CommitWithCode,
		AdoptBranch:   share.AdoptBranch,
		CheckForeign:  expunge.CheckForeign,
	})
}
