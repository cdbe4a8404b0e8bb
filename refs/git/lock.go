package git

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"time"

	"github.com/git-context/git-context/refs/fault"
	"github.com/git-context/git-context/refs/git/disk"
	"github.com/git-context/git-context/refs/git/process"
)

// Lock is an advisory lock between processes of ours, and between goroutines: each Lock
// opens the file anew. The kernel releases it when the last process that has the file open
// ends, so that a crash leaves no lock behind. A child that inherits File keeps it.
type Lock struct {
	file     *os.File
	released atomic.Bool
}

// Lock takes a lock by name, waiting until ctx ends (a minute if it has no deadline), or
// for Options.LockWait if that is less. The error of a wait that ended names the lock.
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

// TryLock takes a lock by name, and reports false where another process or goroutine has
// it.
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

// LockOrigin returns the [disk.Origin] of the file of a lock that was taken on this machine: no archive from elsewhere
// can contain the same. It is "" if there is no file. A copy of the repository has others.
func (r *Repo) LockOrigin(name string) string {
	origin, _ := disk.Origin(r.statePath("lock/" + lockFile(name))) // "" of an error: no origin is known
	return origin
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

// ForgetLocks removes the files of locks whose names begin with prefix, except those in
// use, if no process has the lock and the file was made before some time. A process that
// waits for such a lock notices, and makes the file again.
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

// forgetLock removes the file of a lock while it has the lock.
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

// LeftLock is a lock file of git's, which keeps others from moving a ref, from emptying its reflog, or from setting a key of the
// configuration, until it goes.
type LeftLock struct {
	Path   string
	Ref    string // that it is the lock of; "" for that of a table, of the configuration, and of all refs
	Log    bool   // of the ref's reflog
	Table  string // of a reftable, whose tables nobody can unite until the lock goes
	Config bool   // of the configuration
	Made   time.Time
	size   int64
}

// RefLocks lists the present lock files of memory's refs and of their reflogs, of the
// CONTEXT_HEAD of every worktree, of the tables of a reftable, those that block all refs, and that of the configuration.
// Most are gone a moment later. packed-refs.new is among them: git writes it under
// packed-refs.lock, and writes no other while it exists.
func (r *Repo) RefLocks() ([]LeftLock, error) {
	heads, err := r.HeadNames()
	if err != nil {
		return nil, err
	}
	var found lockList
	errs := []error{found.add(LeftLock{Path: filepath.Join(r.commonDir, "packed-refs.lock")}),
		found.add(LeftLock{Path: filepath.Join(r.commonDir, packedNew)}),
		found.add(LeftLock{Path: filepath.Join(r.commonDir, "config.lock"), Config: true})}
	for _, h := range heads {
		if path, _, ok := r.refPath(h.Ref); ok {
			log := filepath.Join(filepath.Dir(path), "logs", filepath.Base(path))
			errs = append(errs, found.add(LeftLock{Path: path + ".lock", Ref: h.Ref}),
				found.add(LeftLock{Path: log + ".lock", Ref: h.Ref, Log: true}))
		}
		errs = append(errs, r.tableLocks(&found, h.Ref))
	}
	errs = append(errs, found.addBelow(r.commonDir, false), found.addBelow(filepath.Join(r.commonDir, "logs"), true))
	return found, errors.Join(errs...)
}

// packedNew is the next packed-refs while git writes it.
const packedNew = "packed-refs.new"

// addBelow adds the locks of memory's refs, or of their reflogs, in a folder.
func (found *lockList) addBelow(dir string, log bool) error {
	errs := []error{found.add(LeftLock{Path: filepath.Join(dir, filepath.FromSlash(NotesRef)+".lock"), Ref: NotesRef, Log: log})}
	for _, refs := range []string{Root, RemoteNotesPrefix} {
		top := filepath.Join(dir, filepath.FromSlash(refs))
		errs = append(errs, filepath.WalkDir(top, func(path string, d fs.DirEntry, err error) error {
			if disk.IsAbsent(err) { // an empty folder goes away with its last ref
				return nil
			}
			ref, isLock := strings.CutSuffix(path, ".lock")
			if err != nil || d.IsDir() || !isLock {
				return err
			}
			ref, err = filepath.Rel(dir, ref)
			return errors.Join(err, found.add(LeftLock{Path: path, Ref: filepath.ToSlash(ref), Log: log}))
		}))
	}
	return errors.Join(errs...)
}

// tableLocks adds the locks of the reftable that contains head, the CONTEXT_HEAD of a worktree:
// that of the list of tables, without which no ref moves, and those of single tables, which git
// takes while it unites them. A linked worktree has a reftable of its own, where head is the
// one ref of memory.
func (r *Repo) tableLocks(found *lockList, head string) error {
	gitDir, _ := r.worktreeOf(head)
	dir := filepath.Join(gitDir, "reftable")
	entries, err := os.ReadDir(dir)
	if disk.IsAbsent(err) {
		return nil
	}
	errs := []error{err}
	for _, e := range entries {
		l := LeftLock{Path: filepath.Join(dir, e.Name())}
		table, isLock := strings.CutSuffix(e.Name(), ".lock")
		switch {
		case !isLock:
			continue
		case table != "tables.list":
			l.Table = table
		case head != mainHeadName:
			l.Ref = head
		}
		errs = append(errs, found.add(l))
	}
	return errors.Join(errs...)
}

// lockList collects lock files.
type lockList []LeftLock

// add adds a lock whose file exists.
func (found *lockList) add(l LeftLock) error {
	info, err := os.Lstat(l.Path)
	if disk.IsAbsent(err) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("cannot look at '%s': %w", l.Path, err)
	}
	if info.Mode().IsRegular() {
		l.Made, l.size = info.ModTime(), info.Size()
		*found = append(*found, l)
	}
	return nil
}

// Abandoned reports whether the process that made a lock file, age ago, is gone, as far as
// this system can tell: on Linux, when no git of this user that existed by then has
// anything to do with this repository; elsewhere, always.
func (r *Repo) Abandoned(l LeftLock, age time.Duration) (bool, error) {
	heads, err := r.HeadNames()
	if err != nil {
		return false, err
	}
	places := []string{r.commonDir, r.gitDir}
	for _, h := range heads {
		places = append(places, h.Path)
	}
	if r.workTree != "" {
		places = append(places, r.workTree)
	}
	used, err := process.UsesLock(l.Path, places, age)
	return !used, err
}

// RemoveLock takes a lock file away, unless it is another one by now.
func (r *Repo) RemoveLock(l LeftLock) error {
	info, err := os.Lstat(l.Path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	if !info.ModTime().Equal(l.Made) || info.Size() != l.size {
		return fmt.Errorf("'%s' was made anew", l.Path)
	}
	return os.Remove(l.Path)
}
