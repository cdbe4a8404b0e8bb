package git

import (
	"path/filepath"
	"strings"

	"github.com/git-context/git-context/refs/git/disk"
)

// Inside reads the name of a file as git reads it from a user: relative to where they
// stand, or absolute. It gives the path from the worktree's top, clean and with slashes; "."
// is the top itself. Nothing need stand there. ok is false for what is outside of
// the worktree. In a bare repository, and for who stands outside of the worktree
// (GIT_WORK_TREE), names are relative to the root.
func (r *Repo) Inside(name string) (path string, ok bool) {
	if name == "" {
		return "", false
	}
	if filepath.IsAbs(name) {
		name, ok = r.fromTop(filepath.Clean(name))
		return filepath.ToSlash(name), ok
	}
	if here, ok := r.fromTop(r.dir); ok {
		name = filepath.Join(here, name)
	}
	name = filepath.Clean(name)
	return filepath.ToSlash(name), filepath.IsLocal(name)
}

// fromTop makes an absolute path relative to the worktree's top, which a symbolic link on its
// way may lead to.
func (r *Repo) fromTop(path string) (string, bool) {
	if r.workTree == "" {
		return "", false
	}
	if disk.Within(path, r.workTree) {
		rel, err := filepath.Rel(r.workTree, path)
		return rel, err == nil
	}
	for at, rest := len(filepath.VolumeName(path)), ""; at < len(path); {
		next := strings.IndexRune(path[at+1:], filepath.Separator)
		if next < 0 {
			at, rest = len(path), "."
		} else {
			at, rest = at+1+next, path[at+2+next:]
		}
		real, err := filepath.EvalSymlinks(path[:at])
		if err != nil { // below what is not there nothing leads back
			return "", false
		}
		if real == r.workTree {
			return rest, true
		}
	}
	return "", false
}
