// Package unwired opens a Store for tests from inside of a package that package refs
// imports, and which can therefore not import refs.
package unwired

import (
	"context"
	"errors"

	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/store"
)

var errUnwired = errors.New("this Store is without the packages above it")

// Open opens a Store that changes branches as long as nothing above it has anything to do.
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
	})
}
