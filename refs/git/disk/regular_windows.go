package disk

import "os"

// OpenFlags are none: no flag of Go's keeps an open from following a link.
const OpenFlags = 0

// noWait is not needed: no name in a folder is a named pipe.
const noWait = 0

// checkBefore returns a [NotRegularError] for a link. An archive is unpacked before, so that
// nobody exchanges the file in between.
func checkBefore(path string) error {
	if info, err := os.Lstat(path); err == nil && !info.Mode().IsRegular() {
		return &NotRegularError{path, info.Mode().Type()}
	}
	return nil
}
