//go:build unix

package git

import (
	"io/fs"
	"os"
	"syscall"
)

// ours reports whether a file belongs to the user we run as. Whether any other
// owner can be trusted is git's decision.
func ours(info fs.FileInfo) bool {
	st, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(st.Uid) == os.Geteuid()
}

// device returns the file system a file stands on.
func device(info fs.FileInfo) uint64 {
	if st, ok := info.Sys().(*syscall.Stat_t); ok {
		return uint64(st.Dev)
	}
	return 0
}

// inode returns the number of a file within its file system.
func inode(info fs.FileInfo) uint64 {
	if st, ok := info.Sys().(*syscall.Stat_t); ok {
		return uint64(st.Ino)
	}
	return 0
}
