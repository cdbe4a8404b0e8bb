package search

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/git-context/git-context/refs/cache"
	"github.com/git-context/git-context/refs/fail"
	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/index"
	"github.com/git-context/git-context/refs/store"
)

const (
	cacheFiles   = "files"   // of branches
	cacheCommits = "commits" // hashes of memory commits
	cacheNotes   = "notes"   // scores and outcomes
	shardSuffix  = ".shard"
	cacheLock    = "search-cache"
)

// shardFile is a shard of the cache.
type shardFile struct {
	*index.Shard
	file *os.File
	name string
}

// openShards opens the shards of the cache, and returns the names of files that are
// damaged or were not written here.
func openShards(s *store.Store) (shards []shardFile, bad []string) {
	dir := filepath.Join(s.Repo().StateDir(), filepath.FromSlash(cache.Dir))
	names, err := shardNames(s)
	if err != nil {
		return nil, nil
	}
	end := sealed(cache.Seal(s.Repo(), false))
	for _, name := range names {
		if !strings.HasSuffix(name, end) {
			bad = append(bad, name)
			continue
		}
		f, err := git.OpenStateFile(filepath.Join(dir, name), os.O_RDONLY, 0)
		if errors.Is(err, fs.ErrNotExist) {
			continue // another search has removed it
		}
		if err != nil {
			bad = append(bad, name)
			continue
		}
		shard, err := openShard(f)
		if err != nil {
			bad = append(bad, name)
			f.Close()
			continue
		}
		shards = append(shards, shardFile{shard, f, name})
	}
	return shards, bad
}

// shardNames lists the shards of the cache, sorted.
func shardNames(s *store.Store) (names []string, err error) {
	list, err := os.ReadDir(filepath.Join(s.Repo().StateDir(), filepath.FromSlash(cache.Dir)))
	for _, e := range list {
		if strings.HasSuffix(e.Name(), shardSuffix) {
			names = append(names, e.Name())
		}
	}
	return names, err
}

// sealed is the end of the names of shards that were written under a seal, which is part of no
// name if there is none.
func sealed(seal string) string { return "-" + cmp.Or(seal, "/") + shardSuffix }

func openShard(f *os.File) (*index.Shard, error) {
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	return index.Open(f, info.Size())
}

// mostShards is how many shards the cache contains before the small ones are joined.
const mostShards = 8

// keepShards writes new shards into the cache, unless another search writes it or has
// changed it since old was opened. If there are too many, it joins shards and drops units
// that are not in alive. Above limit bytes, it writes only what fits.
func keepShards(s *store.Store, old []shardFile, bad []string, fresh [][]byte, limit int64,
	alive func() (map[index.Key]bool, error)) error {
	lock, ok, err := s.Repo().TryLock(cacheLock)
	if err != nil || !ok {
		return err
	}
	defer lock.Unlock()
	if changed, err := cacheChanged(s, old, bad); err != nil || changed {
		return err
	}
	slices.SortFunc(old, func(a, b shardFile) int { return cmp.Compare(a.Size(), b.Size()) })
	for len(old) > 0 && sizeOf(old) > limit { // the limit was lowered
		bad = append(bad, old[len(old)-1].name)
		old = old[:len(old)-1]
	}
	join := 0 // how many of old, the smallest first
	if sizeOf(old)+lengthOf(fresh) > limit {
		if fresh, join, err = fitting(old, fresh, limit, alive); err != nil {
			return err
		}
	} else if len(old)+len(fresh) > mostShards {
		join = toJoin(old, fresh)
		joined, err := joinShards(old[:join], fresh, alive)
		if err != nil {
			return err
		}
		fresh = [][]byte{joined}
	}
	written := map[string]bool{}
	for _, data := range fresh {
		name, err := writeShard(s, data)
		if err != nil {
			return err
		}
		written[name] = true
	}
	for _, o := range old[:join] {
		bad = append(bad, o.name)
	}
	return cleanCache(s, slices.DeleteFunc(bad, func(name string) bool { return written[name] }))
}

// cacheChanged reports whether another search has written shards that are not in old or
// bad.
func cacheChanged(s *store.Store, old []shardFile, bad []string) (bool, error) {
	known := map[string]bool{}
	for _, o := range old {
		known[o.name] = true
	}
	for _, name := range bad {
		known[name] = true
	}
	names, err := shardNames(s)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return slices.ContainsFunc(names, func(name string) bool { return !known[name] }), err
}

func sizeOf(shards []shardFile) (sum int64) {
	for _, o := range shards {
		sum += o.Size()
	}
	return sum
}

func lengthOf(shards [][]byte) (sum int64) {
	for _, data := range shards {
		sum += int64(len(data))
	}
	return sum
}

// full reports whether the cache has so little room that it is not rewritten for it.
func full(shards []shardFile, limit int64) bool { return limit-sizeOf(shards) < limit/worth }

// worth is the part of the limit for which a full cache is rewritten. For less, every
// search of a memory that is too large would join shards to make room for what the next one
// drops.
const worth = 8

