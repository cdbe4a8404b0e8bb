package settings

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"github.com/git-context/git-context/refs/git/disk"
)

// mostBytes limits the size of a file that is read. Configuration is a few kilobytes.
const mostBytes = 16 << 20

// file is a file as it was read.
type file struct {
	path   string // as its client finds it
	real   string // with symbolic links resolved
	exists bool
	linked bool // path is a symbolic link
	mode   fs.FileMode
	data   []byte
}

// load reads a file. A file that does not exist is no error. The error is an *Error.
func load(path string) (file, error) {
	f := file{path: path, real: path}
	info, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) {
		if dir, err := filepath.EvalSymlinks(filepath.Dir(path)); err == nil {
			f.real = filepath.Join(dir, filepath.Base(path))
		}
		return f, nil
	}
	if err == nil {
		f.linked = info.Mode()&fs.ModeSymlink != 0
		f.real, err = filepath.EvalSymlinks(path)
	}
	if err == nil {
		info, err = os.Stat(f.real)
	}
	switch {
	case !f.linked && errors.Is(err, fs.ErrNotExist): // removed just now
		return file{path: path, real: path}, nil
	case err != nil && f.linked:
		return f, refuse(err, "remove the link, or make the file", "'%s' is a symbolic link that cannot be followed", path)
	case err != nil:
		return f, refuse(err, "", "cannot read '%s'", path)
	case !info.Mode().IsRegular():
		return f, refuse(nil, "move it away", "'%s' is no file", path)
	case info.Size() > mostBytes:
		return f, refuse(nil, "move it away", "'%s' is larger than 16 MiB", path)
	}
	data, err := os.ReadFile(f.real)
	if errors.Is(err, fs.ErrNotExist) && !f.linked {
		return f, nil
	}
	if err != nil {
		return f, refuse(err, "", "cannot read '%s'", path)
	}
	f.exists, f.mode, f.data = true, info.Mode(), data
	return f, nil
}

// edit is a change of a file: its new text, or nil to remove it. The same text changes nothing.
type edit func(file) ([]byte, error)

// change makes an edit under the lock of the file's directory, and reports whether the file changed.
// A directory above stop that is empty after a removal is removed too.
func change(at location, e edit) (changed bool, err error) {
	f, err := load(at.path)
	if err != nil {
		return false, err
	}
	if _, err := e(f); err != nil { // before a directory is made
		return false, err
	}
	l, err := lockDir(filepath.Dir(f.real), filepath.Base(f.real))
	if err != nil {
		return false, refuse(err, "", "cannot change '%s'", at.path)
	}
	changed, err = f.changeLocked(e)
	l.unlock(func() {
		if now, err := load(at.path); err == nil && !now.exists {
			removeEmpty(filepath.Dir(f.real), at.stop)
		}
	})
	return changed, err
}

// maxReads is how often a file is read again because another program wrote it meanwhile.
const maxReads = 5

func (f file) changeLocked(e edit) (bool, error) {
	for try := 1; ; try++ {
		now, err := load(f.path)
		if err != nil {
			return false, err
		}
		text, err := e(now)
		if err != nil || now.exists && text != nil && bytes.Equal(text, now.data) || !now.exists && text == nil {
			return false, err
		}
		if text == nil {
			if err := os.Remove(now.real); err != nil {
				return false, refuse(err, "", "cannot remove '%s'", f.path)
			}
			return true, nil
		}
		written, err := now.replace(text)
		if err != nil {
			return false, refuse(err, "", "cannot write '%s'", f.path)
		}
		if written {
			return true, nil
		}
		if try == maxReads {
			return false, refuse(nil, "run it again", "another program keeps writing '%s'", f.path)
		}
	}
}

// replace writes the text beside the file and renames it. It reports false, and changes nothing, if
// the file is not as it was read.
func (f file) replace(text []byte) (written bool, err error) {
	mode := fs.FileMode(0o666)
	if f.exists {
		mode = 0o600 // until its owner's mode is set
	}
	tmp, err := disk.CreateTemp(filepath.Dir(f.real), ".git-context-", mode)
	if err != nil {
		return false, err
	}
	name := tmp.Name()
	defer os.Remove(name) // without effect after the rename
	_, err = tmp.Write(text)
	if err == nil {
		err = tmp.Sync() // a crash of the machine must not leave an empty file
	}
	if e := tmp.Close(); err == nil {
		err = e
	}
	if err == nil && f.exists {
		err = os.Chmod(name, f.mode&(fs.ModePerm|fs.ModeSetuid|fs.ModeSetgid|fs.ModeSticky))
	}
	if err != nil {
		return false, err
	}
	now, err := load(f.path)
	if err != nil || now.exists != f.exists || now.real != f.real || !bytes.Equal(now.data, f.data) {
		return false, err
	}
	return true, os.Rename(name, f.real)
}

// removeEmpty removes a directory and those above it while they are empty and below stop.
func removeEmpty(dir, stop string) {
	if real, err := filepath.EvalSymlinks(stop); err == nil {
		stop = real
	}
	for {
		rel, err := filepath.Rel(stop, dir)
		if err != nil || rel == "." || !filepath.IsLocal(rel) || os.Remove(dir) != nil {
			return
		}
		dir = filepath.Dir(dir)
	}
}

// Limits of the wait for a lock. An edit takes milliseconds.
const (
	lockWait  = 10 * time.Second
	lockPause = 10 * time.Millisecond
)

var errLocked = plainError("another process is changing it")

// mayWrite refuses a file of a project that is one of the user's through a link: what a teammate pushes must not lead into
// settings that count for all projects.
func (l location) mayWrite(users []location) error {
	for _, user := range users {
		if l.level == Project && l.path != user.path && real(l.path) == real(user.path) { // the home may be a worktree
			return refuse(nil, "make it a file, or install for all projects: --user",
				"'%s' is the user's own file: a symbolic link leads to '%s'", l.path, user.path)
		}
	}
	return nil
}
