// Package settings installs git-context into the hooks and the instructions of coding agents, removes
// it, and reports its state. It edits their files and runs nothing.
//
// # What it installs
//
// A client (a coding agent, see [Clients]) has a file for a project and one for a user. For most
// clients it is a JSON file with other settings, and an entry is added to the list of each event:
//
//	{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": LINE, "timeout": 10}]}]}}
//
// LINE is [Client.Line]. It is the same in every version and on every machine, because Codex binds
// trust to it and because a team shares the file. An entry is recognised by its words
// 'git-context hook CLIENT', so that a person may change everything else of it. OpenCode and pi
// load a plugin instead: a file of ours, whose first line contains a checksum of the rest.
//
// # How a file is edited
//
// Bytes are inserted and removed; everything else of the file stays: the order, comments, indentation,
// unknown keys, a byte order mark, CRLF. [Uninstall] removes exactly what [Install] inserted, also if
// other parts were edited between. No state is stored beside the file. Three forms in the file say
// what existed before:
//
//  1. An element is appended to a list or object that is not empty. A comma that ended the list
//     before ends it again.
//  2. In a list or object that exists and is empty, one space follows the opening bracket. Uninstall
//     leaves it empty.
//  3. One that did not exist has no space or a new line there. If nothing else is in it, uninstall
//     removes it; a file like any other.
//
// A client whose file has a version gets it behind "hooks" if it had none, and loses it again.
//
// # Servers
//
// [InstallServer] registers our server of the Model Context Protocol, 'git context mcp', where the client reads
// which servers it starts. An entry is ours if its command starts that server, whatever its name and its other
// members are; another server that has our name is left alone. Most files are JSON and edited as above, some are
// those of the hooks: then what came last has to go first. A file of OpenCode gets a "$schema" behind ours if it
// had none, and loses it again: OpenCode itself would add one, and so keep a file that was made for the server. The
// servers of Codex are tables of TOML. Ours is appended, below a line by which an uninstall recognises it and the
// empty line above it:
//
//	# 'git context hooks uninstall codex' removes this table.
//	[mcp_servers.git-context]
//	command = "git"
//	args = ["context", "mcp"]
//
// # Instructions
//
// [InstallInstructions] tells the agents of a project, in files that belong to it, when to use memory:
//
//	<!-- git-context:begin v1 -->
//	[Instructions]
//	<!-- git-context:end -->
//
// This block is in AGENTS.md. A client that reads another file in place of it gets a block with the
// line '@AGENTS.md' there, unless that file leads to AGENTS.md already. [Skill] is a file of ours in
// .agents/skills, and in the folder of a client that does not read this one. Its front matter contains
// the checksum of the rest, as the first line of a plugin does.
//
// What is outside of the markers is not ours and stays, as in a configuration file; what is between
// them is replaced. Anything but one pair of markers is refused. The version changes with the text, and
// a block of a newer one is left alone.
//
// # Concurrency
//
// A file is locked, read, edited and replaced atomically, and keeps its mode; a symbolic link stays
// and the file that it leads to is replaced. Any number of processes may install at once. A file that
// another program wrote meanwhile is read again.
package settings

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"runtime"
)

// Level says for whom hooks are installed.
type Level string

// The levels.
const (
	Project Level = "project" // everybody who works in the worktree
	User    Level = "user"    // one user, in all repositories
)

// Levels returns both levels.
func Levels() []Level { return []Level{Project, User} }

// Place is where the files of clients are.
type Place struct {
	Root   string              // the worktree; "": there is none, and no project file
	Getenv func(string) string // the environment, which says where the user's files are
}

// Error is a refusal: the problem, and how to solve it.
type Error struct {
	Message string // lower case, no full stop, names in single quotes
	Hints   []string
	Err     error // the cause; nil if there is none
}

// Error returns the message with its cause, without the hints.
func (e *Error) Error() string {
	if e.Err == nil {
		return e.Message
	}
	var p *fs.PathError
	if errors.As(e.Err, &p) {
		return e.Message + ": " + p.Err.Error()
	}
	return e.Message + ": " + e.Err.Error()
}

// Unwrap returns the cause; nil if there is none.
func (e *Error) Unwrap() error { return e.Err }

func refuse(err error, hint, format string, args ...any) *Error {
	e := &Error{Message: fmt.Sprintf(format, args...), Err: err}
	if hint != "" {
		e.Hints = []string{hint}
	}
	return e
}

// home returns the user's home directory; "" if the environment does not say.
func (p Place) home() string {
	if runtime.GOOS == "windows" {
		return p.Getenv("USERPROFILE")
	}
	return p.Getenv("HOME")
}

// location is a file of a client, and the directory that an uninstall never removes.
type location struct {
	path, stop string
	level      Level
	text       bool // not JSON: it is searched for our line and never edited
}

// locations returns the files of a level that may contain our entries. The first is the one
// into which hooks are installed. It is nil if the level has no directory.
func (c Client) locations(p Place, level Level) []location {
	base, stop := c.dirs(p, level, c.base)
	names := append([]string{c.user}, c.alsoUser...)
	if level == Project {
		names = append([]string{c.project}, c.alsoProject...)
	}
	if base == "" {
		return nil
	}
	var all []location
	for _, name := range names {
		all = append(all, location{
			path: filepath.Join(base, filepath.FromSlash(name)), stop: stop, level: level,
			text: c.plugin == "" && filepath.Ext(name) != ".json",
		})
	}
	return all
}

// dirs returns the directory to which the files of a level are relative, "" if there is none, and the one that an
// uninstall never removes. inHome is the user's, where the environment does not move it.
func (c Client) dirs(p Place, level Level, inHome string) (base, stop string) {
	switch dir := c.moved(p); {
	case level == Project:
		return p.Root, p.Root
	case dir != "":
		return dir, p.Getenv(c.movedBy)
	case p.home() == "":
		return "", ""
	}
	return filepath.Join(p.home(), filepath.FromSlash(inHome)), p.home()
}

// moved returns the directory to which the environment moves the user's files; "" if it does not.
func (c Client) moved(p Place) string {
	if c.movedBy == "" || !filepath.IsAbs(p.Getenv(c.movedBy)) {
		return ""
	}
	return filepath.Join(p.Getenv(c.movedBy), filepath.FromSlash(c.movedTo))
}

// Dir returns the client's directory of the user, such as ~/.copilot; "" if the environment does not
// say where it is.
func (c Client) Dir(p Place) string { return c.userBase(p) }

// ConfigDir returns the directory of the user's configuration files, ~/.config if the environment does not
// move it; "" if it does not say where it is.
func ConfigDir(p Place) string {
	if dir := p.Getenv("XDG_CONFIG_HOME"); filepath.IsAbs(dir) {
		return dir
	}
	if p.home() == "" {
		return ""
	}
	return filepath.Join(p.home(), ".config")
}

// userBase returns the directory to which the user's files are relative.
func (c Client) userBase(p Place) string {
	base, _ := c.dirs(p, User, c.base)
	return base
}

func (c Client) main(p Place, level Level) (location, error) {
	all := c.locations(p, level)
	if len(all) == 0 {
		return location{}, c.noPlace(level)
	}
	return all[0], nil
}

// noPlace is the refusal of a level that has no directory.
func (c Client) noPlace(level Level) error {
	if level == Project {
		return refuse(nil, "git context hooks install "+c.Name+" --user", "there is no worktree for the project file of %s", c.Title)
	}
	return refuse(nil, "set HOME", "the environment does not say where the files of %s are", c.Title)
}
