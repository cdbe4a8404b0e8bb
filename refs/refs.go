package refs

import (
	"context"

	"github.com/git-context/git-context/refs/code"
	"github.com/git-context/git-context/refs/expunge"
	"github.com/git-context/git-context/refs/remote"
	"github.com/git-context/git-context/refs/share"
	"github.com/git-context/git-context/refs/store"
)

// Store is the memory of one repository, seen from one worktree.
type Store = store.Store

// Open finds the repository and gives its store what that needs of the packages above it.
// The first function that needs memory reports where there is none. Errors are
// git.ErrNotRepository, and *fail.Error for a branch name in o or GIT_CONTEXT_BRANCH that no
// branch can have.
func Open(ctx context.Context, o store.Options) (*Store, error) {
	return store.New(ctx, o, store.Above{
		FinishExpunge: expunge.Finish,
		SettleIntent:  code.SettleIntent,
		CheckHook:     code.CheckHook,
		CommitCode:    code.Commit,
		AdoptBranch:   share.AdoptBranch,
		FetchHint:     remote.FetchHint,
		CheckForeign:  expunge.CheckForeign,
		HealSource:    share.HealSource,
	})
}
