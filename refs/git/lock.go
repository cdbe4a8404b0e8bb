package git

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"sync/atomic"
	"time"

	"github.com/git-context/git-context/refs/fault"
	"github.com/git-context/git-context/refs/git/disk"
)

// Lock is an advisory lock between processes of ours, and between goroutines:
// each Lock opens the file anew. The kernel releases it when the last process
// that holds the file open ends, so that a crash leaves no lock behind. A child
// that inherits File keeps it.
type Lock struct {
	file     *os.File
	released atomic.Bool
}

// Lock takes a lock by name, waiting until ctx ends (a minute if it has no
// deadline), or for Options.LockWait if that is less. The error of a wait that ended names the lock.
func (r *Repo) Lock(ctx context.Context, name string) (*Lock, error) {
	ctx, cancel := withTimeout(ctx, lockTimeout)
	defer cancel()
	if r.lockWait > 0 {
		ctx, cancel = context.WithTimeout(ctx, r.lockWait)
		defer cancel()
	}
	for pause := lockPollMin; ; pause = min(2*pause, lockPollMax) {
		l, ok, err := r.TryLock(name)
		if ok || err != nil {
			return l, err
		}
		// Jitter keeps waiters from asking in step.
		timer := time.NewTimer(pause/2 + rand.N(pause))
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			return nil, fmt.Errorf("lock '%s' is held by another process: %w", name, ctx.Err())
		}
	}
}

// TryLock takes a lock if nobody holds it.
func (r *Repo) TryLock(name string) (*Lock, bool, error) {
	file := "lock/" + lockFile(name)
	for {
		f, err := r.OpenState(file, os.O_RDWR|os.O_CREATE)
		if err != nil {
			return nil, false, fmt.Errorf("cannot open lock '%s': %w", name, err)
		}
		ok, err := disk.TryLock(f)
		if err != nil {
			f.Close()
			return nil, false, fmt.Errorf("cannot take lock '%s': %w", name, err)
		}
		if !ok {
			f.Close()
			return nil, false, nil
		}
		if disk.SameFile(f, r.statePath(file)) {
			fault.Point("after-lock")
			return &Lock{file: f}, true, nil
		}
		f.Close() // removed between opening and locking: it protects nothing
	}
}

// File is the open file that is locked, for TxOptions.Keep.
func (l *Lock) File() *os.File { return l.file }

// Unlock releases the lock. Unlocking twice is no error.
func (l *Lock) Unlock() error {
	if l.released.Swap(true) {
		return nil
	}
	err := disk.Unlock(l.file)
	if err1 := l.file.Close(); err == nil {
		err = err1
	}
	return err
}

// maxLockFile keeps the names of lock files below what file systems allow.
const maxLockFile = 200

// lockFile makes a file name of a lock's name: bytes other than letters,
// digits, '.', '_' and '-' are percent-encoded.
func lockFile(name string) string {
	var out strings.Builder
	for i := range len(name) {
		if c := name[i]; isAlnum(c) || c == '_' || c == '-' || c == '.' && i > 0 {
			out.WriteByte(c)
		} else {
			fmt.Fprintf(&out, "%%%02X", c)
		}
	}
	return bounded(out.String(), "", maxLockFile)
}
