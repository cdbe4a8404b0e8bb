package refs

import (
	"context"
	"errors"
	"io/fs"
	"os"
)

// checkExpunge looks for something that was to be forgotten, and is not yet, because
// whoever was at it was killed. The next command that writes finishes it; to mend is to
// do that now. Where the lock is held somebody is at it.
func checkExpunge(ctx context.Context, c *checking) error {
	file := c.s.statePath(expungeIntentName)
	if _, err := os.Stat(file); err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		return err
	}
	lock, free, err := c.s.repo.TryLock(expungeLock)
	if err != nil || !free {
		return err
	}
	left, err := c.s.readExpungeIntent()
	if err1 := lock.Unlock(); err1 != nil {
		return errors.Join(err, err1)
	}
	switch {
	case errors.Is(err, ErrInvalid):
		c.report(ctx, nil, Problem{Kind: "expunge-unreadable", Object: file, Message: err.Error() + "; expunge again what was to be forgotten, when the file is gone",
			Repair: "rm " + shellQuoted(file)})
	case err != nil:
		return err
	case left != nil:
		c.report(ctx, func(ctx context.Context) error { return c.s.finishExpunge(ctx, c.w) }, Problem{Kind: "expunge-left", Object: file,
			Repair: FsckFix, Message: "an expunge was interrupted: what it was to forget is not gone yet"})
	}
	return nil
}
