package cmd

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/git-context/git-context/cmd/transcript"
	"github.com/git-context/git-context/hooks/settings"
	"github.com/git-context/git-context/refs"
	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/githook"
)

// agentNames lists the agents for which hooks can be installed.
func agentNames(last string) string {
	names := settings.Names()
	n := len(names) - 1
	return strings.Join(names[:n], ", ") + " " + last + " " + names[n]
}

// agents are the hooks of coding agents that a command is about.
type agents struct {
	env     *Env
	repo    *git.Repo // nil outside of a repository
	place   settings.Place
	list    []settings.Client
	named   bool // the user named them; else they are all
	levels  []settings.Level
	visible bool // a file that changed belongs to the code

	mcp    bool           // an install registers the server
	served []serverChange // the changes of servers

	tells bool                // instructions are changed with the hooks
	hides bool                // an install makes an AGENTS.md that some clients read in place of CLAUDE.md
	told  []instructionChange // the changes of instructions
}

func newAgents(env *Env, s *refs.Store, o *hooksOptions, names []string) *agents {
	a := &agents{env: env, place: settings.Place{Getenv: env.getenv}, named: len(names) > 0, mcp: o.mcp}
	if s != nil {
		a.repo = s.Repo()
		a.place.Root = a.repo.WorkTree()
	}
	for _, c := range settings.Clients() {
		if !a.named || slices.Contains(names, c.Name) {
			a.list = append(a.list, c)
		}
	}
	switch {
	case o.user:
		a.levels = []settings.Level{settings.User}
	case o.project:
		a.levels = []settings.Level{settings.Project}
	default:
		a.levels = settings.Levels()
	}
	a.tells = !o.noInstructions && a.levels[0] == settings.Project
	return a
}

// check refuses before anything changes what an install would refuse.
func (a *agents) check() error {
	var errs []error
	for _, c := range a.list {
		errs = append(errs, settings.Check(c, a.place, a.levels[0]))
	}
	errs = append(errs, a.checkServers())
	if a.tells && len(a.list) > 0 {
		a.hides = settings.HidesClaude(a.place)
		errs = append(errs, settings.CheckInstructions(a.place, a.list...))
	}
	return errors.Join(errs...)
}

// change installs or uninstalls at the first level. Beside an error it returns the changes made before it. The
// server goes before the hooks, which came before it: in a file that both share this restores the bytes.
func (a *agents) change(word string) (rows []hookChange, err error) {
	if word == "uninstall" {
		if err := a.unserve(); err != nil {
			return nil, err
		}
	}
	for _, c := range a.list {
		var changes []settings.Change
		if word == "install" {
			var one settings.Change
			if one, err = settings.Install(c, a.place, a.levels[0]); err == nil {
				changes = append(changes, one)
			}
		} else {
			changes, err = settings.Uninstall(c, a.place, a.levels[0])
		}
		for _, c := range changes {
			rows = append(rows, hookChange{
				Name: c.Name, Path: c.Path, Effect: string(c.Effect), Owner: c.Owner, Level: c.Level, Note: c.Note,
			})
		}
		if err != nil {
			return rows, err
		}
	}
	if word == "install" {
		if err := a.serve(); err != nil {
			return rows, err
		}
	}
	return rows, a.tell(word)
}

// hints returns what the user has to do, or should know, after a change.
func (a *agents) hints(word string, rows []hookChange) (hints []string) {
	for _, c := range a.list {
		i := slices.IndexFunc(rows, func(r hookChange) bool { return r.Name == c.Name })
		switch {
		case word == "uninstall" && i < 0 && !slices.ContainsFunc(a.served, func(s serverChange) bool { return s.Name == c.Name }):
			for _, level := range a.levels[1:] {
				if settings.Status(c, a.place, level)[0].State != settings.Absent || a.hasServer(c, level) {
					hints = append(hints, fmt.Sprintf("git context hooks uninstall %s --%s", c.Name, level))
				}
			}
		case word == "install" && i >= 0 && rows[i].changed():
			a.visible = a.visible || a.levels[0] == settings.Project
			if c.Trust != "" {
				hints = append(hints, c.Trust)
			}
			if transcript.Decoder(c.Name) == nil {
				hints = append(hints, c.Title+" gets the brief; what it does is not recorded by its hooks yet")
			}
		}
	}
	if word == "install" {
		a.visible = a.visible || a.levels[0] == settings.Project && slices.ContainsFunc(a.served, serverChange.changed)
		hints = append(hints, a.serverHints()...)
	}
	if a.hides {
		hints = append(hints, "OpenCode and pi now read AGENTS.md in place of CLAUDE.md: move there what they have to know")
	}
	if a.visible || word == "install" && slices.ContainsFunc(a.told, instructionChange.changed) {
		hints = append(hints, "'git status' shows these files: they belong to the code")
	}
	return hints
}

// rows returns the states of the agents' files. Agents that were not named are left out if nothing
// is installed.
func (a *agents) rows(failures []githook.Failure) (rows []hookRow) {
	for _, c := range a.list {
		for _, s := range settings.Status(c, a.place, a.levels...) {
			if !a.named && (s.State == settings.Absent || !s.Ours) {
				continue
			}
			r := hookRow{Name: s.Name, Path: s.Path, State: s.State, Owner: s.Owner, Level: s.Level, Reason: s.Reason}
			if s.State == settings.StateInstalled {
				r.Reason = cmp.Or(r.Reason, a.env.hookFault(c.Name, failures))
			}
			r.good = s.State == settings.StateInstalled && r.Reason == ""
			r.bad = !r.good && s.State != settings.Absent
			rows = append(rows, r)
		}
	}
	return rows
}
