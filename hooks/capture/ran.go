package capture

import (
	"path/filepath"
	"strings"

	"github.com/git-context/git-context/refs/store"
)

// Ran is a line about a session for its first commit: the directory in which it ran, unless that is the top
// of a worktree, because the names of files are relative to it; and settings of the client that say what the
// agent was allowed to do. It is "" if there is nothing to say.
func Ran(s *store.Store, dir string, settings []string) (string, error) {
	dir, err := below(s, dir)
	if err != nil {
		return "", err
	}
	with := strings.Join(settings, ", ")
	switch {
	case dir == "" && with == "":
		return "", nil
	case with == "":
		return "Ran in " + dir, nil
	case dir == "":
		return "Ran with " + with, nil
	}
	return "Ran in " + dir + " with " + with, nil
}

// below is a directory relative to the worktree that it is in, "" for its top.
func below(s *store.Store, dir string) (string, error) {
	if dir == "" { // the client does not say
		return "", nil
	}
	trees, err := Trees(s)
	if err != nil {
		return "", err
	}
	dir = resolved(dir)
	for _, top := range trees {
		rel, err := filepath.Rel(top, dir)
		switch {
		case err != nil || !filepath.IsLocal(rel):
		case rel == ".":
			return "", nil
		default:
			return filepath.ToSlash(rel), nil
		}
	}
	return dir, nil
}
