//go:build unix

package disk

import "syscall"

// OpenFlags keep an open from waiting for the other end of a named pipe, and from following a
// symbolic link. [CheckRegular] must follow.
const OpenFlags = noWait | syscall.O_NOFOLLOW

// noWait keeps an open from waiting for the other end of a named pipe.
const noWait = syscall.O_NONBLOCK

// checkBefore has nothing to do: OpenFlags suffice.
func checkBefore(string) error { return nil }
