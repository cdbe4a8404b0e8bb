package disk

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"
)

// A file may change again without a new modification time within one tick of its file
// system's clock: 4 to 10 ms where times have a fraction, up to 2 s where they have
// none.
const (
	tickFine   = 100 * time.Millisecond
	tickCoarse = 2 * time.Second
)

// Stamp shows whether a file was changed, as git's index does: by inode, size and
// modification time. Stamps are compared with ==.
type Stamp struct {
	absent bool
	known  bool
	inode  uint64
	size   int64
	mtime  int64 // nanoseconds
}

// StampOf returns the stamp of a file. A file that does not exist has one too. After an
// error the stamp is not [Stamp.Known].
func StampOf(path string) (Stamp, error) {
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return Stamp{absent: true, known: true}, nil
	}
	if err != nil {
		return Stamp{}, err
	}
	return Stamp{known: true, inode: inode(info), size: info.Size(), mtime: info.ModTime().UnixNano()}, nil
}

// Known reports whether the file could be looked at. Two stamps that are not known are
// equal and say nothing.
func (s Stamp) Known() bool { return s.known }

// String returns "<inode> <size> <nanoseconds>", or "-" for a file that does not exist.
func (s Stamp) String() string {
	if s.absent {
		return "-"
	}
	return fmt.Sprintf("%d %d %d", s.inode, s.size, s.mtime)
}

// Settled reports whether every change after the time now will give another stamp: the
// file was last changed more than one tick of its file system's clock before.
func (s Stamp) Settled(now time.Time) bool {
	tick := tickFine
	if s.mtime%int64(time.Second) == 0 {
		tick = tickCoarse
	}
	return s.absent || time.Unix(0, s.mtime).Before(now.Add(-tick))
}
