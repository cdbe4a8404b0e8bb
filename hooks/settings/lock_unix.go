//go:build unix

package settings

import (
	"errors"
	"os"
	"time"

	"github.com/git-context/git-context/refs/git/disk"
)

// dirLock is an flock(2) of a directory: it leaves no file, and ends with the process.
type dirLock struct{ f *os.File }

// lockDir makes a directory and locks it. Where the file system has no locks, as some of NFS, it
// goes without: a file is replaced as a whole in any case.
func lockDir(dir, _ string) (dirLock, error) {
	for end := time.Now().Add(lockWait); ; time.Sleep(lockPause) {
		err := os.MkdirAll(dir, 0o777)
		var f *os.File
		if err == nil {
			f, err = os.Open(dir)
		}
		if errors.Is(err, os.ErrNotExist) && time.Now().Before(end) { // an uninstall removes it
			continue
		}
		if err != nil {
			return dirLock{}, err
		}
		free, err := disk.TryLock(f)
		if (free || err != nil) && disk.SameFile(f, dir) {
			return dirLock{f}, nil
		}
		f.Close()
		if time.Now().After(end) {
			return dirLock{}, errLocked
		}
	}
}

// unlock removes the lock after last, so that no process has the lock of a directory that last removes.
func (l dirLock) unlock(last func()) {
	last()
	l.f.Close()
}
