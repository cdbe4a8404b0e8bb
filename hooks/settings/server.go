package settings

import (
	"os"
	"path/filepath"
	"strings"
)

// ServerName is the name under which our server of the Model Context Protocol is registered.
const ServerName = "git-context"

// server is where a client reads which servers of the Model Context Protocol it starts.
type server struct {
	// Its files, below the worktree, and below base or the directory of Client.movedBy. The first that exists
	// is edited; if none does, the first is made.
	project, user []string
	base          string // below the home directory
	member        string // of the file: the object, or table, that has the servers by name
	entry         object // ours
	behind        object // a member that the client would add to a file without it
	asks          string // what a person does before a server of a project is started
}

// ours is the command of the server. git finds git-context where a client has a PATH of its own.
func ours() object { return object{{"command", "git"}, {"args", list{"context", "mcp"}}} }

// HasServers reports whether the client starts servers of the Model Context Protocol.
func (c Client) HasServers() bool { return c.server.member != "" }

// Asks returns what a person does once before the client starts a server of a project; "" where nothing is
// needed beside [Client.Trust].
func (c Client) Asks() string { return c.server.asks }

// registry is what a file of a client has of servers.
type registry struct {
	ours  []string // the names of those that are ours, in their order
	taken bool     // another server has our name
	off   bool     // ours is turned off
}

// serves reports whether a command line starts our server: whether it has the words 'git context mcp',
// 'git-context mcp' or 'git-context-mcp', also with a path or in quotes.
func serves(line string) bool {
	words := wordsOf(line)
	for i, w := range words {
		if program(w) == "git-context-mcp" || w == "mcp" && runsUs(words[:i]) {
			return true
		}
	}
	return false
}

// register returns the file with our server, if it has none. Of several the first stays.
func (c Client) register(f file) ([]byte, error) {
	if isTOML(f.path) {
		return c.registerTOML(f)
	}
	return c.registerJSON(f)
}

// unregister returns the file without our servers; nil, which removes it, if it was made for them.
func (c Client) unregister(f file) ([]byte, error) {
	if isTOML(f.path) {
		return c.unregisterTOML(f)
	}
	return c.unregisterJSON(f)
}

func (c Client) registryOf(f file) (registry, error) {
	if !f.exists {
		return registry{}, nil
	}
	if isTOML(f.path) {
		return c.registryOfTOML(f)
	}
	return c.registryOfJSON(f)
}

func isTOML(path string) bool { return filepath.Ext(path) == ".toml" }

// serverFiles returns the files of a level that may have our server.
func (c Client) serverFiles(p Place, level Level) (all []location) {
	base, stop := c.dirs(p, level, c.server.base)
	names := c.server.user
	if level == Project {
		names = c.server.project
	}
	if base == "" {
		return nil
	}
	for _, name := range names {
		all = append(all, location{path: filepath.Join(base, filepath.FromSlash(name)), stop: stop, level: level})
	}
	return all
}

// serverFile returns the file of a level into which our server is registered. The error is an *Error.
func (c Client) serverFile(p Place, level Level) (location, error) {
	if !c.HasServers() {
		return location{}, refuse(nil, "", "%s starts no servers of the Model Context Protocol", c.Title)
	}
	all := c.serverFiles(p, level)
	if len(all) == 0 {
		return location{}, c.noPlace(level)
	}
	for _, at := range all {
		if c.serverState(at).Ours {
			return at, nil
		}
	}
	for _, at := range all {
		if _, err := os.Lstat(at.path); err == nil { // another error is reported when it is read
			return at, nil
		}
	}
	return all[0], nil
}

// CheckServer returns why InstallServer would refuse; nil if it would not. It changes nothing. The error is
// an *Error.
func CheckServer(c Client, p Place, level Level) error {
	at, err := c.serverFile(p, level)
	if err == nil {
		err = at.mayWrite(c.serverFiles(p, User))
	}
	if err != nil {
		return err
	}
	f, err := load(at.path)
	if err == nil {
		_, err = c.register(f)
	}
	return err
}

const taken = "another server has the name '" + ServerName + "' there"

// InstallServer registers our server in the file of a level, under the name ServerName. If it is there,
// whatever its name, nothing changes. Another server of that name is left alone, and Note says so. A client merges
// the files of both levels by the names, so that the other level does not matter. The error is an *Error.
func InstallServer(c Client, p Place, level Level) (Change, error) {
	at, err := c.serverFile(p, level)
	if err == nil {
		err = at.mayWrite(c.serverFiles(p, User))
	}
	if err != nil {
		return Change{}, err
	}
	done := Change{Name: c.Name, Path: at.path, Effect: Unchanged, Owner: c.Name, Level: level}
	var before registry
	changed, err := change(at, func(f file) ([]byte, error) {
		var err error
		if before, err = c.registryOf(f); err != nil {
			return nil, err
		}
		return c.register(f)
	})
	switch {
	case err != nil:
		return Change{}, err
	case changed && len(before.ours) > 0:
		done.Effect = Mended
	case changed:
		done.Effect = Installed
	case before.taken && len(before.ours) == 0:
		done.Effect, done.Note = Left, taken
	}
	return done, nil
}

// UninstallServer removes our server from all files of a client at a level, and a file or directory that
// exists for nothing else. It returns a change for each file that had it. The error is an *Error.
func UninstallServer(c Client, p Place, level Level) (changes []Change, err error) {
	for _, at := range c.serverFiles(p, level) {
		if !c.serverState(at).Ours {
			continue
		}
		done := Change{Name: c.Name, Path: at.path, Effect: Removed, Owner: c.Name, Level: level}
		changed, err := change(at, c.unregister)
		if err != nil {
			return changes, err
		}
		if !changed {
			if !c.serverState(at).Ours {
				continue // another process removed it
			}
			done.Effect, done.Note = Left, "it is written in another form; remove it by hand"
		}
		changes = append(changes, done)
	}
	return changes, nil
}

// ServerStatus returns the states of the files of a client that have our server and, if there is none, of the
// file into which the first of the levels installs: StateInstalled, Absent, Duplicate or Unreadable. It
// returns none if the client starts no servers. It changes nothing.
func ServerStatus(c Client, p Place, levels ...Level) (all []State) {
	for _, level := range levels {
		for _, at := range c.serverFiles(p, level) {
			s := c.serverState(at)
			if s.Ours && (len(all) == 0 || !sameFile(all[0].Path, s.Path)) {
				all = append(all, s)
			}
		}
	}
	for _, level := range levels {
		if at, err := c.serverFile(p, level); err == nil && len(all) == 0 {
			all = append(all, c.serverState(at))
		}
	}
	return all
}

func (c Client) serverState(at location) State {
	s := State{Name: c.Name, Path: at.path, State: Absent, Level: at.level}
	f, err := load(at.path)
	var r registry
	if err == nil {
		r, err = c.registryOf(f)
	}
	if f.exists {
		s.Owner = c.Name
	}
	switch {
	case err != nil:
		s.State, s.Reason, s.Ours = Unreadable, inRow(err, at.path), serves(string(f.data))
	case len(r.ours) > 1:
		s.State, s.Reason, s.Ours = Duplicate, "it is registered as "+strings.Join(r.ours, " and ")+"; install again", true
	case len(r.ours) == 1:
		s.State, s.Ours = StateInstalled, true
		if r.off {
			s.Reason = "it is turned off there"
		}
	case r.taken:
		s.Reason = taken
	}
	return s
}
