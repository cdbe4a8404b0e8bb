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

	"github.com/git-context/git-context/refs/fail"
	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/index"
	"github.com/git-context/git-context/refs/store"
)

const (
	cacheFiles   = "files"   // of branches
	cacheCommits = "commits" // of milestones
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

// openShards opens what is in the cache. A file that is no shard is passed over, and
// its name given for removal.
func openShards(s *store.Store) (shards []shardFile, bad []string) {
	dir := filepath.Join(s.Repo().StateDir(), filepath.FromSlash(store.CacheDir))
	names, err := shardNames(s)
	if err != nil {
		return nil, nil
	}
	for _, name := range names {
		f, err := os.Open(filepath.Join(dir, name))
		if errors.Is(err, fs.ErrNotExist) {
			continue // removed since, by another search
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

// shardNames lists the shards of the cache in one order.
func shardNames(s *store.Store) (names []string, err error) {
	list, err := os.ReadDir(filepath.Join(s.Repo().StateDir(), filepath.FromSlash(store.CacheDir)))
	for _, e := range list {
		if strings.HasSuffix(e.Name(), shardSuffix) {
			names = append(names, e.Name())
		}
	}
	return names, err
}

func openShard(f *os.File) (*index.Shard, error) {
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	return index.Open(f, info.Size())
}

// mostShards is how many shards the cache holds before the small ones are joined.
const mostShards = 8

// keepShards writes new shards into the cache, unless another search is about to or has
// done so since old was opened. Where there are too many, shards are joined, and units
// that alive does not know are dropped. Above limit bytes, what fits is kept.
func keepShards(s *store.Store, old []shardFile, bad []string, fresh [][]byte, limit int64, alive func() (map[index.Key]bool, error)) error {
	lock, ok, err := s.Repo().TryLock(cacheLock)
	if err != nil || !ok {
		return err
	}
	defer lock.Unlock()
	if changed, err := cacheChanged(s, old, bad); err != nil || changed {
		return err
	}
	slices.SortFunc(old, func(a, b shardFile) int { return cmp.Compare(a.Size(), b.Size()) })
	for len(old) > 0 && sizeOf(old) > limit { // which was larger once
		bad = append(bad, old[len(old)-1].name)
		old = old[:len(old)-1]
	}
	join := 0 // how many of the old ones, the smallest first
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

// cacheChanged reports whether another search wrote shards that this one does not know.
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

// worth is the part of the limit for which a full cache is written anew. Less room is
// left as it is: else every search of a memory that is too large would join shards to
// make place for what the next one drops.
const worth = 8

// fitting chooses what a cache takes in that cannot take all: how many of the old shards
// are replaced, and what is written. Room is made of what is dead, and what goes in
// stays there; a memory of any size is so cached up to the limit.
func fitting(old []shardFile, fresh [][]byte, limit int64, alive func() (map[index.Key]bool, error)) (write [][]byte, join int, err error) {
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

// deadIn is about how many bytes of shards are of units that no branch holds.
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

// partOf is a shard of as many units of another as take about room bytes and no more;
// none if they are larger than was guessed.
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

// toJoin says how many of the shards, which come smallest first, are joined with the
// new ones: those that are together larger than half of the next. A unit is so written
// again only as often as the index doubles.
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

// joinShards merges shards into one; nothing at all gives no bytes.
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

// writeShard writes a shard under a name that its content gives it: two searches that
// made the same write the same file.
func writeShard(s *store.Store, data []byte) (string, error) {
	if len(data) == 0 {
		return "", nil
	}
	sum := sha256.Sum256(data[:min(len(data), 1<<16)])
	name := fmt.Sprintf("%x-%x%s", len(data), sum[:10], shardSuffix)
	return name, s.Repo().WriteStateFile(store.CacheDir+"/"+name, data)
}

// tempAge is the age from which on a file that nobody finished writing is removed.
const tempAge = time.Hour

// cleanCache removes files from the cache, and what was left by a search that was killed.
func cleanCache(s *store.Store, names []string) error {
	dir := filepath.Join(s.Repo().StateDir(), filepath.FromSlash(store.CacheDir))
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

// searchCacheLimit is how many bytes the index of searches may take.
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
