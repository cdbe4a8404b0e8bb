package store

import (
	"context"
	"errors"

	"github.com/git-context/git-context/refs/git"
)

// Above contains what the store calls of the packages above it. Package refs fills it in;
// every function is needed.
type Above struct {
	// FinishExpunge finishes an expunge that a killed process left, before anything is
	// changed. It holds no lock when it is called.
	FinishExpunge func(context.Context, *Store, Writer) error

	// SettleIntent finishes or forgets a `commit --code` or `rollback --code` that a killed
	// process left on a branch, whose lock is held.
	SettleIntent func(ctx context.Context, ses *Transaction, branch string) error

	// CheckHook refuses to wait for a branch's lock inside a hook that its owner waits for.
	CheckHook func(s *Store, branch string) error

	// CommitCode makes a memory commit together with a code commit.
	CommitCode func(ctx context.Context, ses *Transaction, branch string, o CommitOptions) (CommitResult, error)

	// AdoptBranch makes a branch that only a remote has; false where no remote has it.
	AdoptBranch func(ctx context.Context, s *Store, name string) (bool, error)

	// FetchHint returns the command that may bring a branch that was not found, for a hint;
	// "" where the repository has no remote.
	FetchHint func(ctx context.Context, s *Store, branch string) string

	// CheckForeign checks history that no ref of this repository leads to before one does.
	CheckForeign func(ctx context.Context, s *Store, at git.Ref, hint string) error
}

func (a Above) check() error {
	if a.FinishExpunge == nil || a.SettleIntent == nil || a.CheckHook == nil || a.CommitCode == nil ||
		a.AdoptBranch == nil || a.FetchHint == nil || a.CheckForeign == nil {
		return errors.New("store: Above is not filled in")
	}
	return nil
}
