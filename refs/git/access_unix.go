//go:build unix

package git

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"github.com/git-context/git-context/refs/git/disk"
)

// Refused is a file or folder of local state that this user cannot write to.
type Refused struct {
	Path string
	Own  bool // it is this user's: its permissions are in the way, else its owner
}

// RefusedState lists what of local state this user may not read and write as everybody
// who uses the memory must: folders, journals and locks. Below a folder that is refused
// nothing is looked at.
func (r *Repo) RefusedState() ([]Refused, error) {
	const read, write, enter = 4, 2, 1 // of access(2)
	var found []Refused
	top := r.StateDir()
	err := filepath.WalkDir(top, func(path string, d fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) { // most files here come and go
			return nil
		}
		if errors.Is(err, fs.ErrPermission) && d != nil && d.IsDir() {
			err = nil // it was visited already, or is now
		}
		if err != nil {
			return err
		}
		mode := uint32(read | write)
		dir := filepath.Base(filepath.Dir(path))
		switch {
		case d.IsDir():
			mode |= enter
		case dir != "journal" && dir != "lock":
			return nil
		}
		err = syscall.Access(path, mode)
		if err == nil || errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		info, err := os.Lstat(path)
		if err != nil {
			return err
		}
		found = append(found, Refused{Path: path, Own: disk.Owned(info)})
		if d.IsDir() {
			return fs.SkipDir
		}
		return nil
	})
	return found, err
}
