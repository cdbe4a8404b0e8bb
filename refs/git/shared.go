package git

import (
	"github.com/git-context/git-context/refs/git/disk"
)

// Sharing returns the repository's setting. The repository's own file counts
// without a process; a setting of the user or the system counts once known.
func (r *Repo) Sharing() disk.Perm {
	if r.format.shared != "" {
		return disk.ParsePerm(r.format.shared)
	}
	c := r.config.Load()
	if c == nil {
		c, _ = r.CachedConfig()
	}
	if c == nil {
		return 0
	}
	value, _ := c.String("core.sharedrepository")
	return disk.ParsePerm(value)
}
