package cmd

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/git-context/git-context/hooks"
	"github.com/git-context/git-context/hooks/capture"
	"github.com/git-context/git-context/hooks/settings"
	"github.com/git-context/git-context/refs"
	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/githook"
	"github.com/git-context/git-context/render"
)

// hooksStatus returns the state of the hooks, by their files and by what is known besides:
// where they were installed, and which failed.
func hooksStatus(env *Env, repo *git.Repo, place hooks.Place, failures []githook.Failure) ([]hooks.Hook, error) {
	list, err := hooks.Status(place)
	if err != nil {
		return nil, err
	}
	known, err := readInstalled(repo)
	if err != nil {
		return nil, err
	}
	for i, h := range list {
		reason := ""
		switch h.State {
		case hooks.StateMissing:
			if known.here(repo, place) {
				reason = cmp.Or(h.Refusal, "it was installed and has been removed; install it again")
			}
		case hooks.StateInstalled, hooks.StateKept:
			reason = env.hookFault(h.Name, failures)
		}
		if reason != "" {
			list[i].State, list[i].Reason = hooks.StateBroken, reason
		}
	}
	for _, old := range known.elsewhere(repo, place) {
		stale, err := unusedHooks(old, place, list)
		if err != nil {
			return nil, err
		}
		list = append(list, stale...)
	}
	return list, nil
}

const noProgram = "git-context is not on the PATH"

// hookFault returns why a hook whose file is correct does not do its work; "" if it does.
func (e *Env) hookFault(event string, failures []githook.Failure) string {
	last, n := lastFailure(failures, event)
	switch {
	case !e.onPath("git-context"):
		return noProgram
	case hooksOff(e.getenv(hookSwitch)):
		return hookSwitch + " turns it off"
	case n > 0:
		return fmt.Sprintf("it failed %s, last: %s", times(n), last.Message)
	}
	return ""
}

// unusedHooks returns the hooks in a directory where git does not look any more, except
// those that are also installed where it looks now.
func unusedHooks(old, now hooks.Place, seen []hooks.Hook) (stale []hooks.Hook, err error) {
	list, err := hooks.Status(old)
	then, mend := "; install again", ""
	if now.Check() != nil { // no hook can be installed there: the repository was moved, or hooks are turned off
		then, mend = "", self+" hooks uninstall git"
	}
	for _, h := range list {
		missing := slices.ContainsFunc(seen, func(s hooks.Hook) bool {
			return s.Name == h.Name && s.State == hooks.StateMissing
		})
		if missing && h.State != hooks.StateMissing {
			h.State, h.Reason, h.Repair = hooks.StateBroken, "git looks in '"+now.Dir+"' now"+then, mend
			stale = append(stale, h)
		}
	}
	return stale, err
}

// lastFailure returns the newest failure of a hook, and their number. Those of an agent name the event too.
func lastFailure(all []githook.Failure, name string) (last githook.Failure, n int) {
	for _, f := range all {
		if f.Event == name || strings.HasPrefix(f.Event, name+" ") {
			last = f
			n++
		}
	}
	return last, n
}

func times(n int) string {
	if n == 1 {
		return "once"
	}
	return fmt.Sprintf("%d times", n)
}

// onPath reports whether a program is in a directory of PATH.
func (e *Env) onPath(program string) bool {
	for _, dir := range filepath.SplitList(e.getenv("PATH")) {
		info, err := os.Stat(filepath.Join(dir, program))
		if err == nil && info.Mode().IsRegular() && info.Mode()&0o111 != 0 {
			return true
		}
	}
	return false
}

