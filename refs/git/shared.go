package git

import (
	"errors"
	"io/fs"
	"os"
	"runtime"
	"strconv"
	"strings"
)

// perm is core.sharedRepository: what the umask's permissions are changed to.
// Positive: bits that are added; negative: the bits themselves; 0: the umask's.
type perm int

// parsePerm reads core.sharedRepository (git-config(1)). What git would refuse
// changes nothing here: git says so itself.
func parsePerm(value string) perm {
	switch strings.ToLower(value) {
	case "", "umask", "false", "no", "off", "0":
		return 0
	case "group", "true", "yes", "on", "1":
		return 0o660
	case "all", "world", "everybody", "2":
		return 0o664
	}
	n, err := strconv.ParseInt(value, 8, 32)
	if err != nil || n&0o600 != 0o600 {
		return 0
	}
	return perm(-(n & 0o666))
}

// sharing returns the repository's setting. The repository's own file counts
// without a process; a setting of the user or the system counts once known.
func (r *Repo) sharing() perm {
	if r.format.shared != "" {
		return parsePerm(r.format.shared)
	}
	c := r.config.Load()
	if c == nil {
		c, _ = r.CachedConfig()
	}
	if c == nil {
		return 0
	}
	value, _ := c.String("core.sharedrepository")
	return parsePerm(value)
}

// file adjusts a mode as git's calc_shared_perm does.
func (p perm) file(mode fs.FileMode) fs.FileMode {
	tweak := fs.FileMode(max(p, -p))
	if mode&0o200 == 0 {
		tweak &^= 0o222
	}
	if mode&0o100 != 0 {
		tweak |= (tweak & 0o444) >> 2
	}
	if p < 0 {
		return tweak
	}
	return mode.Perm() | tweak
}

// adjust gives a file or directory that we made the permissions that the
// repository wants. A directory passes its group on.
func (p perm) adjust(path string) error {
	if p == 0 || runtime.GOOS == "windows" {
		return nil
	}
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	mode := p.file(info.Mode().Perm())
	if info.IsDir() {
		mode |= (mode & 0o444) >> 2
		if mode&0o060 != 0 {
			mode |= fs.ModeSetgid
		}
	}
	if mode == info.Mode()&(fs.ModePerm|fs.ModeSetgid) {
		return nil
	}
	return os.Chmod(path, mode)
}

// mkdir makes a directory and its parents below base, which must exist, with
// the permissions that the repository wants.
func (p perm) mkdir(path string) error {
	err := os.Mkdir(path, 0o777)
	switch {
	case err == nil:
		return p.adjust(path)
	case errors.Is(err, fs.ErrExist):
		if isDir(path) {
			return nil
		}
		return err
	}
	return err
}
