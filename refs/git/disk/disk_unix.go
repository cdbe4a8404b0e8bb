//go:build unix

package disk

import (
	"errors"
	"io/fs"
	"os"
	"syscall"
)

// Owned reports whether a file belongs to the user that this process runs as. Whether
// any other owner can be trusted is git's decision (safe.directory).
func Owned(info fs.FileInfo) bool {
	st, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(st.Uid) == os.Geteuid()
}

// Device returns the number of the file system that a file is on; 0 if unknown.
func Device(info fs.FileInfo) uint64 {
	if st, ok := info.Sys().(*syscall.Stat_t); ok {
		return uint64(st.Dev)
	}
	return 0
}

// inode returns the number of a file within its file system; 0 if unknown.
func inode(info fs.FileInfo) uint64 {
	if st, ok := info.Sys().(*syscall.Stat_t); ok {
		return uint64(st.Ino)
	}
	return 0
}

// Access returns an error if this process may not read and write a path, or, of a
// directory, look up names in it (access(2)).
func Access(path string, dir bool) error {
	const read, write, enter = 4, 2, 1
	mode := uint32(read | write)
	if dir {
		mode |= enter
	}
	return syscall.Access(path, mode)
}

// AccessRead is Access for reading a file.
func AccessRead(path string) error { return syscall.Access(path, 4) }

// TryLock locks an open file, and reports false where another open file has the lock.
// It is an flock(2): it belongs to the open file, which a child may inherit, where a
// POSIX lock would belong to the process. The system releases it with the last process
// that has the file open.
func TryLock(f *os.File) (bool, error) {
	for {
		err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		switch {
		case err == nil:
			return true, nil
		case errors.Is(err, syscall.EWOULDBLOCK):
			return false, nil
		case !errors.Is(err, syscall.EINTR):
			return false, err
		}
	}
}

// Unlock releases the lock of an open file, for every process that inherited it.
func Unlock(f *os.File) error {
	conn, err := f.SyscallConn()
	if err != nil {
		return err
	}
	var failed error
	err = conn.Control(func(fd uintptr) { failed = syscall.Flock(int(fd), syscall.LOCK_UN) })
	return errors.Join(err, failed)
}
