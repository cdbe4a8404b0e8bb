package fsck

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/git-context/git-context/refs/expunge"
	"github.com/git-context/git-context/refs/fail"
	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/git/pack"
	"github.com/git-context/git-context/refs/prose"
)

// packGrace is how long a pack may be between two files while git adds or removes it.
const packGrace = time.Second

// checkPacks looks for indexes that are damaged, and for packs that git passes over. What these contain is not lost, so that no other check may
// run before.
func checkPacks(ctx context.Context, c *checker) error {
	damaged, err := pack.DamagedIndexes(ctx, c.s.Repo())
	if err != nil {
		return err
	}
	unusable, err := pack.Unusable(c.s.Repo())
	if err != nil {
		return err
	}
	var used, unused []string
	for _, index := range damaged {
		if slices.ContainsFunc(unusable, func(path string) bool { return pack.IndexPath(path) == index }) {
			unused = append(unused, index)
		} else {
			used = append(used, index)
		}
	}
	if err := c.checkIndexes(ctx, used); c.blocked || err != nil {
		return err
	}
	if len(unusable) > 0 {
		whole, err := c.historyWhole(ctx)
		switch {
		case err != nil:
		case whole: // a pack without an index is left alone, but not one with what is left of its own
			err = c.checkIndexes(ctx, unused)
		default:
			err = c.checkUnusable(ctx, unusable)
		}
		if c.blocked || err != nil {
			return err
		}
	}
	return c.checkMultiIndex(ctx)
}

// checkIndexes reports indexes of packs, if they are damaged still when a process that may be writing them has had time.
func (c *checker) checkIndexes(ctx context.Context, first []string) error {
	if len(first) == 0 {
		return nil
	}
	if err := waitGrace(ctx); err != nil {
		return err
	}
	indexes, err := pack.DamagedIndexes(ctx, c.s.Repo())
	if err != nil {
		return err
	}
	for _, index := range indexes {
		if !slices.Contains(first, index) {
			continue
		}
		c.report(ctx, func(ctx context.Context) error { return c.indexPack(ctx, strings.TrimSuffix(index, ".idx")+".pack") },
			Problem{Kind: "pack-index-damaged", Object: index, Repair: FixCommand,
				Message: fmt.Sprintf("the index '%s' of a pack does not have the checksum that it ends with; the repair writes it again", index)})
		c.blocked = c.blocked || !c.found[len(c.found)-1].Fixed // git finds objects at wrong places, or not at all
	}
	return nil
}

// checkMultiIndex does so for the index of several packs.
func (c *checker) checkMultiIndex(ctx context.Context) error {
	path, err := pack.DamagedMultiIndex(c.s.Repo())
	if path == "" || err != nil {
		return err
	}
	c.report(ctx, func(ctx context.Context) error { return pack.WriteMultiIndex(ctx, c.s.Repo()) },
		Problem{Kind: "pack-index-damaged", Object: path, Repair: FixCommand,
			Message: fmt.Sprintf("the multi-pack-index '%s' does not have the checksum that it ends with; the repair writes it again", path)})
	c.blocked = c.blocked || !c.found[len(c.found)-1].Fixed
	return nil
}

// checkUnusable reports packs that git passes over. It is called if memory lacks something: where nothing is missing, such a pack is what is left
// of one that was deleted, and may contain what was expunged.
func (c *checker) checkUnusable(ctx context.Context, first []string) error {
	if err := waitGrace(ctx); err != nil {
		return err
	}
	paths, err := pack.Unusable(c.s.Repo())
	if err != nil {
		return err
	}
	for _, path := range paths {
		if !slices.Contains(first, path) {
			continue
		}
		c.report(ctx, func(ctx context.Context) error { return c.indexPack(ctx, path) },
			Problem{Kind: "pack-unusable", Object: path, Repair: FixCommand,
				Message: fmt.Sprintf("pack '%s' has no index that fits, so that git finds nothing that it contains", path)})
		c.blocked = c.blocked || !c.found[len(c.found)-1].Fixed
	}
	return nil
}

func waitGrace(ctx context.Context) error {
	select {
	case <-time.After(packGrace):
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// historyWhole reports whether all is here that our own refs lead to.
func (c *checker) historyWhole(ctx context.Context) (bool, error) {
	l, err := c.s.Repo().ListRefs(ctx, memoryPrefixes()...)
	if err != nil {
		return false, err
	}
	return c.wholeBelow(ctx, expunge.UniqueIDs(slices.DeleteFunc(l.Refs, func(r git.Ref) bool { return tracking(r.Name) || isWork(r.Name) })))
}

// indexPack writes the index of a pack again. Of a pack that is cut short, git takes out what can be read.
func (c *checker) indexPack(ctx context.Context, path string) error {
	if pack.IsAside(path) { // a repair was killed
		return pack.MoveAside(ctx, c.s.Repo(), path)
	}
	err := pack.WriteIndex(ctx, c.s.Repo(), path)
	if err == nil {
		return c.s.Repo().Close() // the running child does not look at a pack again that it could not use
	}
	if !errors.Is(err, pack.ErrDamaged) {
		return err
	}
	kept := path + ".damaged"
	return fail.New(fail.ErrInvalid, fail.Invalid, err.Error(),
		fmt.Sprintf("mv %s %s && rm -f %s && git unpack-objects -r <%s; %s", prose.ShellQuoted(path), prose.ShellQuoted(kept),
			prose.ShellQuoted(pack.IndexPath(path)), prose.ShellQuoted(kept), FixCommand))
}
