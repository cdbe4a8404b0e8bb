package fsck

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"

	"github.com/git-context/git-context/refs/code"
	"github.com/git-context/git-context/refs/fail"
	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/store"
)

// checkIntents looks for an interrupted `commit --code` or `rollback --code`. The next command
// that changes the branch finishes or drops it; mending does that now. One whose branch is
// locked is in progress.
func checkIntents(ctx context.Context, c *checker) error {
	files, err := os.ReadDir(c.s.StatePath(store.IntentDir))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	for _, file := range files {
		if filepath.Ext(file.Name()) != ".json" { // what a killed writer left beside it
			continue
		}
		if err := c.leftIntent(ctx, path.Join(store.IntentDir, file.Name())); err != nil {
			return err
		}
	}
	return nil
}

// leftIntent reports an intent by the branch that its file names.
func (c *checker) leftIntent(ctx context.Context, name string) error {
	file := c.s.StatePath(name)
	data, err := git.ReadStateFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	var in struct{ Branch string }
	_, known := json.Unmarshal(data, &in), error(nil)
	named := git.CheckBranchName(in.Branch) == nil && code.IntentFile(in.Branch) == name
	if named {
		_, known = code.ReadIntent(c.s, in.Branch)
	}
	if !named || errors.Is(known, fail.ErrInvalid) {
		c.aside(ctx, name, branchLockOf(name), code.IntentVersion, Problem{Kind: "intent-unreadable", Object: file,
			Message: fmt.Sprintf("'%s', the record of an interrupted command, cannot be read; recorded steps stay pending; "+
				"git log -g shows in '(context ...)' whether it moved the code", file)})
		return nil
	}
	if known != nil {
		return known
	}
	lock, free, err := c.s.Repo().TryLock(store.BranchLock(in.Branch))
	if err != nil || !free {
		return err
	}
	_, gone := os.Stat(file) // its command may have ended since
	if err := lock.Unlock(); err != nil {
		return err
	}
	if errors.Is(gone, fs.ErrNotExist) {
		return nil
	}
	c.report(ctx, func(ctx context.Context) error {
		ses, err := c.s.Begin(ctx, c.w, "fsck", in.Branch)
		if err != nil {
			return err
		}
		return ses.Close()
	}, Problem{Kind: "intent-left", Object: git.BranchRef(in.Branch), Repair: FixCommand,
		Message: fmt.Sprintf("a commit or rollback of branch '%s' with --code was interrupted", in.Branch)})
	return nil
}
