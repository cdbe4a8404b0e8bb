package git

import (
	"errors"
	"path/filepath"
	"time"

	"github.com/git-context/git-context/refs/git/disk"
)

// maxRepacked is how many children in a row may be taken in by packed-refs.
const maxRepacked = 3

// errRepacked: packed-refs was replaced in the life of a child.
//
// A child reads packed-refs once it holds its first lock, keeps it in memory, and
// sees that it was replaced by its inode, its size and the seconds of its time
// (git's stat-validity; only builds with USE_NSEC look closer). Replaced twice
// within a second it has all three again, and the child accepts an old value that
// holds no more: measured, 4 of 96 updates lost beside a busy `git pack-refs`. So
// a child that held the file before the last lock was taken is believed only if
// the file, to the nanosecond, is the one from before its start.
var errRepacked = errors.New("packed-refs was replaced meanwhile")

// packedStamp looks at packed-refs.
func (r *Repo) packedStamp() disk.Stamp {
	s, _ := disk.StampOf(filepath.Join(r.commonDir, "packed-refs")) // after an error it is not known
	return s
}

// unchanged reports whether packed-refs is as it was before the child started.
func (tx *Tx) unchanged() bool {
	return tx.packed.Known() && tx.repo.packedStamp() == tx.packed
}

// mayBeTakenIn reports whether the child had packed-refs in memory when it took
// its last lock: that of another ref, or of packed-refs itself to delete a line.
func (tx *Tx) mayBeTakenIn(queued []refChange) bool {
	return tx.used || len(queued) > 1 || queued[0].new.IsZero()
}

// believed reports whether the child may make another transaction.
func (tx *Tx) believed() bool {
	return tx.packed.Settled(time.Now()) && tx.unchanged()
}
