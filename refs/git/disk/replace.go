package disk

import (
	"errors"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strconv"

	"github.com/git-context/git-context/refs/fault"
)

// TempPrefix begins the name of a file that [Replace] has not finished. Other files of
// local state are named after branches and remotes, one of which may be called tmp_x:
// no such name has a '~' so near to its beginning.
const TempPrefix = "tmp_~"

// Replace writes a file under a temporary name in the same directory and renames it:
// a reader, or a crash of this process, sees the old content or the new. The umask
// reduces mode, then p adjusts it. Nothing is synced to the disk.
func Replace(path string, data []byte, mode fs.FileMode, p Perm) error {
	return replace(path, data, mode, p, false)
}

// ReplaceDurably is Replace for a file that is complete, under its name, even after a power cut.
func ReplaceDurably(path string, data []byte, mode fs.FileMode, p Perm) error {
	if err := replace(path, data, mode, p, true); err != nil || runtime.GOOS == "windows" { // where a folder cannot be synced
		return err
	}
	dir, err := os.Open(filepath.Dir(path))
	if err != nil {
		return err
	}
	err = dir.Sync()
	return errors.Join(err, dir.Close())
}

func replace(path string, data []byte, mode fs.FileMode, p Perm, sync bool) error {
	tmp, err := CreateTemp(filepath.Dir(path), TempPrefix, mode)
	if err != nil {
		return err
	}
	defer os.Remove(tmp.Name()) // of no effect once renamed
	_, err = tmp.Write(data)
	if err == nil && sync {
		err = tmp.Sync()
	}
	if err1 := tmp.Close(); err == nil {
		err = err1
	}
	if err == nil {
		err = p.Adjust(tmp.Name())
	}
	if err == nil {
		fault.Point("before-file-rename")
		err = os.Rename(tmp.Name(), path)
	}
	return err
}

// CreateTemp makes a new file, prefix and a random word its name, and opens it for
// writing. The umask reduces mode, where [os.CreateTemp] makes every file private.
func CreateTemp(dir, prefix string, mode fs.FileMode) (*os.File, error) {
	for try := 0; ; try++ {
		name := filepath.Join(dir, prefix+RandomName())
		f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
		if !errors.Is(err, fs.ErrExist) || try == 100 {
			return f, err
		}
	}
}

// RandomName returns a random word for a temporary file: 64 bits in at most 13 digits
// and lower-case letters.
func RandomName() string {
	return strconv.FormatUint(rand.Uint64(), 36)
}

// Sync writes a file's content to the disk, so that a file that is renamed after it is
// complete even after a power cut.
func Sync(path string) error {
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	err = f.Sync()
	if err1 := f.Close(); err == nil {
		err = err1
	}
	return err
}
