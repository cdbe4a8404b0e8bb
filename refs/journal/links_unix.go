//go:build unix

package journal

import "syscall"

// Linked reports whether the journal has a second name.
func (j *Journal) Linked() bool {
	info, err := j.f.Stat()
	if err != nil {
		return true // unknown: leave the file as it is
	}
	stat, ok := info.Sys().(*syscall.Stat_t)
	return !ok || stat.Nlink > 1
}
