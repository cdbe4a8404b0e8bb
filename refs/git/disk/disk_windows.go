package disk

import (
	"errors"
	"io/fs"
	"os"

	"golang.org/x/sys/windows"
)

// Owned reports false: the owner is known only from a security descriptor. Git is
// asked instead.
func Owned(fs.FileInfo) bool { return false }

// Device returns 0: a file's information does not contain it here, and git does not
// stop at the borders of file systems either.
func Device(fs.FileInfo) uint64 { return 0 }

// inode returns 0: a file's information does not contain it here. Size and time must
// do.
func inode(fs.FileInfo) uint64 { return 0 }

// Access returns nil: permissions are not bits of a file here.
func Access(string, bool) error { return nil }

// AccessRead returns nil.
func AccessRead(string) error { return nil }

// TryLock locks a whole open file for this handle, and reports false where another
// handle has the lock.
func TryLock(f *os.File) (bool, error) {
	err := windows.LockFileEx(windows.Handle(f.Fd()), windows.LOCKFILE_EXCLUSIVE_LOCK|windows.LOCKFILE_FAIL_IMMEDIATELY,
		0, 1, 0, new(windows.Overlapped))
	if errors.Is(err, windows.ERROR_LOCK_VIOLATION) || errors.Is(err, windows.ERROR_IO_PENDING) {
		return false, nil
	}
	return err == nil, err
}

// Unlock releases the lock of an open file.
func Unlock(f *os.File) error {
	conn, err := f.SyscallConn()
	if err != nil {
		return err
	}
	var failed error
	err = conn.Control(func(fd uintptr) {
		failed = windows.UnlockFileEx(windows.Handle(fd), 0, 1, 0, new(windows.Overlapped))
	})
	return errors.Join(err, failed)
}
