//go:build unix

package git

import (
	"errors"
	"os"
	"syscall"
)

// tryLockFile takes an flock(2): it belongs to the open file, which a child may
// inherit, where a POSIX lock would belong to the process.
func tryLockFile(f *os.File) (bool, error) {
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

// unlockFile releases the lock for every process that inherited the file.
func unlockFile(f *os.File) error {
	conn, err := f.SyscallConn()
	if err != nil {
		return err
	}
	var failed error
	err = conn.Control(func(fd uintptr) { failed = syscall.Flock(int(fd), syscall.LOCK_UN) })
	return errors.Join(err, failed)
}
