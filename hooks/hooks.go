// Package hooks installs git-context into a repository's git hooks, removes it, and reports
// its state. It edits hook files and runs nothing.
//
// # What it installs
//
// git runs one hook file for each event, and that file may already exist. The package adds
// a block of shell lines:
//
//	# git-context: begin ('git context hooks uninstall git' takes this block away)
//	git context hook post-commit "$@" </dev/null || :
//	# git-context: end
//
// The block never fails, never ends the script, and leaves standard input unread. Only the
// block of post-rewrite needs standard input: unless it is alone in the file, it copies the
// input to a temporary file, from which both it and the rest of the script read. The file
// for the block is:
//
//  1. If there is no file: a new one with only the block, whose first line states that the
//     whole file belongs to git-context.
//  2. If there is a shell script that git runs: that file, below its first line. The script's
//     own lines run after the block as before, with the same $0, by which hooks find their
//     name and the files beside them. A tool that moves the file moves both.
//  3. Anything else (another language, a binary, a symbolic link, a file that is not
//     executable) cannot contain the block. It is moved to kept-by-git-context/EVENT in the
//     hooks' directory, with its name and mode, and replaced by a new file whose last line
//     executes it. A relative symbolic link is recreated for the deeper directory. A file
//     that is not executable is not run, as git would not run it.
//
// With husky (core.hooksPath is .husky/_) git runs generated files, which run .husky/EVENT
// by `sh -e`: the block is added there. That file needs no shebang and no executable mode.
// If pre-commit moved a file of case 1 to EVENT.legacy, which it runs, the hook counts as
// installed.
//
// # Crashes
//
// A file is replaced atomically, and a hook that is moved aside has both names before it
// loses its old one. Install and Uninstall complete an earlier, interrupted call. Callers
// must exclude concurrent calls with a lock.
package hooks

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// The events for which hooks are installed.
const (
	PostCheckout = "post-checkout"
	PostCommit   = "post-commit"
	PostMerge    = "post-merge"
	PostRewrite  = "post-rewrite"
	PrePush      = "pre-push"
)

// Events returns all events, sorted by name.
func Events() []string { return []string{PostCheckout, PostCommit, PostMerge, PostRewrite, PrePush} }

// Error is a refusal: the problem, and how to solve it.
type Error struct {
	Message string // lower case, no full stop, names in single quotes
	Hints   []string
	Err     error // the cause; nil if there is none
}

// Error returns the message with its cause, without the hints.
func (e *Error) Error() string {
	if e.Err != nil {
		return e.Message + ": " + cause(e.Err).Error()
	}
	return e.Message
}

// Unwrap returns the cause; nil if there is none.
func (e *Error) Unwrap() error { return e.Err }

// cause drops the operation and the path, which the message already contains.
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

// Place is a directory in which git looks for hooks. Its functions are not safe beside
// other processes: see the package comment.
type Place struct {
	Dir   string   // absolute; it need not exist
	Roots []string // the repository's own directories: worktrees and git directories
}

// keptDir is the directory for hooks that cannot contain the block.
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

// dir returns the directory of the files that people edit.
func (p Place) dir() string {
	if p.husky() {
		return filepath.Dir(p.Dir)
	}
	return p.Dir
}

func (p Place) kept(event string) string { return filepath.Join(p.dir(), keptDir, event) }

// Check refuses a directory outside of this repository, because a hook there would run for
// other repositories too, and a path that is not a directory. The error is an *Error.
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

// isFile reports whether the path of the hooks' directory is a file, which disables hooks:
// core.hooksPath=/dev/null.
func (p Place) isFile() bool {
	info, err := os.Stat(p.Dir)
	return err == nil && !info.IsDir()
}

// inside reports whether a path is in the repository after all symbolic links are resolved.
// For a path that does not exist, its parent decides.
func (p Place) inside(path string) (bool, error) {
	real, err := filepath.EvalSymlinks(path)
	for tail := ""; errors.Is(err, fs.ErrNotExist) && filepath.Dir(path) != path; {
		if _, exists := os.Lstat(path); exists == nil {
			return false, err // a dangling link
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

// owner guesses from a hook's text which tool made it.
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

// The owners that are not names of tools.
const (
	OwnerSelf    = "git-context"
	ownerAnother = "another"
)
