//go:build unix

package disk

import "syscall"

// OpenFlags keep an open from waiting for the other end of a named pipe, and from following a
// symbolic link. [CheckRegular] must follow.
const OpenFlags = syscall.O_NONBLOCK | syscall.O_NOFOLLOW

// checkBefore has nothing to do: OpenFlags suffice.
func checkBefore(string) error { return nil }
