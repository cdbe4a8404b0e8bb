package fsck

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"path"
	"strings"

	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/prose"
	"github.com/git-context/git-context/refs/store"
)

// aside reports a file of local state that cannot be read, written by this version or an older one. No ref depends on it:
// mending renames it, under the lock of those who write it, so that commands no longer fail and nothing is lost. A file
// of a newer version is left to that, or to people.
func (c *checker) aside(ctx context.Context, name, lock string, newest int, p Problem) {
	data, err := git.ReadStateFile(c.s.StatePath(name))
	if errors.Is(err, fs.ErrNotExist) {
		return
	}
	var v struct{ Version int }
	if json.Unmarshal(data, &v) == nil && v.Version > newest {
		p.Message += "; a newer version wrote it"
		p.Repair = "rm " + prose.ShellQuoted(c.s.StatePath(name))
		c.report(ctx, nil, p)
		return
	}
	now := ""
	p.Repair = FixCommand
	c.report(ctx, func(ctx context.Context) (err error) {
		l, err := c.s.Repo().Lock(ctx, lock)
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, l.Unlock()) }()
		if is, err := git.ReadStateFile(c.s.StatePath(name)); err != nil || string(is) != string(data) {
			return ignoreAbsent(err) // another process has replaced it
		}
		now, err = c.s.SetAside(name)
		return err
	}, p)
	if now != "" {
		c.found[len(c.found)-1].Message += "; it is now '" + now + "', until gc removes it"
	}
}

func ignoreAbsent(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// branchLockOf returns the lock of the branch whose name a file of local state has.
func branchLockOf(name string) string {
	return store.JournalLock(strings.TrimSuffix(path.Base(name), ".json") + ".jsonl")
}
