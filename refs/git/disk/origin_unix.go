//go:build unix

package disk

import (
	"fmt"

	"golang.org/x/sys/unix"
)

// Origin returns a text that says where and when a file was made: its inode, and the time of the
// last change of that. No program can set that time, so that an archive cannot bring a file whose
// Origin is known beforehand. It changes with the permissions, the links and the content.
func Origin(path string) (string, error) {
	var st unix.Stat_t
	if err := unix.Lstat(path, &st); err != nil {
		return "", err
	}
	return fmt.Sprintf("%d %d", st.Ino, st.Ctim.Nano()), nil
}
