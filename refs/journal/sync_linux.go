package journal

import "syscall"

// syncData flushes a file's data. fdatasync leaves out the times, which nobody
// reads, and with them half of the wait.
func syncData(f interface{ Fd() uintptr }) error {
	for {
		if err := syscall.Fdatasync(int(f.Fd())); err != syscall.EINTR {
			return err
		}
	}
}
