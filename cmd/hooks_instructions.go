package cmd

import (
	"github.com/git-context/git-context/hooks/settings"
	"github.com/git-context/git-context/render"
)

// instructionChange is the effect on one file of instructions.
type instructionChange struct {
	Name   string `json:"name"`
	Path   string `json:"path"`
	Effect string `json:"did"`
	Note   string `json:"note,omitempty"`
}

func (c instructionChange) changed() bool { return c.Effect != string(settings.Unchanged) }

// instructionRow is the state of one file of instructions.
type instructionRow struct {
	Name   string `json:"name"`
	Path   string `json:"path"`
	State  string `json:"state"`
	Reason string `json:"reason,omitempty"`
}

// tell installs or uninstalls the instructions, after the hooks: those that agents share stay while the
// hooks of one are installed.
func (a *agents) tell(word string) error {
	if !a.tells || len(a.list) == 0 {
		return nil
	}
	do := settings.UninstallInstructions
	if word == "install" {
		do = settings.InstallInstructions
	}
	changes, err := do(a.place, a.list...)
	for _, c := range changes {
		a.told = append(a.told, instructionChange{Name: c.Name, Path: c.Path, Effect: string(c.Effect), Note: c.Note})
	}
	return err
}

// instructionRows returns the states of the instructions in the project: of the agents that were named,
// else of those whose hooks are installed in it.
func (a *agents) instructionRows() (rows []instructionRow) {
	if !a.tells {
		return nil
	}
	list := a.list
	if !a.named {
		list = settings.InProject(a.place)
	}
	for _, s := range settings.InstructionsStatus(a.place, list...) {
		rows = append(rows, instructionRow{Name: s.Name, Path: s.Path, State: s.State, Reason: s.Reason})
	}
	return rows
}

// installedInstructions returns the files that have instructions of ours.
func installedInstructions(a *agents) []string {
	paths := []string{}
	for _, s := range settings.InstructionsStatus(a.place, a.list...) {
		if s.Ours {
			paths = append(paths, s.Path)
		}
	}
	return paths
}

func instructionLines(env *Env, rows []instructionRow) (lines []render.HookLine) {
	for _, r := range rows {
		lines = append(lines, render.HookLine{
			Name: r.Name, State: r.State, Path: shortPath(env, r.Path), Reason: r.Reason,
			Good: r.State == settings.StateInstalled, Bad: r.State == settings.Unreadable,
		})
	}
	return lines
}

func warnOfInstructions(env *Env, told []instructionChange) {
	for _, c := range told {
		if c.Note != "" {
			env.warn("%s '%s': %s", c.Name, c.Path, c.Note)
		}
	}
}
