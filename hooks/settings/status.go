package settings

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
)

// The states of a client's file.
const (
	StateInstalled = "installed"
	Absent         = "absent"
	Partial        = "partial"    // some events have no entry
	Duplicate      = "duplicate"  // an event has two entries, here or in two files
	Unreadable     = "unreadable" // no JSON, or no place for hooks
)

// State is what a file of a client has of ours. Owner is who made the file apart from our entries:
// git-context for a file of its own, else the client; empty if there is no file.
type State struct {
	Name   string `json:"name"` // of the client, or NameInstructions or NameSkill
	Path   string `json:"path"`
	State  string `json:"state"`
	Owner  string `json:"owner"`
	Level  Level  `json:"level"`
	Reason string `json:"reason,omitempty"` // what is missing, doubled or unreadable, or turns hooks off

	Ours bool `json:"-"` // the file has entries of ours, readable or not

	off string
}

// Status returns the states of the files of a client: of those with entries of ours and, if there is
// none, of the file into which the first of the levels installs. It changes nothing.
func Status(c Client, p Place, levels ...Level) []State {
	var all []State
	off := ""
	for _, level := range levels {
		for _, at := range c.locations(p, level) {
			s := c.state(at)
			if s.off != "" && off == "" {
				off = s.off
			}
			seen := slices.ContainsFunc(all, func(other State) bool { return sameFile(other.Path, s.Path) })
			if s.Ours && !seen {
				all = append(all, s)
			}
		}
	}
	for i := range all {
		switch {
		case len(all) > 1 && all[i].State != Unreadable:
			other := all[(i+1)%len(all)]
			all[i].State, all[i].Reason = Duplicate, "also in '"+other.Path+"'"
		case all[i].Reason == "" && off != "":
			all[i].Reason = off
		case all[i].Reason == "" && c.untrusted(p, all[i].Path):
			all[i].Reason = "no trust is recorded; " + c.Trust
		}
	}
	for _, level := range levels {
		if at, err := c.main(p, level); err == nil && len(all) == 0 {
			all = append(all, c.state(at))
		}
	}
	return all
}

// untrusted reports whether the client has recorded no trust in the hooks of a file. Codex writes the
// file's path, and the event, into its own settings, and runs nothing else.
func (c Client) untrusted(p Place, path string) bool {
	if c.Trust == "" || filepath.Ext(path) != ".json" {
		return false
	}
	f, err := load(filepath.Join(c.userBase(p), "config.toml"))
	return err == nil && !strings.Contains(string(f.data), path+":")
}

// owner returns State.Owner of a file that exists.
func (c Client) owner(path string) string {
	if c.own && strings.HasPrefix(filepath.Base(path), "git-context.") {
		return "git-context"
	}
	return c.Name
}

func (c Client) state(at location) (s State) {
	s = State{Name: c.Name, Path: at.path, State: Absent, Level: at.level}
	f, err := load(at.path)
	if err != nil {
		s.State, s.Reason = Unreadable, inRow(err, at.path)
		return s
	}
	if !f.exists {
		return s
	}
	s.Owner = c.owner(at.path)
	defer func() { s.Ours = s.Ours || s.State != Absent && s.State != Unreadable }()
	switch {
	case c.plugin != "":
		c.pluginState(&s, f)
	case at.text:
		if c.calls(string(f.data)) {
			s.State = StateInstalled
		}
	default:
		c.jsonState(&s, f)
	}
	return s
}

func (c Client) pluginState(s *State, f file) {
	switch c.sealedPlugin().judge(f.data) {
	case foreign:
		s.Owner = "another"
	case edited:
		s.State, s.Reason = StateInstalled, editedByHand
	case old:
		s.State, s.Reason = StateInstalled, otherVersion
	default:
		s.State = StateInstalled
	}
}

func (c Client) jsonState(s *State, f file) {
	d, hooks, err := c.read(f.data, f.path)
	if err != nil {
		s.State, s.Reason, s.Ours = Unreadable, inRow(err, f.path), c.calls(string(f.data))
		return
	}
	if off := d.turnedOff(); off != "" {
		s.off = fmt.Sprintf("%s in '%s' turns all hooks off", off, f.path)
	}
	counts := c.counts(d, hooks)
	if len(counts) == 0 {
		return
	}
	s.State = StateInstalled
	for event, n := range counts {
		if n > 1 {
			s.State, s.Reason = Duplicate, "\""+event+"\" runs it more than once; install again"
		}
	}
	if s.State == StateInstalled && c.isMissing(counts) {
		s.State, s.Reason = Partial, "it is not installed for every event; install again"
	}
}

// inRow returns a message without the path, which the row shows.
func inRow(err error, path string) string {
	return strings.Replace(err.Error(), "'"+path+"'", "it", 1)
}
