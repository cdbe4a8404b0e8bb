package store

import (
	"context"
	"testing"

	"github.com/git-context/git-context/refs/git"
)

// unused is an Above for tests of what calls none of it.
func unused() Above {
	return Above{
		FinishExpunge: func(context.Context, *Store, Writer) error { return nil },
		SettleIntent:  func(context.Context, *Transaction, string) error { return nil },
		CheckHook:     func(*Store, string) error { return nil },
		CommitCode: func(context.Context, *Transaction, string, CommitOptions) (CommitResult, error) {
			panic("not for this test")
		},
		AdoptBranch:  func(context.Context, *Store, string) (bool, error) { return false, nil },
		FetchHint:    func(context.Context, *Store, string) string { return "" },
		CheckForeign: func(context.Context, *Store, git.Ref, string) error { return nil },
		HealSource:   func(context.Context, *Transaction, *Tip, git.ID) (*git.Commit, error) { return nil, nil },
	}
}

func TestStoreNeedsAllAbove(t *testing.T) {
	above := unused()
	above.CheckForeign = nil
	if s, err := New(t.Context(), Options{Dir: t.TempDir()}, above); s != nil || err == nil {
		t.Errorf("a Store without CheckForeign: %v, %v", s, err)
	}
}
