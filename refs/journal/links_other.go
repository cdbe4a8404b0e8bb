//go:build !unix

package journal

// Linked always reports false: this system's link count is not queried.
func (j *Journal) Linked() bool { return false }
