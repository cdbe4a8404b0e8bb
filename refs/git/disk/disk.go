// Package disk is what git's own rules for files need of a file system: the
// permissions of a shared repository (core.sharedRepository), files that are replaced
// in one step, names of temporary files, stamps that show whether a file was changed,
// and locks on open files.
//
// It knows no repository and runs no process. All of it is safe beside other
// processes and goroutines, unless a function says otherwise.
package disk

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

// IsAbsent reports whether an error says that a path does not exist. That includes a
// directory in place of the file, and a file in place of one of its directories: a ref
// a/b leaves no room for a ref a.
func IsAbsent(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.EISDIR) || errors.Is(err, syscall.ENOTDIR)
}

// IsDir reports whether a path is a directory, or a symbolic link to one. An error
// counts as false.
func IsDir(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

// Exists reports whether a path exists; a symbolic link is not followed. An error
// counts as false.
func Exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// Within reports whether path is dir or below it, by the names alone.
func Within(path, dir string) bool {
	rel, err := filepath.Rel(dir, path)
	return err == nil && filepath.IsLocal(rel)
}

// Absolute makes a path absolute that a process in the directory dir was given.
func Absolute(dir, path string) string {
	if filepath.IsAbs(path) {
		return filepath.Clean(path)
	}
	return filepath.Join(dir, path)
}

// Glob lists the files of a directory whose names match a pattern of
// [filepath.Match]. Unlike [filepath.Glob] it takes dir literally. A directory that
// cannot be read has none.
func Glob(dir, pattern string) ([]string, error) {
	literal := strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`)
	return filepath.Glob(filepath.Join(literal.Replace(dir), pattern))
}

// SameFile reports whether path still names the file that f was opened from.
func SameFile(f *os.File, path string) bool {
	opened, err := f.Stat()
	if err != nil {
		return false
	}
	named, err := os.Stat(path)
	return err == nil && os.SameFile(opened, named)
}
