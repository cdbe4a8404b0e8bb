package git

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// reftableLocked says of a child that failed whether a process holds the one lock that all
// refs of a reftable have, and for how long: git tells of no file, and before 2.48 it does
// not wait at all. One that is taken and given back is no more than another writer.
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
