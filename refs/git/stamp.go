package git

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"
)

// stamp tells whether a file is still what it was, as git's index does.
type stamp struct {
	absent bool
	inode  uint64
	size   int64
	mtime  int64 // nanoseconds
}

// stampOf looks at a file; one that does not exist has a stamp too.
func stampOf(path string) (stamp, error) {
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return stamp{absent: true}, nil
	}
	if err != nil {
		return stamp{}, err
	}
	return stamp{inode: inode(info), size: info.Size(), mtime: info.ModTime().UnixNano()}, nil
}

func (s stamp) String() string {
	if s.absent {
		return "-"
	}
	return fmt.Sprintf("%d %d %d", s.inode, s.size, s.mtime)
}

// settled reports whether every later change to the file will show: its time is
// more than one tick of the file system's clock before now.
func (s stamp) settled(now time.Time) bool {
	tick := racyFine
	if s.mtime%int64(time.Second) == 0 {
		tick = racyCoarse
	}
	return s.absent || time.Unix(0, s.mtime).Before(now.Add(-tick))
}
