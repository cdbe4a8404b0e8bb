package git

import (
	"errors"
	"io/fs"
	"os"
	"strings"
	"time"

	"github.com/git-context/git-context/refs/git/disk"
)

// ForgetLocks removes the files of locks whose names begin with prefix, but for those in
// use, if nobody holds them and they were made before some time. Who waits for one
// notices, and makes it again.
func (r *Repo) ForgetLocks(prefix string, use []string, before time.Time) error {
	files, err := os.ReadDir(r.statePath("lock"))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	used := make(map[string]bool, len(use))
	for _, name := range use {
		used[lockFile(name)] = true
	}
	for _, f := range files {
		if used[f.Name()] || !strings.HasPrefix(f.Name(), lockFile(prefix)) {
			continue
		}
		info, err := f.Info()
		if err == nil && info.ModTime().Before(before) {
			err = r.forgetLock("lock/" + f.Name())
		}
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

// forgetLock removes the file of a lock while it holds it.
func (r *Repo) forgetLock(file string) error {
	f, err := r.OpenState(file, os.O_RDWR)
	if err != nil {
		return err
	}
	defer f.Close()
	free, err := disk.TryLock(f)
	if err != nil || !free {
		return err
	}
	// Where an open file cannot be removed it stays: it is empty.
	_ = os.Remove(r.statePath(file))
	return nil
}
