package settings

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"time"
)

// dirLock is a file that no other process can open, and that Windows deletes with its handle.
type dirLock struct{ h syscall.Handle }

const (
	deleteOnClose    = 0x04000000          // FILE_FLAG_DELETE_ON_CLOSE
	sharingViolation = syscall.Errno(0x20) // ERROR_SHARING_VIOLATION
)

func lockDir(dir, name string) (dirLock, error) {
	path, err := syscall.UTF16PtrFromString(filepath.Join(dir, ".git-context-lock-"+name))
	if err != nil {
		return dirLock{}, err
	}
	for end := time.Now().Add(lockWait); ; time.Sleep(lockPause) {
		if err := os.MkdirAll(dir, 0o777); err != nil {
			return dirLock{}, err
		}
		h, err := syscall.CreateFile(path, syscall.GENERIC_WRITE, 0, nil, syscall.OPEN_ALWAYS, deleteOnClose, 0)
		switch {
		case err == nil:
			return dirLock{h}, nil
		case !errors.Is(err, sharingViolation) && !errors.Is(err, syscall.ERROR_ACCESS_DENIED) && !errors.Is(err, os.ErrNotExist):
			return dirLock{}, err
		case time.Now().After(end):
			return dirLock{}, errLocked
		}
	}
}

// unlock removes the lock, which is in the directory that last may remove.
func (l dirLock) unlock(last func()) {
	_ = syscall.CloseHandle(l.h)
	last()
}
