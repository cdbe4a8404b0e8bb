//go:build !unix

package journal

// Linked reports whether the journal stands under a second name, which is not
// asked on this system.
func (j *Journal) Linked() bool { return false }
