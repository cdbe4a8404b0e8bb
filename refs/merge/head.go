package merge

import (
	"context"
	"errors"
	"fmt"

	"github.com/git-context/git-context/refs/git"
)

// point makes the target the current branch, if the merge was told its name or closes the current branch.
// It does so before the refs move: git before version 2.46 has no transaction with symbolic refs, and a
// process that is killed between the two must not leave a closed branch current. Then the target is
// current, and the merge can be made again. [operation.pointBack] is for a merge that fails.
func (m *operation) point(ctx context.Context) error {
	told := m.o.Into != "" && m.Store.Branch == "" // a branch of this process is not that of the worktree
	if m.o.DryRun || m.target == m.current || !told && !(m.closed && m.o.Source == m.current) {
		return nil
	}
	head, err := m.Store.Repo().SymbolicRef(ctx, git.HeadName)
	if err != nil && !errors.Is(err, git.ErrNotFound) {
		return err
	}
	if head == git.BranchRef(m.target) {
		return nil
	}
	if err := m.Store.MakeJournal(ctx, m.target); err != nil {
		return err
	}
	m.left, _ = git.BranchName(head)
	m.res.Switched = true
	return m.Store.PointHead(ctx, m.target, "merge", true)
}

// pointBack makes the branch current again that point has left, and returns why the merge failed.
func (m *operation) pointBack(ctx context.Context, failure error) error {
	if m.left == "" {
		return failure
	}
	held := m.left == m.o.Source // its lock
	if err := m.Store.PointHead(context.WithoutCancel(ctx), m.left, "merge failed", held); err != nil {
		return errors.Join(failure, fmt.Errorf("'%s' is current now: %w", m.target, err))
	}
	return failure
}
