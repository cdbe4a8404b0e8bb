// Package hooks installs git-context into a repository's git hooks, takes it away
// again, and says how it stands. It edits hook files, and runs nothing.
//
// # What is installed
//
// A hook of git's is one file for an event, and other people's hooks stand there
// already. What is added is a block of lines for a shell:
//
//	# git-context: begin ('git context hooks uninstall git' takes this block away)
//	git context hook post-commit "$@" </dev/null || :
//	# git-context: end
//
// It never fails, never ends the script and leaves standard input as it was; only the
// block of post-rewrite needs it, and reads it into a file, from which both are fed,
// unless it stands alone.
// Which file gets the block:
//
//  1. None stands there: a new one that holds nothing else. The block's first line
//     says that the file goes with it.
//  2. A shell script that git runs: that file, below its first line. The script's
//     own lines run behind the block as before, with the same $0, by which hooks
//     find their own name and what stands beside them, and whatever tool moves the
//     file moves both. Renamed it would not know itself any more.
//  3. Anything else (another language, a binary, a symbolic link, a file that is not
//     executable) cannot hold it. It is moved to kept-by-git-context/EVENT in the
//     hooks' directory, where its name and its mode stay, and a new file takes its
//     place whose last line becomes what was kept. A relative symbolic link is made
//     anew, one directory deeper. What is not executable is not run, as git would not.
//
// Under husky (core.hooksPath is .husky/_) git runs generated files, which run
// .husky/EVENT by `sh -e`: the block goes there. That file needs neither a first line
// nor a mode. Where pre-commit has moved a file of case 1 to EVENT.legacy, which it
// runs, it counts as installed.
//
// # Crashes
//
// A file is replaced in one step, and what is kept stands under both names before
// it loses its own. Install and Uninstall finish what an earlier one left. Callers
// keep two of them apart by a lock.
package hooks

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// The events that a hook is installed for.
const (
	PostCheckout = "post-checkout"
	PostCommit   = "post-commit"
	PostRewrite  = "post-rewrite"
	PrePush      = "pre-push"
)

// Events are all of them, by name.
func Events() []string { return []string{PostCheckout, PostCommit, PostRewrite, PrePush} }

// Error is a refusal: what stands in the way, and what to do about it.
type Error struct {
	Message string // lower case, no full stop, names in single quotes
	Hints   []string
	Err     error // the cause, if there is one
}

func (e *Error) Error() string {
	if e.Err != nil {
		return e.Message + ": " + cause(e.Err).Error()
	}
	return e.Message
}

func (e *Error) Unwrap() error { return e.Err }

// cause drops the operation and the path, which the message has named.
func cause(err error) error {
	var p *fs.PathError
	if errors.As(err, &p) {
		return p.Err
	}
	return err
}

func refuse(err error, hint, format string, args ...any) *Error {
	e := &Error{Message: fmt.Sprintf(format, args...), Err: err}
	if hint != "" {
		e.Hints = []string{hint}
	}
	return e
}

// Place is a directory in which git looks for hooks.
type Place struct {
	Dir   string   // absolute; it need not exist
	Roots []string // the directories that are the repository's own: worktrees and git directories
}

// keptDir is where hooks are kept that cannot hold the block.
const keptDir = "kept-by-git-context"

// husky reports whether git runs husky's generated files there.
func (p Place) husky() bool {
	if filepath.Base(p.Dir) != "_" {
		return false
	}
	if filepath.Base(filepath.Dir(p.Dir)) == ".husky" {
		return true
	}
	_, err := os.Lstat(filepath.Join(p.Dir, "husky.sh"))
	return err == nil
}

// dir is where the files are that people edit.
func (p Place) dir() string {
	if p.husky() {
		return filepath.Dir(p.Dir)
	}
	return p.Dir
}

func (p Place) kept(event string) string { return filepath.Join(p.dir(), keptDir, event) }

// Check refuses a directory that belongs to more than this repository: what is
// installed there would run everywhere.
func (p Place) Check() error {
	inside, err := p.inside(p.Dir)
	if err != nil {
		return refuse(err, "", "cannot look for hooks in '%s'", p.Dir)
	}
	if !inside {
		e := refuse(nil, "", "git looks for hooks in '%s', which is outside of this repository", p.Dir)
		for _, event := range Events() {
			e.Hints = append(e.Hints, fmt.Sprintf("in '%s': %s", filepath.Join(p.Dir, event), call(event)))
		}
		return e
	}
	if p.isFile() {
		return refuse(nil, "git config --show-origin core.hooksPath", "'%s' is no directory", p.Dir)
	}
	return nil
}

// isFile reports whether something that is no directory stands in the place of one, which
// turns hooks off: people say core.hooksPath=/dev/null.
func (p Place) isFile() bool {
	info, err := os.Stat(p.Dir)
	return err == nil && !info.IsDir()
}

// inside reports whether a path leads into the repository, whatever symbolic links
// stand on the way. What does not exist yet is where its parent is.
func (p Place) inside(path string) (bool, error) {
	real, err := filepath.EvalSymlinks(path)
	for tail := ""; errors.Is(err, fs.ErrNotExist) && filepath.Dir(path) != path; {
		if _, exists := os.Lstat(path); exists == nil {
			return false, err // a link that leads nowhere
		}
		tail = filepath.Join(filepath.Base(path), tail)
		path = filepath.Dir(path)
		if real, err = filepath.EvalSymlinks(path); err == nil {
			real = filepath.Join(real, tail)
		}
	}
	if err != nil {
		return false, err
	}
	for _, root := range p.Roots {
		if root, err := filepath.EvalSymlinks(root); err == nil && within(real, root) {
			return true, nil
		}
	}
	return false, nil
}

// within reports whether path is dir or below it.
func within(path, dir string) bool {
	rel, err := filepath.Rel(dir, path)
	return err == nil && filepath.IsLocal(rel)
}

// owner guesses by whom a hook was made, from what it says.
func owner(text string) string {
	for _, tool := range []struct{ sign, name string }{
		{"lefthook", "lefthook"}, {"husky", "husky"}, {"generated by pre-commit", "pre-commit"},
		{"git lfs", "git-lfs"}, {"git-lfs", "git-lfs"},
	} {
		if strings.Contains(strings.ToLower(text), tool.sign) {
			return tool.name
		}
	}
	return ownerAnother
}

// The owners that are no tool's name.
const (
	OwnerSelf    = "git-context"
	ownerAnother = "another"
)
