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
)

// txError decides whether a failed transaction may be tried again. git reports the reason
// in its text alone: the exit code is 128 for all of these.
func (r *Repo) txError(queued []refChange, err error) error {
	var failed *Error
	if !errors.As(err, &failed) {
		return fmt.Errorf("cannot update %s: %w", refNames(queued), err)
	}
	if unsaidText(failed.Stderr) {
		if why := r.refused(queued); why != nil {
			return fmt.Errorf("cannot update %s: %w: %w", refNames(queued), err, why)
		}
	}
	if failed.Err != nil || !staleText(failed.Stderr) {
		return fmt.Errorf("cannot update %s: %w", refNames(queued), err)
	}
	if lockedText(failed.Stderr) {
		return lockedError{err}
	}
	if locked, ok := r.reftableLocked(failed); ok {
		return locked
	}
	ref := refInText(failed.Stderr)
	if ref == "" {
		return fmt.Errorf("cannot update %s: %w: %w", refNames(queued), ErrStale, err)
	}
	return fmt.Errorf("ref '%s': %w: %w", ref, ErrStale, err)
}

// lockedError is ErrLocked in git's own words.
type lockedError struct{ error }

func (e lockedError) Unwrap() []error { return []error{ErrStale, ErrLocked, e.error} }

// lockedText reports whether git failed because a lock file exists, which it names. What pack-refs writes counts as one.
func lockedText(stderr string) bool {
	return strings.Contains(stderr, ".lock': File exists") || strings.Contains(stderr, "/"+packedNew+": File exists")
}

// staleText reports whether update-ref failed because another process moved or packed a ref,
// or had its lock, first. Everything else (a hook's refusal, a missing object, a directory in the
// way, no permission) will fail again.
func staleText(stderr string) bool {
	said := complaint(stderr)
	switch {
	case lockedText(said),
		strings.Contains(said, "but expected"), // is at X; is missing
		strings.Contains(said, "reference already exists"):
		return true
	case strings.Contains(said, "unable to resolve reference"):
		// Gone, if nothing follows; else broken, or not to be read.
		return strings.HasSuffix(said, "'")
	case strings.Contains(said, ".lock'"):
		// A folder that git has just made is gone where pack-refs emptied it meanwhile.
		return strings.Contains(said, "File exists") || strings.Contains(said, "No such file or directory")
	}
	return strings.Contains(said, "cannot lock references") // reftable
}

// unsaidText reports whether update-ref could not write a file, or make a directory,
// without the reason.
func unsaidText(stderr string) bool {
	said := complaint(stderr)
	return strings.Contains(said, "couldn't write '") || strings.Contains(said, "unable to create directory")
}

// refInText returns the ref that a complaint names.
func refInText(stderr string) string {
	_, rest, ok := strings.Cut(complaint(stderr), "cannot lock ref '")
	if !ok {
		return ""
	}
	name, _, _ := strings.Cut(rest, "'")
	return name
}

// refNames lists the refs of a transaction, for people.
func refNames(queued []refChange) string {
	names := make([]string, len(queued))
	for i, q := range queued {
		names[i] = "'" + q.ref + "'"
	}
	return "ref " + strings.Join(names, ", ")
}

// reftableLocked finds out whether a child failed because another process has the one lock
// of all refs of a reftable, for longer than git waits: git names no file, and before 2.48
// it does not wait at all. A lock that is taken and released meanwhile is another
// writer's.
func (r *Repo) reftableLocked(err *Error) (error, bool) {
	said := complaint(err.Stderr)
	if r.format.refFiles || !strings.Contains(said, "cannot lock references") {
		return nil, false
	}
	path := filepath.Join(r.commonDir, "reftable", "tables.list.lock")
	info, lerr := os.Lstat(path)
	if lerr != nil || time.Since(info.ModTime()) < refsLockTimeout {
		return nil, false
	}
	named := *err
	named.Stderr = fmt.Sprintf("fatal: %s: '%s': File exists\n", said, path)
	return lockedError{&named}, true
}

// filesOfRef are as many files and directories as git may make in each of the two
// places to move one ref: its lock, or its reflog, and their directories.
const filesOfRef = 3

// refused asks the file system for the reason that git does not report: why files cannot
// be written beside some refs or their reflogs. It is nil where they can by now.
func (r *Repo) refused(queued []refChange) error {
	var made []string
	defer func() {
		for _, path := range made {
			_ = os.Remove(path)
		}
	}()
	for _, q := range queued {
		for _, place := range []string{q.ref, "logs/" + q.ref} {
			dir := filepath.Dir(filepath.Join(r.commonDir, filepath.FromSlash(place)))
			for !disk.IsDir(dir) && len(dir) > len(r.commonDir) {
				dir = filepath.Dir(dir)
			}
			for range filesOfRef {
				// Were this process killed, git would pass over a file of such a name. It is
				// as large as git's own, and there as long as the others.
				path := filepath.Join(dir, "tmp_"+disk.RandomName()+".lock")
				made = append(made, path)
				err := os.WriteFile(path, make([]byte, 64), 0o666)
				var failed *fs.PathError
				if errors.As(err, &failed) {
					return failed.Err // git has named a path
				}
			}
		}
	}
	return nil
}
