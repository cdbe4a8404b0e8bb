package pack

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/git/disk"
)

// Unusable lists the packs that git passes over, so that all that they contain seems to be lost: those without an index, with one that is
// cut short, or with one of another pack. It reads a few bytes of each. A process that adds or removes a pack may be between two files.
func Unusable(r *git.Repo) ([]string, error) {
	paths, err := disk.Glob(filepath.Join(r.ObjectDir(), "pack"), "pack-*.pack")
	if err != nil {
		return nil, err
	}
	var list []string
	for _, path := range paths {
		usable, err := isUsable(path, len(r.ZeroID())/2)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
		if !usable && err == nil {
			list = append(list, path)
		}
	}
	return list, nil
}

// isUsable compares the checksum of a pack with the one in its index, as git does when it opens a pack. fs.ErrNotExist: the pack has gone.
func isUsable(path string, hashLen int) (bool, error) {
	const entries = 8 + 256*4 // where the entries of an index begin, or some of them in version 1
	sum, _, err := tail(path, hashLen, 12)
	if sum == nil || err != nil {
		return false, err
	}
	sums, head, err := tail(IndexPath(path), 2*hashLen, entries)
	if errors.Is(err, fs.ErrNotExist) || sums == nil && err == nil {
		return false, nil
	}
	if err != nil || !bytes.HasPrefix(head, []byte("\377tOc")) {
		return err == nil && bytes.Equal(sums[:hashLen], sum), err
	}
	info, err := os.Stat(IndexPath(path))
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	count := int64(binary.BigEndian.Uint32(head[entries-4:]))
	return info.Size() >= entries+count*int64(hashLen+8)+2*int64(hashLen) && bytes.Equal(sums[:hashLen], sum), nil
}

// tail reads the last n bytes of a file behind its first few, and these; nil if it is shorter.
func tail(path string, n, first int) (last, head []byte, err error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil || info.Size() < int64(first+n) {
		return nil, nil, err
	}
	last, head = make([]byte, n), make([]byte, first)
	if _, err := f.ReadAt(head, 0); err != nil {
		return nil, nil, err
	}
	_, err = f.ReadAt(last, info.Size()-int64(n))
	return last, head, err
}

// IndexPath returns the path of the index of a pack.
func IndexPath(path string) string { return path[:len(path)-len(".pack")] + ".idx" }
