package disk

import (
	"errors"
	"io/fs"
	"os"
	"runtime"
	"strconv"
	"strings"
)

// Perm is the value of core.sharedRepository: how the permissions that the umask
// leaves are changed. Positive: bits to add; negative: the bits themselves; 0: no
// change.
type Perm int

// ParsePerm reads core.sharedRepository (git-config(1)). A value that git refuses is
// 0: git reports it.
func ParsePerm(value string) Perm {
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
	return Perm(-(n & 0o666))
}

// Mode returns the permissions of a file that is made with mode, as git's
// calc_shared_perm computes them.
func (p Perm) Mode(mode fs.FileMode) fs.FileMode {
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

// Adjust gives a new file or directory the permissions of the shared repository. A
// directory passes its group on. It does nothing on Windows.
func (p Perm) Adjust(path string) error {
	if p == 0 || runtime.GOOS == "windows" {
		return nil
	}
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	mode := p.Mode(info.Mode().Perm())
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

// Mkdir makes a directory with these permissions. Its parent must exist; a directory
// that exists already is left as it is.
func (p Perm) Mkdir(path string) error {
	err := os.Mkdir(path, 0o777)
	switch {
	case err == nil:
		return p.Adjust(path)
	case errors.Is(err, fs.ErrExist):
		if IsDir(path) {
			return nil
		}
		return err
	}
	return err
}
