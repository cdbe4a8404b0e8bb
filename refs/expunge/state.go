package expunge

import (
	"context"
	"errors"
	"io/fs"
	"path/filepath"
	"strings"

	"github.com/git-context/git-context/notes"
	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/store"
)

// checkState returns an error if a lock cannot be opened or a file of local state cannot be read that a run
// needs. It must run before the intent is written: a run that then fails leaves an intent that no writer can
// finish until people have repaired the file.
func (op *Operation) checkState(ctx context.Context) error {
	names, err := op.Store.BranchNames(ctx)
	if err != nil {
		return err
	}
	locks := []string{notes.LockName, store.TurnLock}
	for _, name := range names {
		locks = append(locks, store.BranchLock(name))
	}
	if err := op.checkLocks(locks...); err != nil {
		return err
	}
	for _, name := range names {
		if err := op.checkJournal(ctx, name); err != nil {
			return err
		}
	}
	ignore := func(string, []byte) error { return nil }
	errs := []error{op.eachFile("journal", ignore), op.eachFile("held", ignore), op.checkCaptures()}
	for _, q := range quotingState {
		errs = append(errs, op.eachFile(q.dir, ignore))
	}
	_, err = git.ReadStateFile(op.Store.StatePath(store.HookFailures))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		errs = append(errs, err)
	}
	_, err = op.Store.Written(ctx)
	errs = append(errs, err)
	_, err = Here(op.Store)
	errs = append(errs, err)
	_, err = HiddenTexts(op.Store)
	errs = append(errs, err, op.Store.DropAttached(func(string, []byte) bool { return false }))
	return errors.Join(errs...)
}

// checkLocks opens locks. Those of other processes are waited for later.
func (op *Operation) checkLocks(names ...string) error {
	for _, name := range names {
		lock, free, err := op.Store.Repo().TryLock(name)
		if err == nil && free {
			err = lock.Unlock()
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (op *Operation) checkJournal(ctx context.Context, branch string) (err error) {
	j, c, err := op.openJournal(ctx, branch)
	if err != nil || j == nil {
		return err
	}
	defer func() { err = errors.Join(err, j.Close()) }()
	for _, l := range c.Lines {
		if _, err := op.pendingLine(l); err != nil {
			return err
		}
	}
	return nil
}

// checkCaptures opens the locks of those sessions that the run changes.
func (op *Operation) checkCaptures() error {
	return op.eachFile(store.CaptureDir, func(path string, data []byte) error {
		if op.captured(path, data) == string(data) {
			return nil
		}
		return op.checkLocks(captureLock(path))
	})
}

// captureLock returns the lock of a file of a session.
func captureLock(path string) string {
	if key, isState := strings.CutSuffix(filepath.Base(path), ".json"); isState {
		return store.CaptureLock(key)
	}
	return store.SpoolLock
}
