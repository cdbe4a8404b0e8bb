package search

import (
	"context"
	"errors"

	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/index"
	"github.com/git-context/git-context/refs/store"
)

// Shrink makes the cache smaller and returns how many bytes that freed. It rewrites the cache
// without the texts that no branch contains, if these are half of it or more, if the cache is
// larger than context.search.cacheLimit, or if a file in it is damaged. A cache that is still
// larger than the limit then is removed; the next search indexes what it lacks. Shrink changes
// nothing while a search writes the cache.
func Shrink(ctx context.Context, s *store.Store) (freed int64, err error) {
	limit, err := cacheLimit(ctx, s)
	if err != nil {
		return 0, err
	}
	c := &corpus{s: s, all: true, tips: map[string]git.ID{}}
	c.cached, c.bad = openShards(s)
	defer func() { err = errors.Join(err, c.close()) }()
	before := sizeOf(c.cached)
	if before == 0 && len(c.bad) == 0 {
		return 0, nil
	}
	alive, err := c.alive(ctx)
	if err != nil {
		return 0, err
	}
	if 2*deadIn(c.cached, alive) < before && before <= limit && len(c.bad) == 0 {
		return 0, nil
	}
	after, err := rewriteCache(s, c.cached, c.bad, limit, alive)
	return before - after, err
}

// rewriteCache replaces all shards by one of the units in alive, if that is within the limit, and
// returns the size of the cache then. It leaves the cache to another search that writes it.
func rewriteCache(s *store.Store, old []shardFile, bad []string, limit int64,
	alive map[index.Key]bool) (size int64, err error) {
	lock, ok, err := s.Repo().TryLock(cacheLock)
	if err != nil || !ok {
		return sizeOf(old), err
	}
	defer lock.Unlock()
	if changed, err := cacheChanged(s, old, bad); err != nil || changed {
		return sizeOf(old), err
	}
	data, err := joinShards(old, nil, func() (map[index.Key]bool, error) { return alive, nil })
	if err != nil {
		return sizeOf(old), err
	}
	if int64(len(data)) > limit {
		data = nil
	}
	name, err := writeShard(s, data)
	if err != nil {
		return sizeOf(old), err
	}
	for _, o := range old {
		if o.name != name {
			bad = append(bad, o.name)
		}
	}
	return int64(len(data)), cleanCache(s, bad)
}
