package fsck

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/git-context/git-context/refs/expunge"
	"github.com/git-context/git-context/refs/fail"
	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/git/pack"
	"github.com/git-context/git-context/refs/prose"
)

// packGrace is how long a pack may be between two files while git adds or removes it.
const packGrace = time.Second

// checkPacks looks for packs that git passes over, if memory lacks something. What they contain is not lost, so that no other check may run
// before. Where nothing is missing, such a pack is what is left of one that was deleted: it may contain what was expunged.
func checkPacks(ctx context.Context, c *checker) error {
	first, err := pack.Unusable(c.s.Repo())
	if len(first) == 0 || err != nil {
		return err
	}
	if whole, err := c.historyWhole(ctx); whole || err != nil {
		return err
	}
	select {
	case <-time.After(packGrace):
	case <-ctx.Done():
		return context.Cause(ctx)
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
	if ctx.Err() != nil {
		return err
	}
	kept := path + ".damaged"
	return fail.New(fail.ErrInvalid, fail.Invalid, "the pack is damaged: "+err.Error(),
		fmt.Sprintf("mv %s %s && rm -f %s && git unpack-objects -r <%s; %s", prose.ShellQuoted(path), prose.ShellQuoted(kept),
			prose.ShellQuoted(pack.IndexPath(path)), prose.ShellQuoted(kept), FixCommand))
}
