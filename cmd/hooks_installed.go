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

// installedIn are the places of each worktree.
type installedIn map[string][]installed

// installed is a place, relative to the common git directory, with which it is moved.
type installed struct {
	Dir  string `json:"dir"`
	Made string `json:"made,omitempty"` // the uppermost directory that did not exist before
	// Leaving: they are being uninstalled, or that was interrupted. Nothing is missing then.
	Leaving bool `json:"leaving,omitempty"`
}

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
	dir := relativeHooks(repo, now.Dir)
	return slices.ContainsFunc(known[repo.WorktreeDir()], func(in installed) bool { return in.Dir == dir && !in.Leaving })
}

// relativeHooks is how a directory is kept.
func relativeHooks(repo *git.Repo, dir string) string {
	rel, err := filepath.Rel(repo.CommonDir(), dir)
	if err != nil { // on another volume
		return dir
	}
	return rel
}

// absoluteHooks is the directory that was kept.
func absoluteHooks(repo *git.Repo, dir string) string {
	if filepath.IsAbs(dir) {
		return dir
	}
	return filepath.Join(repo.CommonDir(), dir)
}

// elsewhere are the places of this worktree's hooks that git does not look at now.
func (known installedIn) elsewhere(repo *git.Repo, now hooks.Place) []hooks.Place {
	var places []hooks.Place
	for _, in := range known[repo.WorktreeDir()] {
		if dir := absoluteHooks(repo, in.Dir); dir != now.Dir {
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
	in := installed{Dir: relativeHooks(repo, place.Dir)}
	for dir := place.Dir; ; dir = filepath.Dir(dir) {
		if _, err := os.Lstat(dir); !errors.Is(err, fs.ErrNotExist) {
			break
		}
		in.Made = relativeHooks(repo, dir)
	}
	changes, err := hooks.Install(place)
	if err != nil || known.here(repo, place) {
		return changes, err
	}
	known.add(repo, in)
	return changes, known.write(repo)
}

// add takes a place down, unless it stands there as one that is left.
func (known installedIn) add(repo *git.Repo, in installed) {
	here := known[repo.WorktreeDir()]
	if i := slices.IndexFunc(here, func(old installed) bool { return old.Dir == in.Dir }); i >= 0 {
		here[i].Leaving = false
		return
	}
	known[repo.WorktreeDir()] = append(here, in)
}

// clear removes the directories that an install made, unless something stands in them.
func (in installed) clear(repo *git.Repo) {
	if in.Made == "" {
		return
	}
	dir, top := absoluteHooks(repo, in.Dir), absoluteHooks(repo, in.Made)
	for ; len(dir) >= len(top); dir = filepath.Dir(dir) {
		_ = os.Remove(dir)
	}
}

// uninstallHooks takes them from where git looks now, and from where else they were
// installed. Beside an error stand the changes that were made before it. Killed halfway,
// it leaves no hook that fsck would miss.
func uninstallHooks(repo *git.Repo, place hooks.Place) ([]hooks.Change, error) {
	known, err := readInstalled(repo)
	if err != nil {
		return nil, err
	}
	here := known[repo.WorktreeDir()]
	for i := range here {
		here[i].Leaving = true
	}
	if len(here) > 0 {
		if err := known.write(repo); err != nil {
			return nil, err
		}
	}
	changes, err := hooks.Uninstall(append([]hooks.Place{place}, known.elsewhere(repo, place)...)...)
	if err != nil || len(here) == 0 {
		return changes, err
	}
	for _, in := range here {
		in.clear(repo)
	}
	delete(known, repo.WorktreeDir())
	return changes, known.write(repo)
}
