package fsck

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/git-context/git-context/refs/expunge"
	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/prose"
	"github.com/git-context/git-context/refs/remote"
	"github.com/git-context/git-context/refs/store"
)

// renameRemote moves what is kept of a remote to its new name: tracking refs, local
// state, what waits to be resolved, settings. What was learnt under the new name since is
// newer and stands. The refspecs, by which this is found, come last, so that a kill
// leaves it to be done again.
func (c *checker) renameRemote(ctx context.Context, from, to string) (err error) {
	old, now := remote.Remote{Name: from, Tracking: git.RemoteTracking(from)}, remote.Remote{Name: to, Tracking: git.RemoteTracking(to)}
	both := []remote.Remote{old, now}
	slices.SortFunc(both, func(a, b remote.Remote) int { return cmp.Compare(a.Name, b.Name) })
	for _, p := range both {
		lock, err1 := remote.Lock(ctx, c.s, p)
		if err1 != nil {
			return err1
		}
		defer func() { err = errors.Join(err, lock.Unlock()) }()
	}
	if err := c.renameTracking(ctx, old, now); err != nil {
		return err
	}
	if err := c.renameState(old, now); err != nil {
		return err
	}
	if err := c.renameHeld(ctx, from, to); err != nil {
		return err
	}
	return c.renameSettings(ctx, from, to)
}

func (c *checker) renameTracking(ctx context.Context, old, now remote.Remote) error {
	list, err := c.s.Repo().Refs(ctx, append(old.Tracking.All(), now.Tracking.All()...)...)
	if err != nil {
		return err
	}
	there := map[string]bool{}
	for _, r := range list {
		there[r.Name] = true
	}
	return c.moveRefs(ctx, "rename remote "+prose.OneLine(old.Name, 100), func(tx *git.Tx) {
		for _, r := range list {
			for i, prefix := range old.Tracking.All() {
				rest, ok := strings.CutPrefix(r.Name, prefix)
				if !ok || strings.HasPrefix(r.Name, now.Tracking.All()[i]) {
					continue
				}
				if to := now.Tracking.All()[i] + rest; !there[to] {
					tx.Update(to, r.ID, "")
				}
				tx.Delete(r.Name, r.ID)
			}
		}
	})
}

// renameState joins what local state says under both names.
func (c *checker) renameState(old, now remote.Remote) error {
	shared, err := remote.ReadShared(c.s, old)
	if err != nil {
		return err
	}
	since, err := remote.ReadShared(c.s, now)
	if err != nil {
		return err
	}
	if len(shared) > 0 {
		maps.Copy(shared, since)
		if err := remote.WriteShared(c.s, now, shared); err != nil {
			return err
		}
	}
	held, err := expunge.ReadHeldState(c.s, old)
	if err != nil {
		return err
	}
	later, err := expunge.ReadHeldState(c.s, now)
	if err != nil {
		return err
	}
	maps.Copy(held.Refs, later.Refs)
	held.Purge = append(held.Purge, later.Purge...)
	if err := expunge.WriteHeldState(c.s, now, held); err != nil {
		return err
	}
	// What is known to be clean is found out again.
	return errors.Join(removeFile(c.s.StatePath(old.SharedName())), removeFile(c.s.StatePath(expunge.HeldName(old))), removeFile(c.s.StatePath(expunge.CleanName(old))))
}

// renameHeld renames the remote in conflicts of a sync that wait on branches.
func (c *checker) renameHeld(ctx context.Context, from, to string) error {
	names, err := c.s.BranchNames(ctx)
	if err != nil {
		return err
	}
	for _, name := range names {
		if _, err := os.Stat(c.s.StatePath(store.MergeStateName(name))); err != nil {
			continue
		}
		if err := c.s.WhileLocked(ctx, func() error {
			h, err := c.s.ReadMerge(name)
			if err != nil || h == nil || h.Remote != from || h.Bundle {
				return err
			}
			h.Remote = to
			return c.s.WriteHeld(h)
		}, name); err != nil {
			return err
		}
	}
	return nil
}

// renameSettings moves the settings that have the remote's name, unless the new one has
// its own.
func (c *checker) renameSettings(ctx context.Context, from, to string) error {
	cfg, err := c.s.Repo().Config(ctx)
	if err != nil {
		return err
	}
	have := cfg.Subsections("context")
	if slices.Contains(have, from) && !slices.Contains(have, to) {
		if err := c.setConfig(ctx, "config", "--rename-section", "context."+from, "context."+to); err != nil {
			return fmt.Errorf("rename the settings of '%s': %w", from, err)
		}
	}
	if name, _ := cfg.String(store.KeyRemote); name == from {
		return c.setConfig(ctx, "config", store.KeyRemote, to)
	}
	return nil
}