// runStatus prints the state of the hooks of those names: without names that of git's hooks and of the
// agents for which any are installed.
func (o *hooksOptions) runStatus(ctx context.Context, env *Env, names []string) (err error) {
	s, err := o.openFor(ctx, env, names)
	if err != nil {
		return err
	}
	if s != nil {
		defer closing(s, &err)
	}
	rows, _, err := hookRows(ctx, env, s, o, names)
	if err != nil {
		return err
	}
	var captured *captureState
	if s != nil && slices.ContainsFunc(rows, func(r hookRow) bool { return r.Level != "" && r.State != settings.Absent }) {
		captured, err = readCapture(ctx, s)
	}
	agents := newAgents(env, s, o, names)
	return errors.Join(o.printStatus(ctx, env, rows, agents.serverRows(), agents.instructionRows(), captured), err)
}

// hookRows returns the states of the hooks of those names, see runStatus, and the failures of all. s is nil
// outside of a repository.
func hookRows(
	ctx context.Context, env *Env, s *refs.Store, o *hooksOptions, names []string,
) (rows []hookRow, failures []githook.Failure, err error) {
	rows = []hookRow{}
	if s != nil {
		if failures, err = githook.Failures(ctx, s); err != nil {
			return nil, nil, err
		}
	}
	if s != nil && !o.user && (len(names) == 0 || slices.Contains(names, hooksGit)) {
		if rows, err = gitRows(ctx, env, s, failures); err != nil {
			return nil, nil, err
		}
	}
	agents := newAgents(env, s, o, names).rows(failures)
	if s != nil && len(agents) > 0 {
		last, err := capture.LastEvents(s)
		if err != nil {
			return nil, nil, err
		}
		for i, r := range agents {
			if t, known := last[r.Name]; known {
				agents[i].LastEvent = &t
			}
		}
	}
	return append(rows, agents...), failures, nil
}

func gitRows(ctx context.Context, env *Env, s *refs.Store, failures []githook.Failure) ([]hookRow, error) {
	place, err := hooksPlace(ctx, s.Repo())
	if err != nil {
		return nil, err
	}
	list, err := hooksStatus(env, s.Repo(), place, failures)
	if err != nil {
		return nil, hooksError(err)
	}
	var rows []hookRow
	for _, h := range list {
		rows = append(rows, hookRow{
			Name: h.Name, Path: h.Path, State: h.State, Owner: h.Owner, Reason: h.Reason,
			good: h.State == hooks.StateInstalled || h.State == hooks.StateKept, bad: h.State == hooks.StateBroken,
		})
	}
	return rows, nil
}

// hookRow is the state of one file.
type hookRow struct {
	Name   string         `json:"name"`
	Path   string         `json:"path"`
	State  string         `json:"state"`
	Owner  string         `json:"owner"`
	Level  settings.Level `json:"level,omitempty"` // of an agent's settings
	Reason string         `json:"reason,omitempty"`

	LastEvent *time.Time `json:"last_event,omitempty"` // of an agent, in this repository

	good, bad bool // it works; it should work but does not
}

func (o *hooksOptions) printStatus(
	ctx context.Context, env *Env, rows []hookRow, served []serverRow, told []instructionRow, captured *captureState,
) error {
	value := struct {
		Hooks        []hookRow        `json:"hooks"`
		Servers      []serverRow      `json:"servers,omitempty"`
		Instructions []instructionRow `json:"instructions,omitempty"`
		Capture      *captureState    `json:"capture,omitempty"`
	}{rows, served, told, captured}
	return o.view(ctx, env, value, func(p *render.Printer) {
		lines := make([]render.HookLine, len(rows))
		for i, h := range rows {
			lines[i] = render.HookLine{
				Name: h.Name, State: h.State, Owner: h.Owner,
				Path: shortPath(env, h.Path), Reason: h.Reason, Good: h.good, Bad: h.bad,
				Last: h.LastEvent,
			}
		}
		if len(rows)+len(served) == 0 {
			line(p, "Nothing is installed")
		}
		render.HooksText(p, lines)
		render.HooksText(p, serverLines(env, served))
		render.HooksText(p, instructionLines(env, told))
		if captured != nil {
			line(p, "%s", captured.text())
		}
	})
}
