package disk

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"
)

// NotRegularError says that a path which must be a regular file is something else: a symbolic
// link, which would lead a writer elsewhere, or a named pipe or a device, which a reader would
// wait for.
type NotRegularError struct {
	Path string
	Mode fs.FileMode // the bits of its type
}

// Error names the path and what it is.
func (e *NotRegularError) Error() string {
	kind := "a file of an unknown type"
	switch {
	case e.Mode&fs.ModeSymlink != 0:
		kind = "a symbolic link"
	case e.Mode&fs.ModeDir != 0:
		kind = "a folder"
	case e.Mode&fs.ModeNamedPipe != 0:
		kind = "a named pipe"
	case e.Mode&fs.ModeSocket != 0:
		kind = "a socket"
	case e.Mode&fs.ModeDevice != 0:
		kind = "a device"
	}
	return fmt.Sprintf("'%s' is %s, not a regular file", e.Path, kind)
}

// TooLargeError says that a file has more bytes than [ReadFile] may read.
type TooLargeError struct {
	Path       string
	Size, Most int64
}

// Error names the path and its size.
func (e *TooLargeError) Error() string {
	return fmt.Sprintf("'%s' has %d bytes; at most %d are read", e.Path, e.Size, e.Most)
}

// OpenFile opens a regular file as [os.OpenFile] does. What is not one is a [NotRegularError],
// without waiting and without following a symbolic link at the end of the path: a repository
// that was unpacked from an archive may contain anything.
func OpenFile(path string, flag int, mode fs.FileMode) (*os.File, error) {
	if err := checkBefore(path); err != nil {
		return nil, err
	}
	f, err := os.OpenFile(path, flag|OpenFlags, mode)
	if err != nil {
		if info, err1 := os.Lstat(path); err1 == nil && !info.Mode().IsRegular() {
			return nil, &NotRegularError{path, info.Mode().Type()}
		}
		return nil, err
	}
	if err := CheckRegular(f, path); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

// CheckRegular returns a [NotRegularError] if an open file is not regular.
func CheckRegular(f interface{ Stat() (fs.FileInfo, error) }, path string) error {
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = &NotRegularError{path, info.Mode().Type()}
	}
	return err
}

// ReadFile reads a regular file, which [OpenFile] opens. One of more than most bytes is a
// [TooLargeError].
func ReadFile(path string, most int64) ([]byte, error) {
	f, err := OpenFile(path, os.O_RDONLY, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if info.Size() > most {
		return nil, &TooLargeError{path, info.Size(), most}
	}
	data := make([]byte, info.Size()+1) // one more, so that the end is seen without growing
	n, err := io.ReadFull(f, data)
	switch {
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return data[:n], nil
	case err != nil:
		return nil, err
	}
	rest, err := io.ReadAll(io.LimitReader(f, most)) // it has grown since
	return append(data, rest...), err
}

// OpenFollowed opens a file to read it, which may be a symbolic link to one, as git's own files are in some
// repositories. A named pipe or a device is a [NotRegularError]; a folder is opened.
func OpenFollowed(path string) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|noWait, 0)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err == nil && !info.IsDir() {
		err = CheckRegular(f, path)
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

// ReadFollowed reads a whole file that [OpenFollowed] opens.
func ReadFollowed(path string) ([]byte, error) {
	f, err := OpenFollowed(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	size := int64(512)
	if info, err := f.Stat(); err == nil {
		size += info.Size()
	}
	b := bytes.NewBuffer(make([]byte, 0, size))
	_, err = b.ReadFrom(f)
	return b.Bytes(), err
}

// CheckNoPipe returns a [NotRegularError] for a path that exists and is neither a file nor a folder, which
// whoever opens it may wait for.
func CheckNoPipe(path string) error {
	info, err := os.Stat(path)
	if err == nil && !info.Mode().IsRegular() && !info.IsDir() {
		return &NotRegularError{path, info.Mode().Type()}
	}
	return nil
}

// CheckFolders returns a [NotRegularError] for a symbolic link in place of a folder, or a file
// that is neither regular nor a folder: of dir itself, its entries, and those of the folders
// in deep, which are names in dir. What does not exist is no error.
func CheckFolders(dir string, deep ...string) error {
	info, err := os.Lstat(dir)
	if IsAbsent(err) || err == nil && info.Mode().IsRegular() { // a file is its reader's to report
		return nil
	}
	if err == nil && !info.IsDir() {
		err = &NotRegularError{dir, info.Mode().Type()}
	}
	if err != nil {
		return err
	}
	for _, sub := range append([]string{""}, deep...) {
		if err := checkFolder(strings.TrimSuffix(dir+string(os.PathSeparator)+sub, string(os.PathSeparator))); err != nil {
			return err
		}
	}
	return nil
}

func checkFolder(dir string) error {
	f, err := os.Open(dir)
	if IsAbsent(err) {
		return nil
	}
	if err != nil {
		return err
	}
	defer f.Close()
	list, err := f.ReadDir(-1)
	if IsAbsent(err) { // a file, which its reader checks
		return nil
	}
	for _, e := range list {
		if t := e.Type(); t != 0 && t != fs.ModeDir {
			return &NotRegularError{dir + string(os.PathSeparator) + e.Name(), t}
		}
	}
	return err
}
