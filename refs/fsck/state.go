package fsck

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/git-context/git-context/refs/expunge"
	"github.com/git-context/git-context/refs/fail"
	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/history"
	"github.com/git-context/git-context/refs/maintain"
	"github.com/git-context/git-context/refs/prose"
	"github.com/git-context/git-context/refs/remote"
	"github.com/git-context/git-context/refs/store"
)

// checkAccess checks that local state can be written. After a copy by another user, or a
// command run as root, nothing can be recorded or checked.
func checkAccess(ctx context.Context, c *checker) error {
	list, err := c.s.Repo().RefusedState()
	if err != nil {
		return err
	}
	for _, r := range list {
		p := Problem{Kind: "state-refused", Object: r.Path, Message: fmt.Sprintf("'%s' cannot be written to", r.Path),
			Repair: "chmod -R u+rwX " + prose.ShellQuoted(r.Path)}
		if r.Read {
			p.Message = fmt.Sprintf("'%s' cannot be read", r.Path)
			p.Repair = "chmod u+rw " + prose.ShellQuoted(r.Path)
		}
		if !r.Own {
			p.Message += ": it belongs to another user"
			p.Repair = `sudo chown -R "$(id -un)" ` + prose.ShellQuoted(r.Path)
		}
		c.report(ctx, nil, p)
		c.reported = append(c.reported, r.Path)
		c.blocked = c.blocked || !r.Read
	}
	return nil
}

// checkState looks for files of local state that cannot be read, each of which breaks some
// command: waiting merges, bisects, the state of remotes, the list of commits that were written here.
func checkState(ctx context.Context, c *checker) error {
	names, err := c.s.BranchNames(ctx)
	if err != nil {
		return err
	}
	for _, name := range names {
		if _, err := c.s.ReadMerge(name); errors.Is(err, fail.ErrInvalid) {
			c.aside(ctx, store.MergeStateName(name), store.BranchLock(name), store.MergeStateVersion, Problem{Kind: "merge-unreadable", Object: c.s.StatePath(store.MergeStateName(name)),
				Message: err.Error() + "; merge or sync again after the repair"})
		} else if err != nil {
			return err
		}
	}
	remotes, err := c.stateNames("held")
	if err != nil {
		return err
	}
	for _, name := range remotes {
		path := c.s.StatePath(expunge.DirtyStateName(remote.Remote{Name: name}))
		var foreign *git.NotRegularError
		var large *git.TooLargeError
		if _, err := expunge.ReadDirtyState(c.s, remote.Remote{Name: name}); errors.Is(err, fs.ErrPermission) || errors.As(err, &foreign) ||
			errors.As(err, &large) {
			return err
		} else if err != nil {
			c.report(ctx, nil, Problem{Kind: "held-unreadable", Object: path, Repair: "rm " + prose.ShellQuoted(path),
				Message: err.Error() + "; what remote '" + git.Shown(name) +
					"' has of what was forgotten is found again by the next sync"})
		}
	}
	return errors.Join(c.bisects(ctx), c.lists())
}

// lists reads what every commit and every sync needs: what was written here, and what remotes shared.
func (c *checker) lists() error {
	if _, _, err := c.s.WrittenSince(0); err != nil {
		return err
	}
	remotes, err := c.stateNames("shared")
	if err != nil {
		return err
	}
	for _, name := range remotes {
		if _, err := remote.ReadShared(c.s, remote.Remote{Name: name}); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

// bisects checks the bisects of all worktrees and branches.
func (c *checker) bisects(ctx context.Context) error {
	err := filepath.WalkDir(c.s.StatePath(store.BisectDir), func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || filepath.Ext(path) != ".json" {
			return err
		}
		data, err := git.ReadStateFile(path)
		if errors.Is(err, fs.ErrNotExist) { // reset meanwhile
			return nil
		}
		if err != nil {
			return err
		}
		var st history.BisectState
		if err := json.Unmarshal(data, &st); err != nil || st.Version != history.BisectVersion {
			name := path[len(c.s.Repo().StateDir())+1:]
			c.aside(ctx, filepath.ToSlash(name), filepath.ToSlash(name), history.BisectVersion, Problem{Kind: "bisect-unreadable", Object: path,
				Message: fmt.Sprintf("the bisect in '%s' cannot be read; start it again after the repair", path)})
		}
		return nil
	})
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// checkGC reports why the last gc in the background failed. Mending runs it now.
func checkGC(ctx context.Context, c *checker) error {
	path := c.s.StatePath(store.GCLog)
	text, err := git.ReadStateFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	c.report(ctx, func(ctx context.Context) error {
		_, err := maintain.Run(ctx, c.s, maintain.Options{Writer: c.w})
		return err
	}, Problem{Kind: "gc-failed", Object: path, Repair: FixCommand,
		Message: fmt.Sprintf("a gc in the background failed on %s: %s",
			info.ModTime().UTC().Format(time.RFC3339), prose.OneLine(string(bytes.TrimSpace(text)), 500))})
	return nil
}
