package fsck

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"

	"github.com/git-context/git-context/refs/fail"
	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/git/pack"
	"github.com/git-context/git-context/refs/prose"
)

// splitPacksIn takes out what can be read of the packs that have the objects which git names when it fails. It reports whether it did.
func (c *checker) splitPacksIn(ctx context.Context, failed error) bool {
	split, err := c.splitPacks(ctx, c.namedIn(failed))
	return split && err == nil // else the caller reports that something cannot be read
}

// ofSplit reports whether something failed only because of packs that have been reported.
func (c *checker) ofSplit(ctx context.Context, failed error) bool {
	if len(c.split) == 0 {
		return false
	}
	damaged, err := c.damagedPacked(ctx, c.namedIn(failed))
	if len(damaged) == 0 || err != nil {
		return false
	}
	paths, err := pack.Holding(c.s.Repo(), damaged...)
	return err == nil && slices.ContainsFunc(paths, func(path string) bool { return c.split[path] })
}

// namedIn returns the objects that git names when it fails, and those that it was asked for.
func (c *checker) namedIn(failed error) []git.ID {
	var child *git.Error
	switch {
	case errors.As(failed, &child) && child.Code >= 0:
		return c.named(failed.Error() + "\n" + child.Stderr)
	case child == nil && git.NotHere(failed):
		return c.named(failed.Error())
	}
	return nil
}

// splitPacksOf is splitPacksIn also for objects that git says are missing.
func (c *checker) splitPacksOf(ctx context.Context, lost map[git.ID]bool, failed error) (bool, error) {
	return c.splitPacks(ctx, append(slices.Sorted(maps.Keys(lost)), c.namedIn(failed)...))
}

// splitTips is splitPacks for what refs name and is no commit, or missing.
func (c *checker) splitTips(ctx context.Context, tips []git.ObjectInfo) (bool, error) {
	var ids []git.ID
	for _, tip := range tips {
		if tip.Type != "commit" {
			ids = append(ids, tip.ID)
		}
	}
	return c.splitPacks(ctx, ids)
}

// splitPacks reports the packs in which some objects are damaged, each once, and takes what can be read out of them. It reports whether
// it did.
func (c *checker) splitPacks(ctx context.Context, ids []git.ID) (split bool, err error) {
	damaged, err := c.damagedPacked(ctx, ids)
	if len(damaged) == 0 || err != nil {
		return false, err
	}
	paths, err := pack.Holding(c.s.Repo(), damaged...)
	if err != nil {
		return false, err
	}
	for _, path := range paths {
		if c.split[path] {
			continue
		}
		c.split[path] = true
		c.report(ctx, func(ctx context.Context) error { return c.takeOut(ctx, path) },
			Problem{Kind: "pack-damaged", Object: path, Repair: FixCommand,
				Message: fmt.Sprintf("pack '%s' contains objects that cannot be read; the repair packs the others again and adds '%s' to the names of its files, and what memory lacks then is mended as if it were lost",
					path, pack.AsidePath(path)[len(path):])})
		mended := c.found[len(c.found)-1].Fixed
		split, c.blocked = split || mended, c.blocked || !mended // see checkPacks
	}
	return split, nil
}

// damagedPacked lists which of some objects cannot be read and are not loose: if a pack lists one, it is damaged there.
func (c *checker) damagedPacked(ctx context.Context, ids []git.ID) (list []git.ID, err error) {
	const most = 100 // each may cost a child
	seen := map[git.ID]bool{}
	for _, id := range ids[:min(len(ids), most)] {
		if _, loose := c.s.Repo().LooseFile(id); loose || seen[id] {
			continue
		}
		seen[id] = true
		_, err := c.s.Repo().Object(ctx, string(id))
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		if err != nil { // git also says of some that they are missing
			list = append(list, id)
		}
	}
	return list, nil
}

// takeOut packs again what can be read of a pack, and moves that aside.
func (c *checker) takeOut(ctx context.Context, path string) error {
	damaged, err := pack.TakeOut(ctx, c.s.Repo(), path)
	switch {
	case errors.Is(err, pack.ErrLarge):
		return fail.New(fail.ErrInvalid, fail.Invalid, err.Error(), takeOutCommand(path, pack.AsidePath(path), c.s.Repo().ObjectFormat()))
	case err != nil:
		return err
	case len(damaged) == 0:
		return errors.New("everything in it can be read now")
	}
	for _, id := range damaged {
		c.damaged[id] = true
	}
	c.loaded = nil
	return nil
}

// takeOutCommand is what a person runs in place of takeOut for a large pack.
func takeOutCommand(path, aside, format string) string {
	base := path[:len(path)-len(".pack")]
	index := prose.ShellQuoted(pack.IndexPath(path))
	return fmt.Sprintf("git show-index --object-format=%s <%s | cut -d' ' -f2 | while read -r o; do git cat-file -p $o >/dev/null 2>&1 && echo $o; done | "+
		"git pack-objects -q %s/pack && rm -f %s/multi-pack-index && mv %s %s && mv %s %s; %s",
		format, index, prose.ShellQuoted(filepath.Dir(base)), prose.ShellQuoted(filepath.Dir(base)), index, prose.ShellQuoted(base+".idx"+aside[len(path):]),
		prose.ShellQuoted(path), prose.ShellQuoted(aside), FixCommand)
}
