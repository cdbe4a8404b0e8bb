package store

import (
	"context"
	"errors"

	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/index"
)

// search makes the index of searches smaller: it is written anew without the texts that
// no branch has any more, if they are half of it, and loses its largest files if it is
// above its limit. The next search adds what it lacks.
func (g *collecting) search(ctx context.Context) (err error) {
	limit, err := g.s.searchCacheLimit(ctx)
	if err != nil {
		return err
	}
	c := &corpus{s: g.s, all: true, tips: map[string]git.ID{}}
	c.cached, c.bad = g.s.openShards()
	defer func() { err = errors.Join(err, c.close()) }()
	before := sizeOf(c.cached)
	if before == 0 && len(c.bad) == 0 {
		return nil
	}
	trees, err := c.readTips(ctx, "")
	if err != nil {
		return err
	}
	if c.branches, err = g.s.listFiles(ctx, trees, true); err != nil {
		return err
	}
	alive, err := c.alive(ctx)
	if err != nil {
		return err
	}
	if 2*deadIn(c.cached, alive) < before && before <= limit && len(c.bad) == 0 {
		return nil
	}
	after, err := g.s.shrinkCache(c.cached, c.bad, limit, alive)
	g.res.Bytes += before - after
	return err
}

// shrinkCache leaves one shard of what is alive, if it fits, unless another search is at
// it. It returns how many bytes the cache has then.
func (s *Store) shrinkCache(old []shardFile, bad []string, limit int64, alive map[index.Key]bool) (size int64, err error) {
	lock, ok, err := s.repo.TryLock(cacheLock)
	if err != nil || !ok {
		return sizeOf(old), err
	}
	defer lock.Unlock()
	if changed, err := s.cacheChanged(old, bad); err != nil || changed {
		return sizeOf(old), err
	}
	data, err := joinShards(old, nil, func() (map[index.Key]bool, error) { return alive, nil })
	if err != nil {
		return sizeOf(old), err
	}
	if int64(len(data)) > limit {
		data = nil
	}
	name, err := s.writeShard(data)
	if err != nil {
		return sizeOf(old), err
	}
	for _, o := range old {
		if o.name != name {
			bad = append(bad, o.name)
		}
	}
	return int64(len(data)), s.cleanCache(bad)
}
