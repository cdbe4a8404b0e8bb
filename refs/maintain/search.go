package maintain

import (
	"context"
	"errors"

	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/index"
	"github.com/git-context/git-context/refs/search"
	"github.com/git-context/git-context/refs/store"
)

// search makes the index of searches smaller: it is written anew without the texts that
// no branch has any more, if they are half of it, and loses its largest files if it is
// above its limit. The next search adds what it lacks.
func (g *collecting) search(ctx context.Context) (err error) {
	limit, err := search.SearchCacheLimit(ctx, g.s)
	if err != nil {
		return err
	}
	c := &search.Corpus{S: g.s, All: true, Tips: map[string]git.ID{}}
	c.Cached, c.Bad = search.OpenShards(g.s)
	defer func() { err = errors.Join(err, c.Close()) }()
	before := search.SizeOf(c.Cached)
	if before == 0 && len(c.Bad) == 0 {
		return nil
	}
	trees, err := c.ReadTips(ctx, "")
	if err != nil {
		return err
	}
	if c.Branches, err = search.ListFiles(ctx, g.s, trees, true); err != nil {
		return err
	}
	alive, err := c.Alive(ctx)
	if err != nil {
		return err
	}
	if 2*search.DeadIn(c.Cached, alive) < before && before <= limit && len(c.Bad) == 0 {
		return nil
	}
	after, err := shrinkCache(g.s, c.Cached, c.Bad, limit, alive)
	g.res.Bytes += before - after
	return err
}

// shrinkCache leaves one shard of what is alive, if it fits, unless another search is at
// it. It returns how many bytes the cache has then.
func shrinkCache(s *store.Store, old []search.ShardFile, bad []string, limit int64, alive map[index.Key]bool) (size int64, err error) {
	lock, ok, err := s.Repo().TryLock(search.CacheLock)
	if err != nil || !ok {
		return search.SizeOf(old), err
	}
	defer lock.Unlock()
	if changed, err := search.CacheChanged(s, old, bad); err != nil || changed {
		return search.SizeOf(old), err
	}
	data, err := search.JoinShards(old, nil, func() (map[index.Key]bool, error) { return alive, nil })
	if err != nil {
		return search.SizeOf(old), err
	}
	if int64(len(data)) > limit {
		data = nil
	}
	name, err := search.WriteShard(s, data)
	if err != nil {
		return search.SizeOf(old), err
	}
	for _, o := range old {
		if o.Name != name {
			bad = append(bad, o.Name)
		}
	}
	return int64(len(data)), search.CleanCache(s, bad)
}
