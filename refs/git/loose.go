package git

import (
	"bufio"
	"compress/zlib"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/git-context/git-context/refs/fault"
	"github.com/git-context/git-context/refs/git/disk"
	"github.com/go-git/go-git/v5/plumbing"
)

// LoosePath returns the file of a loose object in the repository's own directory, which
// need not exist. id must be a full object name.
func (r *Repo) LoosePath(id ID) string {
	return filepath.Join(r.objectDir, string(id[:2]), string(id[2:]))
}

// loose reads a loose object of the repository's own directory. It returns
// fs.ErrNotExist if there is none: the object may be packed, or borrowed.
func (r *Repo) loose(id ID) (Object, error) {
	start, err := r.looseStart(id, math.MaxInt)
	return start.Object, err
}

// looseStart is loose for no more than about the first most bytes of a giant, whose hash is not checked.
func (r *Repo) looseStart(id ID, most int) (Start, error) {
	raw, err := disk.ReadFollowed(r.LoosePath(id))
	if err != nil {
		if errors.Is(err, syscall.ENOTDIR) {
			err = fs.ErrNotExist
		}
		return Start{}, fmt.Errorf("object '%s': %w", id, err)
	}
	o, err := inflate(raw, max(most, readWhole))
	if err != nil {
		return Start{}, &DamagedError{id, err}
	}
	o.ID = id
	if !o.Whole() {
		return o, nil
	}
	if got := hashObject(o.Type, o.Data, len(id)); got != id {
		return Start{}, &DamagedError{id, fmt.Errorf("its content is that of '%s'", got)}
	}
	return o, nil
}

// hashObject returns the name of an object.
func hashObject(kind string, data []byte, hexLen int) ID {
	if hexLen == 64 {
		return sumObject(sha256.New(), kind, data)
	}
	t, err := plumbing.ParseObjectType(kind)
	if err != nil {
		return ""
	}
	return ID(plumbing.ComputeHash(t, data).String())
}

func sumObject(h hash.Hash, kind string, data []byte) ID {
	fmt.Fprintf(h, "%s %d\x00", kind, len(data))
	h.Write(data)
	return ID(hex.EncodeToString(h.Sum(nil)))
}

// LooseFile returns the file of an object, and whether it exists: it does for a loose
// object of the repository's own directory.
func (r *Repo) LooseFile(id ID) (string, bool) {
	if !r.IsID(string(id)) {
		return "", false
	}
	path := r.LoosePath(id)
	_, err := os.Lstat(path)
	return path, err == nil
}

// writeLoose stores an object as git does (object-file.c): beside its place under a name
// that `git prune` knows, without write permission, then renamed. An object that is only
// in a pack is written again: git would renew the pack's time instead; a second copy is as
// safe, and gc drops it.
func (r *Repo) writeLoose(ctx context.Context, kind string, data []byte) (ID, error) {
	o := Object{ID: hashObject(kind, data, r.hexLen()), Type: kind, Data: data}
	how, err := r.writeSettings(ctx)
	if err == nil && r.writeBehind(o, how) {
		return o.ID, nil
	}
	if err == nil {
		err = r.storeLoose(o, how)
	}
	if err != nil {
		return "", fmt.Errorf("cannot write object '%s': %w", o.ID, err)
	}
	return o.ID, nil
}

// storeLoose makes sure of a loose object.
func (r *Repo) storeLoose(o Object, how writeSettings) error {
	path := r.LoosePath(o.ID)
	if renewed(path) {
		return nil
	}
	return r.putLoose(path, o.Type, o.Data, how)
}

// renewed reports whether a loose object is there and its modification time is
// now. Another user's cannot be renewed: replaced, it is as new. An empty file
// is what a power cut left of an object that was not synced.
func renewed(path string) bool {
	info, err := os.Lstat(path)
	if err != nil || info.Size() == 0 {
		return false
	}
	now := time.Now() // prune compares with this clock, not with the caller's
	return os.Chtimes(path, now, now) == nil
}

// putLoose makes the file of a loose object.
func (r *Repo) putLoose(path, kind string, data []byte, how writeSettings) error {
	f, err := createObject(filepath.Dir(path), how.shared)
	if err != nil {
		return err
	}
	err = r.deflateTo(f, kind, data, how.level)
	if err == nil && how.fsync {
		err = f.Sync()
	}
	if err1 := f.Close(); err == nil {
		err = err1
	}
	if err == nil {
		err = how.shared.Adjust(f.Name())
	}
	if err == nil {
		fault.Point("before-object-rename")
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		_ = os.Remove(f.Name())
	}
	return err
}

