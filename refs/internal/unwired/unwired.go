// Package unwired opens a Store for the internal tests of packages that package refs
// imports, which therefore cannot import refs.
package unwired

import (
	"context"
	"errors"

	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/store"
)

var errUnwired = errors.New("this Store is without the packages above it")

// Open opens a Store whose hooks into the packages above do nothing or fail. It can change
// branches as long as no expunge and no intent is interrupted.
func Open(ctx context.Context, o store.Options) (*store.Store, error) {
	return store.New(ctx, o, store.Above{
		FinishExpunge: func(context.Context, *store.Store, store.Writer) error { return nil },
		SettleIntent:  func(context.Context, *store.Transaction, string) error { return nil },
		CheckHook:     func(*store.Store, string) error { return nil },
		CommitCode: func(context.Context, *store.Transaction, string, store.CommitOptions) (store.CommitResult, error) {
			return store.CommitResult{}, errUnwired
		},
		AdoptBranch:  func(context.Context, *store.Store, string) (bool, error) { return false, errUnwired },
		FetchHint:    func(context.Context, *store.Store, string) string { return "" },
		CheckForeign: func(context.Context, *store.Store, git.Ref, string) error { return errUnwired },
		HealSource: func(context.Context, *store.Transaction, *store.Tip, git.ID) (*git.Commit, error) {
			return nil, errUnwired
		},
	})
}
