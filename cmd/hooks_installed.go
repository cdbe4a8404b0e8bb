package cmd

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/git-context/git-context/hooks"
	"github.com/git-context/git-context/refs/git"
)

// hooksInstalled is a file of local state: for each worktree, the directories that
// hooks were installed in. core.hooksPath may be set, or changed, later; git then looks
// elsewhere, and says nothing.
const hooksInstalled = "hooks.json"

// installedIn are the directories of each worktree, relative to the common git
// directory, with which they are moved.
type installedIn map[string][]string

func readInstalled(repo *git.Repo) (installedIn, error) {
	known := installedIn{}
	path := filepath.Join(repo.StateDir(), hooksInstalled)
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return known, nil
	}
	if err == nil {
		err = json.Unmarshal(data, &known)
	}
	if err != nil {
		return nil, fmt.Errorf("cannot read where hooks were installed from '%s': %w", path, cause(err))
	}
	return known, nil
}

// here reports whether hooks of this worktree were installed where git looks now.
func (known installedIn) here(repo *git.Repo, now hooks.Place) bool {
	return slices.Contains(known[repo.WorktreeDir()], relativeHooks(repo, now))
}

// relativeHooks is how a place is kept.
func relativeHooks(repo *git.Repo, p hooks.Place) string {
	dir, err := filepath.Rel(repo.CommonDir(), p.Dir)
	if err != nil { // on another volume
		return p.Dir
	}
	return dir
}

// elsewhere are the places of this worktree's hooks that git does not look at now.
func (known installedIn) elsewhere(repo *git.Repo, now hooks.Place) []hooks.Place {
	var places []hooks.Place
	for _, dir := range known[repo.WorktreeDir()] {
		if !filepath.IsAbs(dir) {
			dir = filepath.Join(repo.CommonDir(), dir)
		}
		if dir != now.Dir {
			places = append(places, hooks.Place{Dir: dir, Roots: now.Roots})
		}
	}
	return places
}

// write keeps what is known; the caller holds the lock.
func (known installedIn) write(repo *git.Repo) error {
	data, err := json.Marshal(known)
	if err != nil {
		return err
	}
	return repo.WriteStateFile(hooksInstalled, append(data, '\n'))
}

func installHooks(repo *git.Repo, place hooks.Place) ([]hooks.Change, error) {
	known, err := readInstalled(repo)
	if err != nil {
		return nil, err
	}
	changes, err := hooks.Install(place)
	if err != nil || known.here(repo, place) {
		return changes, err
	}
	known[repo.WorktreeDir()] = append(known[repo.WorktreeDir()], relativeHooks(repo, place))
	return changes, known.write(repo)
}

// uninstallHooks takes them from where git looks now, and from where else they were
// installed. Beside an error stand the changes that were made before it.
func uninstallHooks(repo *git.Repo, place hooks.Place) ([]hooks.Change, error) {
	known, err := readInstalled(repo)
	if err != nil {
		return nil, err
	}
	changes, err := hooks.Uninstall(append([]hooks.Place{place}, known.elsewhere(repo, place)...)...)
	if err != nil || len(known[repo.WorktreeDir()]) == 0 {
		return changes, err
	}
	delete(known, repo.WorktreeDir())
	return changes, known.write(repo)
}
