package git

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// ClearTemp removes objects that writers of ours, which were killed, did not finish
// before some time, and says how many and how large they were. git's own, whose names are
// shorter, are left to `git prune`.
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
