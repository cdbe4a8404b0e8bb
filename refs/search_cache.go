package refs

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"hash/crc32"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/git-context/git-context/refs/index"
)

// The cache of searches is a folder of local state. Every file in it holds for good what
// it says, because it says it of object ids: the files of a tree, the terms of a blob,
// the milestone of a commit, the note of a notes tree. A file that is missing, damaged or
// cannot be written is no error: what it would have said is read from git.
const (
	cacheDir     = "cache/search"
	cacheFiles   = "files"   // of branches
	cacheCommits = "commits" // of milestones
	cacheNotes   = "notes"   // scores and outcomes
	shardSuffix  = ".shard"
	cacheLock    = "search-cache"
)

// readCache reads a small file of the cache: a line with the checksum of the rest, and
// the rest.
func (s *Store) readCache(name string) string {
	data, err := os.ReadFile(filepath.Join(s.repo.StateDir(), filepath.FromSlash(cacheDir), name))
	if err != nil {
		return ""
	}
	sum, text, _ := strings.Cut(string(data), "\n")
	if sum != textSum(name, text) {
		return ""
	}
	return text
}

// writeCache replaces a small file of the cache.
func (s *Store) writeCache(name, text string) {
	// Only to save the next search its questions: failing is no error.
	_ = s.repo.WriteStateFile(cacheDir+"/"+name, []byte(textSum(name, text)+"\n"+text))
}

// textSum names format and content of a small file.
func textSum(name, text string) string {
	sum := crc32.Checksum([]byte(text), crc32.MakeTable(crc32.Castagnoli))
	return fmt.Sprintf("git-context %s 1 %d %08x", name, len(text), sum)
}

// shardFile is a shard of the cache.
type shardFile struct {
	*index.Shard
	file *os.File
	name string
}

// openShards opens what is in the cache. A file that is no shard is passed over, and
// its name given for removal.
func (s *Store) openShards() (shards []shardFile, bad []string) {
	dir := filepath.Join(s.repo.StateDir(), filepath.FromSlash(cacheDir))
	names, err := os.ReadDir(dir) // sorted, so that two searches see one order
	if err != nil {
		return nil, nil
	}
	for _, e := range names {
		if !strings.HasSuffix(e.Name(), shardSuffix) {
			continue
		}
		f, err := os.Open(filepath.Join(dir, e.Name()))
		if err != nil {
			continue // removed since, by another search
		}
		shard, err := openShard(f)
		if err != nil {
			bad = append(bad, e.Name())
			f.Close()
			continue
		}
		shards = append(shards, shardFile{shard, f, e.Name()})
	}
	return shards, bad
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

// keepShards writes new shards into the cache, unless another search is about to. Above
// limit bytes, and where there are too many, shards are joined, and units that alive
// does not know are dropped.
func (s *Store) keepShards(old []shardFile, bad []string, fresh [][]byte, limit int64, alive func() (map[index.Key]bool, error)) error {
	lock, ok, err := s.repo.TryLock(cacheLock)
	if err != nil || !ok {
		return err
	}
	defer lock.Unlock()
	var total int64
	for _, o := range old {
		total += o.Size()
	}
	for _, data := range fresh {
		total += int64(len(data))
	}
	join := 0 // how many of the old ones, the smallest first
	slices.SortFunc(old, func(a, b shardFile) int { return int(min(max(a.Size()-b.Size(), -1), 1)) })
	if total > limit {
		join = len(old)
	} else if len(old)+len(fresh) > mostShards {
		join = toJoin(old, fresh)
	}
	if join > 0 {
		joined, err := joinShards(old[:join], fresh, alive)
		if err != nil {
			return err
		}
		fresh = [][]byte{joined}
		total = int64(len(joined))
		for _, o := range old[join:] {
			total += o.Size()
		}
	}
	if total > limit {
		fresh = nil // what is alive is too much: keep what is there
		join = 0
	}
	written := map[string]bool{}
	for _, data := range fresh {
		name, err := s.writeShard(data)
		if err != nil {
			return err
		}
		written[name] = true
	}
	for _, o := range old[:join] {
		if !written[o.name] {
			bad = append(bad, o.name)
		}
	}
	return s.cleanCache(bad)
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
func (s *Store) writeShard(data []byte) (string, error) {
	if len(data) == 0 {
		return "", nil
	}
	sum := sha256.Sum256(data[:min(len(data), 1<<16)])
	name := fmt.Sprintf("%x-%x%s", len(data), sum[:10], shardSuffix)
	return name, s.repo.WriteStateFile(cacheDir+"/"+name, data)
}

// abandoned is the age from which on a file that nobody finished writing is removed.
const abandoned = time.Hour

// cleanCache removes files from the cache, and what was left by a search that was killed.
func (s *Store) cleanCache(names []string) error {
	dir := filepath.Join(s.repo.StateDir(), filepath.FromSlash(cacheDir))
	list, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	for _, e := range list {
		info, err := e.Info()
		if err == nil && strings.HasPrefix(e.Name(), "tmp_") && s.repo.Now().Sub(info.ModTime()) > abandoned {
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