// createObject makes a temporary file in one of the object directories, and the
// directory if need be, again and again: a gc beside us removes empty ones, also
// between the making of the two.
func createObject(dir string, p disk.Perm) (*os.File, error) {
	for try := 0; ; try++ {
		f, err := disk.CreateTemp(dir, "tmp_obj_", 0o444)
		if !errors.Is(err, fs.ErrNotExist) || try == 100 {
			return f, err
		}
		if err := p.Mkdir(dir); err != nil && !errors.Is(err, fs.ErrExist) && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
	}
}

// deflateTo writes header and content, compressed.
func (r *Repo) deflateTo(f *os.File, kind string, data []byte, level int) error {
	out := bufio.NewWriterSize(f, 16<<10)
	z, err := r.compressor(out, level)
	if err != nil {
		return err
	}
	defer r.deflate.Put(z)
	header := append(strconv.AppendInt([]byte(kind+" "), int64(len(data)), 10), 0)
	if _, err := z.Write(header); err != nil {
		return err
	}
	if _, err := z.Write(data); err != nil {
		return err
	}
	if err := z.Close(); err != nil {
		return err
	}
	return out.Flush()
}

// compressor is a zlib writer; one that was used before is set up again.
type compressor struct {
	*zlib.Writer
	level int
}

func (r *Repo) compressor(out *bufio.Writer, level int) (*compressor, error) {
	if z, ok := r.deflate.Get().(*compressor); ok && z.level == level {
		z.Reset(out)
		return z, nil
	}
	z, err := zlib.NewWriterLevel(out, level)
	return &compressor{z, level}, err
}

// writeSettings are the settings that loose objects are written under.
type writeSettings struct {
	level  int       // core.looseCompression, core.compression
	fsync  bool      // core.fsync, core.fsyncObjectFiles
	shared disk.Perm // core.sharedRepository
}

func (r *Repo) writeSettings(ctx context.Context) (writeSettings, error) {
	c, err := r.Config(ctx)
	if err != nil {
		return writeSettings{}, err
	}
	w := writeSettings{shared: r.Sharing()}
	if w.level, err = c.looseCompression(); err != nil {
		return w, err
	}
	w.fsync, err = c.FsyncLooseObjects()
	return w, err
}

func (c *Config) looseCompression() (int, error) {
	general, err := c.Int("core.compression", zlib.BestSpeed)
	if err != nil {
		return 0, err
	}
	level, err := c.Int("core.loosecompression", general)
	if err == nil && (level < zlib.DefaultCompression || level > zlib.BestCompression) {
		err = fmt.Errorf("bad zlib compression level %d", level)
	}
	return level, err
}

// FsyncLooseObjects reports whether core.fsync (or the older
// core.fsyncObjectFiles, where that is not set) wants loose objects, and with
// them everything that is acknowledged, on the disk. By default it does not.
func (c *Config) FsyncLooseObjects() (bool, error) {
	value, ok := c.String("core.fsync")
	if !ok {
		return c.Bool("core.fsyncobjectfiles", false)
	}
	wanted := false
	for _, part := range strings.FieldsFunc(value, func(c rune) bool { return strings.ContainsRune(", \t\n\r", c) }) {
		switch part {
		case "loose-object", "objects", "committed", "added", "all":
			wanted = true
		}
	}
	return wanted, nil
}

// ClearTemp removes the temporary files of objects that killed processes of ours left
// before some time, and returns their number and their size in bytes. git's own, whose
// names are shorter, are left to `git prune`.
func (r *Repo) ClearTemp(before time.Time) (n int, size int64, err error) {
	remove := func(dir string, files []os.DirEntry) error {
		for _, f := range files {
			if !ourTemp(f.Name()) {
				continue
			}
			info, err := f.Info()
			if err == nil && info.ModTime().Before(before) {
				if err = os.Remove(filepath.Join(dir, f.Name())); err == nil {
					n++
					size += info.Size()
				}
			}
			if err != nil && !errors.Is(err, fs.ErrNotExist) {
				return err
			}
		}
		return nil
	}
	files, err := os.ReadDir(r.objectDir)
	if err == nil {
		err = remove(r.objectDir, files)
	}
	if err == nil {
		err = r.eachLooseDir(func(prefix string, files []os.DirEntry) error {
			return remove(filepath.Join(r.objectDir, prefix), files)
		})
	}
	return n, size, err
}

// ourTemp reports whether a file is called as createObject calls it: git puts six signs
// behind the same beginning, randomName eleven to thirteen.
func ourTemp(name string) bool {
	random, ok := strings.CutPrefix(name, "tmp_obj_")
	return ok && len(random) > 8 // of 64 random bits
}

