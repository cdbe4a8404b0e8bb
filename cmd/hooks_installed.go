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
	"github.com/git-context/git-context/refs/prose"
)

// hooksInstalled is a file of local state: for each worktree, the directories where hooks
// were installed. core.hooksPath may change later; git then ignores the old directory.
const hooksInstalled = "hooks.json"

// installedHooks maps each worktree to the places of its hooks.
type installedHooks map[string][]installedPlace

// installedPlace is a directory of hooks. Its paths are relative to the common git
// directory, so that a repository can be moved.
type installedPlace struct {
	Dir  string `json:"dir"`
	Made string `json:"made,omitempty"` // the uppermost directory that did not exist before
	// Leaving: an uninstall has begun, and may be interrupted. Missing hooks are no problem then.
	Leaving bool `json:"leaving,omitempty"`
}

func readInstalled(repo *git.Repo) (installedHooks, error) {
	known := installedHooks{}
	path := filepath.Join(repo.StateDir(), hooksInstalled)
	data, err := git.ReadStateFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return known, nil
	}
	if err == nil {
		err = json.Unmarshal(data, &known)
	}
	if err != nil {
		return nil, &installedError{path, err}
	}
	return known, nil
}

// installedError says that the list of installed hooks cannot be read.
type installedError struct {
	path string
	err  error
}

func (e *installedError) Error() string {
	return fmt.Sprintf("cannot read where hooks were installed from '%s': %v", e.path, cause(e.err))
}

func (e *installedError) Unwrap() error { return e.err }

// repair returns the command after which hooks can be installed and checked again.
func (e *installedError) repair() string {
	if errors.Is(e.err, fs.ErrPermission) {
		return "chmod u+rw " + prose.ShellQuoted(e.path)
	}
	return "rm -r " + prose.ShellQuoted(e.path) + " && " + self + " hooks install git"
}

// here reports whether hooks of this worktree were installed where git looks now.
func (known installedHooks) here(repo *git.Repo, now hooks.Place) bool {
	dir := relativeHooks(repo, now.Dir)
	return slices.ContainsFunc(known[repo.WorktreeDir()], func(in installedPlace) bool {
		return in.Dir == dir && !in.Leaving
	})
}

// relativeHooks returns a directory as the file stores it.
func relativeHooks(repo *git.Repo, dir string) string {
	rel, err := filepath.Rel(repo.CommonDir(), dir)
	if err != nil { // on another volume
		return dir
	}
	return rel
}

// absoluteHooks returns the directory that the file stores.
func absoluteHooks(repo *git.Repo, dir string) string {
	if filepath.IsAbs(dir) {
		return dir
	}
	return filepath.Join(repo.CommonDir(), dir)
}

// elsewhere returns the places of this worktree's hooks where git does not look now.
func (known installedHooks) elsewhere(repo *git.Repo, now hooks.Place) []hooks.Place {
	var places []hooks.Place
	for _, in := range known[repo.WorktreeDir()] {
		if dir := absoluteHooks(repo, in.Dir); dir != now.Dir {
			places = append(places, hooks.Place{Dir: dir, Roots: now.Roots})
		}
	}
	return places
}

// write writes the file; the caller must have locked the hooks.
func (known installedHooks) write(repo *git.Repo) error {
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
	in := installedPlace{Dir: relativeHooks(repo, place.Dir)}
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

// add adds a place; one that was leaving is no longer.
func (known installedHooks) add(repo *git.Repo, in installedPlace) {
	here := known[repo.WorktreeDir()]
	if i := slices.IndexFunc(here, func(old installedPlace) bool { return old.Dir == in.Dir }); i >= 0 {
		here[i].Leaving = false
		return
	}
	known[repo.WorktreeDir()] = append(here, in)
}

// clear removes the directories that an install made, if they are empty.
func (in installedPlace) clear(repo *git.Repo) {
	if in.Made == "" {
		return
	}
	dir, top := absoluteHooks(repo, in.Dir), absoluteHooks(repo, in.Made)
	for ; len(dir) >= len(top); dir = filepath.Dir(dir) {
		_ = os.Remove(dir)
	}
}

// uninstallHooks removes the hooks from the directory where git looks now and from all
// others where they were installed. Beside an error it returns the changes made before it.
// Killed halfway, it leaves nothing that fsck reports as missing.
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
