//go:build unix

package journal

import "syscall"

// Linked reports whether the journal stands under a second name.
func (j *Journal) Linked() bool {
	info, err := j.f.Stat()
	if err != nil {
		return true // not known: leave the file as it is
	}
	stat, ok := info.Sys().(*syscall.Stat_t)
	return !ok || stat.Nlink > 1
}
