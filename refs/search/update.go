package search

import (
	"context"
	"errors"

	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/store"
)

// Update indexes what the cache lacks of all branches, as a search of them would, so that
// the next one finds it. It is what a gc does in the background after changes of memory. It
// changes nothing if texts of less than 64 KiB are missing, if the cache is full or
// context.search.cacheLimit is 0, and while a search writes the cache. If it is killed, the
// cache is as before, or complete.
func Update(ctx context.Context, s *store.Store) (err error) {
	limit, err := cacheLimit(ctx, s)
	if err != nil || limit == 0 {
		return err
	}
	c := &corpus{s: s, all: true, wanted: wanted{kinds: everyKind}, tips: map[string]git.ID{}}
	c.cached, c.bad = openShards(s)
	defer func() { err = errors.Join(err, c.close()) }()
	if full(c.cached, limit) {
		return nil
	}
	trees, err := c.readTips(ctx, "")
	if err != nil {
		return err
	}
	if c.branches, err = listFiles(ctx, s, trees, true); err != nil {
		return err
	}
	if c.places, err = placesOf(c.branches, everyKind); err != nil {
		return err
	}
	if err := c.index(ctx); err != nil {
		return err
	}
	return c.keep(ctx)
}
