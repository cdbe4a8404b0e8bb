package git

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/git-context/git-context/refs/git/disk"
	"github.com/git-context/git-context/refs/git/process"
)

// LeftLock is a lock file of git's, which keeps others from moving a ref until it goes.
type LeftLock struct {
	Path string
	Ref  string // that it is the lock of; "" for that of all packed refs
	Made time.Time
	size int64
}

// RefLocks lists the lock files of memory's refs, of the CONTEXT_HEAD of every worktree,
// and those that stand in the way of all refs, as they stand now. Most are gone a moment
// later.
func (r *Repo) RefLocks() ([]LeftLock, error) {
	var found []LeftLock
	add := func(path, ref string) error {
		info, err := os.Lstat(path)
		if err == nil && info.Mode().IsRegular() {
			found = append(found, LeftLock{path, ref, info.ModTime(), info.Size()})
		}
		if err == nil || disk.IsAbsent(err) {
			return nil
		}
		return fmt.Errorf("cannot look at '%s': %w", path, err)
	}
	heads, err := r.HeadNames()
	if err != nil {
		return nil, err
	}
	errs := []error{add(filepath.Join(r.commonDir, "packed-refs.lock"), ""),
		add(filepath.Join(r.commonDir, "reftable", "tables.list.lock"), ""),
		add(filepath.Join(r.commonDir, filepath.FromSlash(NotesRef)+".lock"), NotesRef)}
	for _, h := range heads {
		if path, _, ok := r.refPath(h.Ref); ok {
			errs = append(errs, add(path+".lock", h.Ref))
		}
	}
	for _, dir := range []string{Root, RemoteNotesPrefix} {
		top := filepath.Join(r.commonDir, filepath.FromSlash(dir))
		errs = append(errs, filepath.WalkDir(top, func(path string, d fs.DirEntry, err error) error {
			if disk.IsAbsent(err) { // an empty folder goes away with its last ref
				return nil
			}
			ref, isLock := strings.CutSuffix(path, ".lock")
			if err != nil || d.IsDir() || !isLock {
				return err
			}
			ref, err = filepath.Rel(r.commonDir, ref)
			return errors.Join(err, add(path, filepath.ToSlash(ref)))
		}))
	}
	return found, errors.Join(errs...)
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
