package cmd

import (
	"context"
	"slices"

	"github.com/git-context/git-context/hooks"
	"github.com/git-context/git-context/refs"
	"github.com/git-context/git-context/render"
)

func newStatus(g *globals) *command {
	g.offline = true
	return &command{
		name:  "status",
		usage: []string{"status"},
		about: "Shows one line each for the branch and how far it is from the remote's, pending steps, open " +
			"conflicts, the code with its uncommitted changes, the installed hooks and servers, and topics whose files have " +
			"changed. It asks no remote: 'git context fetch' does.",
		exits: []int{exitDone, exitFailed, exitUsage, exitNoMemory, exitNotRepository},
		examples: []string{
			"status",
			"status --json",
		},
		globals: g,
		flags:   g.flags(),
		action: func(ctx context.Context, env *Env, _ []string) error {
			v, err := runStatus(ctx, env, g)
			if err != nil {
				return err
			}
			return g.show(env, v, v.Text)
		},
	}
}

func runStatus(ctx context.Context, env *Env, g *globals) (v render.Status, err error) {
	s, err := g.open(ctx, env)
	if err != nil {
		return v, err
	}
	defer closing(s, &err)
	ask, err := BriefOptions(ctx, s, DefaultBudget)
	if err != nil {
		return v, err
	}
	if v, err = render.NewStatus(ctx, s, g.branch, ask.CodeWait); err != nil {
		return v, err
	}
	before, behind := otherPrograms(env)
	v.Programs = append(append(v.Programs, before...), behind...)
	if v.Hooks, err = hookStates(ctx, env, s); err != nil {
		return v, err
	}
	for _, row := range newAgents(env, s, new(hooksOptions), nil).serverRows() {
		v.Servers = append(v.Servers, render.ServerState{Name: row.Name, State: row.State})
	}
	return v, nil
}

// hookStates lists the hooks that are installed, and those that should be and do not work.
func hookStates(ctx context.Context, env *Env, s *refs.Store) ([]render.HookState, error) {
	rows, failures, err := hookRows(ctx, env, s, new(hooksOptions), nil)
	if err != nil {
		return nil, err
	}
	states := []render.HookState{}
	for _, row := range rows {
		if row.State != hooks.StateMissing {
			states = append(states, render.HookState{Name: row.Name, State: row.State, LastEvent: row.LastEvent})
		}
	}
	for _, f := range failures {
		failed := render.HookState{Name: f.Event, State: hookFailed}
		if !slices.Contains(hooks.Events(), f.Event) && !slices.Contains(states, failed) {
			states = append(states, failed)
		}
	}
	return states, nil
}

// hookFailed is the state of a hook of an agent, and of the sync in the background, that failed.
// 'git context fsck' prints the error, 'git context fsck --fix' clears it.
const hookFailed = "failed"
