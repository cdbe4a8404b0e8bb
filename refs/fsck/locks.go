package fsck

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/git-context/git-context/notes"
	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/store"
)

// lockAge is how old a lock file of a ref must be to count as left behind: git keeps one for
// milliseconds, and a hook that it runs meanwhile for minutes at most.
const lockAge = 10 * time.Minute

// checkLocks looks for lock files of refs, of reflogs and of the configuration whose owner is gone. A younger lock and one with a
// living owner are no problem.
func checkLocks(ctx context.Context, c *checker) error {
	locks, err := c.s.Repo().RefLocks()
	if err != nil {
		return err
	}
	for _, l := range locks {
		age := c.s.Clock().Sub(l.Made)
		if age < lockAge {
			continue
		}
		left, err := c.left(l, age)
		if err != nil {
			return err
		}
		if !left {
			continue
		}
		of := "all refs"
		switch {
		case l.Ref != "":
			of = "ref '" + l.Ref + "'"
		case l.Config:
			of = "git's configuration"
		case l.Table != "":
			of = "table '" + l.Table + "' of the refs"
		}
		if l.Log {
			of = "the reflog of " + of
		}
		c.report(ctx, func(ctx context.Context) error { return c.removeLock(ctx, l) },
			Problem{Kind: "lock-left", Object: l.Path, Repair: FixCommand,
				Message: fmt.Sprintf("a lock of %s is %d minutes old, and the process that took it has ended", of,
					int(age.Minutes()))})
	}
	return nil
}

// left reports whether a lock's owner is gone: our own lock of the same thing is free, and no
// visible process may own it.
func (c *checker) left(l git.LeftLock, age time.Duration) (bool, error) {
	own := ""
	if name, ok := git.BranchName(l.Ref); ok {
		own = store.BranchLock(name)
	} else if l.Ref == git.NotesRef {
		own = notes.LockName
	}
	if own != "" {
		lock, free, err := c.s.Repo().TryLock(own)
		if err != nil || !free {
			return false, err
		}
		if err := lock.Unlock(); err != nil {
			return false, err
		}
	}
	return c.s.Repo().Abandoned(l, age)
}

// removeLock removes a lock file, one process at a time: the second of two could otherwise
// remove a new owner's.
func (c *checker) removeLock(ctx context.Context, l git.LeftLock) error {
	lock, err := c.s.Repo().Lock(ctx, "fsck-locks")
	if err != nil {
		return err
	}
	return errors.Join(c.s.Repo().RemoveLock(l), lock.Unlock())
}