// fitting selects what a cache near its limit stores: how many old shards are replaced, and
// what is written. Only units that no branch contains make room, so the cache of a memory
// of any size fills up to the limit.
func fitting(old []shardFile, fresh [][]byte, limit int64, alive func() (map[index.Key]bool, error)) (write [][]byte,
	join int, err error) {
	room := limit - sizeOf(old)
	if room < limit/worth && len(old) > 0 {
		living, err := alive()
		if err != nil {
			return nil, 0, err
		}
		if room+deadIn(old, living) < limit/worth {
			return nil, 0, nil
		}
		joined, err := joinShards(old, nil, func() (map[index.Key]bool, error) { return living, nil })
		if err != nil {
			return nil, 0, err
		}
		write, join, room = append(write, joined), len(old), limit-int64(len(joined))
	}
	for _, data := range fresh {
		if int64(len(data)) > room {
			if room < limit/worth {
				break
			}
			if data, err = partOf(data, room); err != nil {
				return nil, 0, err
			}
		}
		write, room = append(write, data), room-int64(len(data))
	}
	return write, join, nil
}

// deadIn estimates how many bytes of shards are units that no branch contains.
func deadIn(shards []shardFile, living map[index.Key]bool) (sum int64) {
	for _, o := range shards {
		dead, all := 0, 0
		for _, u := range o.Units() {
			all += u.Docs
			if !living[u.Key] {
				dead += u.Docs
			}
		}
		sum += o.Size() * int64(dead) / int64(max(all, 1))
	}
	return sum
}

// partOf returns a shard with as many units of another as take about room bytes; none if
// they turn out larger than room.
func partOf(data []byte, room int64) ([]byte, error) {
	shard, err := memoryShard(data)
	if err != nil {
		return nil, err
	}
	units := map[index.Key]bool{}
	docs, all := int64(0), int64(0)
	for _, u := range shard.Units() {
		all += int64(u.Docs)
	}
	for _, u := range shard.Units() { // an eighth less: a part has more terms for its size
		if n := docs + int64(u.Docs); n*int64(len(data)) <= room*all*7/8 {
			docs, units[u.Key] = n, true
		}
	}
	part, err := index.Merge([]*index.Shard{shard}, func(k index.Key) bool { return units[k] })
	if int64(len(part)) > room {
		return nil, err
	}
	return part, err
}

// toJoin returns how many of the shards, the smallest first, are joined with the new ones:
// until the next is larger than twice their sum. A unit is thus rewritten only as often as
// the index doubles.
func toJoin(old []shardFile, fresh [][]byte) int {
	var sum int64
	for _, data := range fresh {
		sum += int64(len(data))
	}
	for i, o := range old {
		if i >= mostShards/2 && o.Size() > 2*sum {
			return i
		}
		sum += o.Size()
	}
	return len(old)
}

// joinShards merges shards into one, without units that are not alive. The result may be
// empty.
func joinShards(old []shardFile, fresh [][]byte, alive func() (map[index.Key]bool, error)) ([]byte, error) {
	keep, err := alive()
	if err != nil {
		return nil, err
	}
	var all []*index.Shard
	for _, o := range old {
		all = append(all, o.Shard)
	}
	for _, data := range fresh {
		shard, err := memoryShard(data)
		if err != nil {
			return nil, err
		}
		all = append(all, shard)
	}
	return index.Merge(all, func(k index.Key) bool { return keep[k] })
}

// writeShard writes a shard under a name derived from its content, so that two searches
// that made the same write the same file.
func writeShard(s *store.Store, data []byte) (string, error) {
	if len(data) == 0 {
		return "", nil
	}
	seal := cache.Seal(s.Repo(), true)
	if seal == "" {
		return "", errors.New("the cache cannot be sealed")
	}
	sum := sha256.Sum256(data[:min(len(data), 1<<16)])
	name := fmt.Sprintf("%x-%x%s", len(data), sum[:10], sealed(seal))
	return name, s.Repo().WriteStateFile(cache.Dir+"/"+name, data)
}

// tempAge is the age from which an incomplete file is removed.
const tempAge = time.Hour

// cleanCache removes files from the cache, and incomplete files of a search that was
// killed.
func cleanCache(s *store.Store, names []string) error {
	dir := filepath.Join(s.Repo().StateDir(), filepath.FromSlash(cache.Dir))
	list, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	for _, e := range list {
		info, err := e.Info()
		if err == nil && git.IsTemp(e.Name()) && s.Repo().Now().Sub(info.ModTime()) > tempAge {
			names = append(names, e.Name())
		}
	}
	for _, name := range names {
		if err := os.Remove(filepath.Join(dir, name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

// cacheLimit returns how many bytes the index of searches may take.
func cacheLimit(ctx context.Context, s *store.Store) (int64, error) {
	cfg, err := s.Repo().Config(ctx)
	if err != nil {
		return 0, err
	}
	n, err := cfg.Int(store.KeySearchCache, store.DefaultSearchCache)
	if err == nil && n < 0 {
		err = fmt.Errorf("%s is %d; it must not be below 0", store.KeySearchCache, n)
	}
	if err != nil {
		return 0, fail.New(fail.ErrInvalid, fail.ConfigInvalid, err.Error(), "git config "+store.KeySearchCache+" 256m")
	}
	return int64(n), nil
}
