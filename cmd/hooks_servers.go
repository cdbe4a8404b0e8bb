package cmd

import (
	"cmp"
	"errors"
	"slices"

	"github.com/git-context/git-context/hooks/settings"
	"github.com/git-context/git-context/render"
)

// serverLine is the name of a client's server in texts, where hooks have the name of their client.
const serverLine = "mcp"

// serverChange is the effect on the file in which a client registers servers.
type serverChange struct {
	Name   string         `json:"name"`
	Path   string         `json:"path"`
	Effect string         `json:"did"`
	Level  settings.Level `json:"level"`
	Note   string         `json:"note,omitempty"`
}

func (c serverChange) changed() bool { return c.Effect != string(settings.Unchanged) }

// serverRow is the state of such a file.
type serverRow struct {
	Name   string         `json:"name"`
	Path   string         `json:"path"`
	State  string         `json:"state"`
	Level  settings.Level `json:"level"`
	Reason string         `json:"reason,omitempty"`

	good bool
}

// servers returns the agents whose server an install registers.
func (a *agents) servers() (list []settings.Client) {
	for _, c := range a.list {
		if a.mcp && c.HasServers() {
			list = append(list, c)
		}
	}
	return list
}

// checkServers refuses before anything changes what an install would refuse.
func (a *agents) checkServers() error {
	var errs []error
	for _, c := range a.servers() {
		errs = append(errs, settings.CheckServer(c, a.place, a.levels[0]))
	}
	return errors.Join(errs...)
}

// unserve removes the server of the agents.
func (a *agents) unserve() error {
	for _, c := range a.list {
		changes, err := settings.UninstallServer(c, a.place, a.levels[0])
		a.keep(changes...)
		if err != nil {
			return err
		}
	}
	return nil
}

// serve registers the server of the agents, if that is wanted.
func (a *agents) serve() error {
	for _, c := range a.servers() {
		change, err := settings.InstallServer(c, a.place, a.levels[0])
		if err != nil {
			return err
		}
		a.keep(change)
	}
	return nil
}

func (a *agents) keep(changes ...settings.Change) {
	for _, c := range changes {
		a.served = append(a.served, serverChange{
			Name: c.Name, Path: c.Path, Effect: string(c.Effect), Level: c.Level, Note: c.Note,
		})
	}
}

var noServer = notBeside(mcpProgram)

// serverHints returns what the user has to do, or should know, once servers are registered.
func (a *agents) serverHints() (hints []string) {
	for _, c := range a.list {
		registered := slices.ContainsFunc(a.served, func(s serverChange) bool { return s.Name == c.Name && s.changed() && s.Note == "" })
		switch {
		case a.mcp && !c.HasServers():
			hints = append(hints, c.Title+" starts no servers of the Model Context Protocol; its agents run 'git context' in a shell")
		case a.mcp && registered && a.levels[0] == settings.Project && c.Asks() != "":
			hints = append(hints, c.Asks())
		}
	}
	if a.mcp && len(a.served) > 0 && a.env.findBeside(mcpProgram) == "" {
		hints = append(hints, noServer+"; releases contain both")
	}
	return hints
}

// serverRows returns the states of the agents' servers. Agents that were not named are left out if none is
// registered.
func (a *agents) serverRows() (rows []serverRow) {
	for _, c := range a.list {
		for _, s := range settings.ServerStatus(c, a.place, a.levels...) {
			if !a.named && !s.Ours {
				continue
			}
			r := serverRow{Name: s.Name, Path: s.Path, State: s.State, Level: s.Level, Reason: s.Reason}
			if s.State == settings.StateInstalled && a.env.findBeside(mcpProgram) == "" {
				r.Reason = cmp.Or(r.Reason, noServer)
			}
			r.good = s.State == settings.StateInstalled && r.Reason == ""
			rows = append(rows, r)
		}
	}
	return rows
}

// hasServer reports whether the server of an agent is registered at a level.
func (a *agents) hasServer(c settings.Client, level settings.Level) bool {
	return slices.ContainsFunc(settings.ServerStatus(c, a.place, level), func(s settings.State) bool { return s.Ours })
}

func serverLines(env *Env, rows []serverRow) (lines []render.HookLine) {
	for _, r := range rows {
		lines = append(lines, render.HookLine{
			Name: serverLine, State: r.State, Owner: r.Name, Path: shortPath(env, r.Path), Reason: r.Reason,
			Good: r.good, Bad: !r.good && r.State != settings.Absent,
		})
	}
	return lines
}

func warnOfServers(env *Env, served []serverChange) {
	for _, c := range served {
		if c.Note != "" {
			env.warn("%s '%s': %s", serverLine, c.Path, c.Note)
		}
	}
}
