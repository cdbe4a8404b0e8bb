package pack

import (
	"bytes"
	"context"
	"crypto/sha1"
	"crypto/sha256"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/git-context/git-context/refs/fault"
	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/git/disk"
)

// ErrDamaged is the error of [WriteIndex] where git cannot read the pack.
var ErrDamaged = errors.New("the pack is damaged")

// DamagedIndexes lists the indexes of packs that are not as they were written, by the checksum at their end. It reads all of them. An index
// that is written in its place, as by `git index-pack`, is one of them until it is complete.
func DamagedIndexes(ctx context.Context, r *git.Repo) (list []string, err error) {
	packs, err := packsIn(r.ObjectDir())
	if err != nil {
		return nil, err
	}
	for _, k := range packs {
		if strings.HasPrefix(k.name(), ".tmp-") { // a git repack of the user's is about to name it
			continue
		}
		damaged, err := isDamaged(k.base+".idx", r)
		if err != nil {
			return nil, err
		}
		if damaged {
			list = append(list, k.base+".idx")
		}
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
	}
	return list, nil
}

// DamagedMultiIndex returns the path of the multi-pack-index, or of a part of it, if that is damaged; else "". It reads all of it.
func DamagedMultiIndex(r *git.Repo) (string, error) {
	dir := filepath.Join(r.ObjectDir(), "pack")
	parts, err := disk.Glob(filepath.Join(dir, midxName+".d"), "*.midx")
	if err != nil {
		return "", err
	}
	for _, path := range append(parts, filepath.Join(dir, midxName)) {
		if damaged, err := isDamaged(path, r); damaged || err != nil {
			return path, err
		}
	}
	return "", nil
}

// isDamaged compares a file with the checksum that git ends it with. A file that does not exist is not damaged.
func isDamaged(path string, r *git.Repo) (bool, error) {
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return false, err
	}
	var sum hash.Hash = sha1.New()
	if r.ObjectFormat() == "sha256" {
		sum = sha256.New()
	}
	size := info.Size() - int64(sum.Size())
	if size < 0 {
		return true, nil
	}
	last := make([]byte, sum.Size())
	if _, err = io.CopyN(sum, f, size); err == nil {
		_, err = io.ReadFull(f, last)
	}
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return true, nil
	}
	return err == nil && !bytes.Equal(sum.Sum(nil), last), err
}

// WriteIndex writes the index of a pack again, and its .rev file if it has one. It fails with [ErrDamaged] for a pack that git cannot read.
//
// The files are whole and on the disk before they take the place of the old ones, so that a reader, or a kill at any moment, finds one or
// the other. A multi-pack-index may have copied from the old index, and is written anew. WriteIndex waits for the lock that [Purge] has.
func WriteIndex(ctx context.Context, r *git.Repo, path string) error {
	lock, err := r.Lock(ctx, lockName)
	if err != nil {
		return err
	}
	defer lock.Unlock()
	st := &stage{dir: filepath.Join(filepath.Dir(path), stagePrefix+disk.RandomName()), to: filepath.Dir(path), shared: r.Sharing()}
	if err := st.shared.Mkdir(st.dir); err != nil {
		return err
	}
	err = st.index(ctx, r, path)
	if err := errors.Join(err, st.remove()); err != nil {
		return err
	}
	if others, err := DamagedIndexes(ctx, r); len(others) > 0 || err != nil {
		return err // git copies from all; who mends the last one has it do so
	}
	return renewMidx(ctx, r)
}

// index writes the index of a pack in the folder, and moves it to its place.
func (st *stage) index(ctx context.Context, r *git.Repo, path string) error {
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	base := trimPack(path)
	staged := filepath.Join(st.dir, filepath.Base(base))
	args := []string{"index-pack", "-o", staged + ".idx"}
	if disk.Exists(base + ".rev") {
		args = append(args, "--rev-index")
	}
	// Git compares the objects of the pack with those that it finds here. The old index would have it read them at wrong places, and fail.
	alone := []string{"GIT_OBJECT_DIRECTORY=" + st.dir, "GIT_ALTERNATE_OBJECT_DIRECTORIES="}
	err = r.EachLine(ctx, git.LineOptions{Env: alone}, func([]byte) error { return nil }, append(args, path)...)
	var child *git.Error
	if errors.As(err, &child) && child.Code > 0 && !strings.Contains(child.Stderr, stagePrefix) { // else it names what it cannot write
		return fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	if err != nil {
		return err
	}
	if err := r.Close(); err != nil { // the running child has the old one open
		return err
	}
	for _, ext := range []string{".rev", ".idx"} {
		err := replaceWith(staged+ext, base+ext, info.Mode().Perm()&^0o222)
		if err != nil && !(ext == ".rev" && errors.Is(err, fs.ErrNotExist)) {
			return err
		}
	}
	if !disk.Exists(path) { // taken in by a gc of the user's
		return os.Remove(base + ".idx")
	}
	return syncFolder(st.to)
}

// replaceWith moves a file to a place where there may be one, when it is on the disk.
func replaceWith(from, to string, mode fs.FileMode) error {
	err := os.Chmod(from, mode|0o200) // to be able to sync it
	if err == nil {
		err = disk.Sync(from)
	}
	if err == nil {
		err = os.Chmod(from, mode)
	}
	if err != nil {
		return err
	}
	if runtime.GOOS == "windows" && disk.Exists(to) { // where no file takes the place of one that is read-only
		if err := os.Chmod(to, 0o666); err != nil {
			return err
		}
	}
	fault.Point("before-index-rename")
	return os.Rename(from, to)
}

// WriteMultiIndex writes the multi-pack-index again. It waits as [WriteIndex] does.
func WriteMultiIndex(ctx context.Context, r *git.Repo) error {
	lock, err := r.Lock(ctx, lockName)
	if err != nil {
		return err
	}
	defer lock.Unlock()
	return renewMidx(ctx, r)
}

// renewMidx writes the multi-pack-index again, if there is one. Meanwhile git reads the indexes of the packs, which it needs in any case.
func renewMidx(ctx context.Context, r *git.Repo) error {
	index := indexes{repo: r, packDir: filepath.Join(r.ObjectDir(), "pack")}
	if err := errors.Join(r.Close(), index.dropMidx()); err != nil {
		return err
	}
	fault.Point("after-midx-dropped")
	err := index.writeMidx(ctx)
	if git.ExitCode(err) > 0 && index.had == bitmapMidx { // git makes no bitmap where something is lost
		index.had = plainMidx
		err = index.writeMidx(ctx)
	}
	return err
}