// eachLooseDir visits the directories of loose objects.
func (r *Repo) eachLooseDir(visit func(prefix string, files []os.DirEntry) error) error {
	for i := range 256 {
		prefix := fmt.Sprintf("%02x", i)
		files, err := os.ReadDir(filepath.Join(r.objectDir, prefix))
		if disk.IsAbsent(err) {
			continue
		}
		if err == nil {
			err = visit(prefix, files)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// ObjectClock returns the time by the clock that sets the modification times of loose
// objects, which may be another machine's.
func (r *Repo) ObjectClock() (time.Time, error) {
	f, err := disk.CreateTemp(r.objectDir, "tmp_obj_", 0o444)
	if err != nil {
		return time.Time{}, err
	}
	defer os.Remove(f.Name())
	info, err := f.Stat()
	if err1 := f.Close(); err == nil {
		err = err1
	}
	if err != nil {
		return time.Time{}, err
	}
	return info.ModTime(), nil
}

// LooseEstimate returns about how many loose objects there are: 256 times the number in
// the directory of one of them, because they are spread evenly.
func (r *Repo) LooseEstimate(id ID) int {
	if !r.IsID(string(id)) {
		return 0
	}
	dir, err := os.Open(filepath.Dir(r.LoosePath(id)))
	if err != nil {
		return 0
	}
	defer dir.Close()
	names, err := dir.Readdirnames(-1)
	if err != nil {
		return 0
	}
	return 256 * len(names)
}

// behind writes loose objects in the background. Naming an object takes microseconds,
// writing its file a sixth of a millisecond, and a commit has five of them: written
// behind, they are on the disk by the time that the last one is named.
//
// Only a Tx needs the objects to be there, before it moves a ref. While one is open writes
// go behind, and Tx.Commit waits for them; without one a write is done when it returns.
type behind struct {
	mu      sync.Mutex
	open    int // Txs
	queue   []looseWrite
	writing map[ID]Object // queued, being written, or not to be written: readable from here
	held    map[ID]Object // see [Repo.HoldBlob]
	busy    bool
	idle    sync.Cond // signals that the queue was worked off
	err     error     // the first failure since the last flush
}

type looseWrite struct {
	id  ID
	how writeSettings
}

// begin and end count the open Txs.
func (b *behind) begin() { b.count(1) }

func (b *behind) end() { b.count(-1) }

func (b *behind) count(n int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.open += n; b.open == 0 {
		clear(b.held)
	}
}

// writeBehind queues a write and reports true, or reports false where no Tx is open.
func (r *Repo) writeBehind(o Object, how writeSettings) bool {
	b := &r.behind
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.open == 0 {
		return false
	}
	if _, ok := b.writing[o.ID]; ok {
		return true
	}
	if b.writing == nil {
		b.writing = map[ID]Object{}
		b.idle.L = &b.mu
	}
	b.writing[o.ID] = o
	b.queue = append(b.queue, looseWrite{o.ID, how})
	if !b.busy {
		b.busy = true
		go r.workOff()
	}
	return true
}

// workOff writes what is queued, in order, and ends.
func (r *Repo) workOff() {
	b := &r.behind
	b.mu.Lock()
	defer b.mu.Unlock()
	for len(b.queue) > 0 {
		w := b.queue[0]
		b.queue = b.queue[1:]
		o := b.writing[w.id]
		b.mu.Unlock()
		err := r.storeLoose(o, w.how)
		b.mu.Lock()
		switch {
		case err == nil:
			delete(b.writing, w.id)
		case b.err == nil:
			b.err = fmt.Errorf("cannot write object '%s': %w", w.id, err)
		}
	}
	b.busy = false
	b.idle.Broadcast()
}

// flush waits for everything queued, and returns the first failure. Until then what failed
// can be read, so that a caller that goes on with it does not find its absence as another
// error.
func (b *behind) flush() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.drain()
	err := b.err
	b.err = nil
	clear(b.writing)
	return err
}

// wait waits for everything queued. A child that is to look at an object that was written behind must not start earlier.
func (b *behind) wait() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.drain()
}

// drain waits until the queue was worked off. mu is locked.
func (b *behind) drain() {
	for b.busy {
		b.idle.Wait()
	}
}

// unwritten finds an object that is not on the disk yet, or never will be.
func (b *behind) unwritten(id ID) (Object, bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	o, ok := b.writing[id]
	if !ok {
		o, ok = b.held[id]
	}
	return o, ok
}
