package cmd

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/git-context/git-context/hooks"
	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/share"
	"github.com/git-context/git-context/render"
)

// hooksStatus returns the state of the hooks, by their files and by what is known besides:
// where they were installed, and which failed.
func hooksStatus(env *Env, repo *git.Repo, place hooks.Place, failures []share.HookFailure) ([]hooks.Hook, error) {
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
func (e *Env) hookFault(event string, failures []share.HookFailure) string {
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

func lastFailure(all []share.HookFailure, event string) (last share.HookFailure, n int) {
	for _, f := range all {
		if f.Event == event {
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

func (o *hooksOptions) printStatus(ctx context.Context, env *Env, list []hooks.Hook) error {
	value := struct {
		Hooks []hooks.Hook `json:"hooks"`
	}{list}
	return o.view(ctx, env, value, func(p *render.Printer) {
		lines := make([]render.HookLine, len(list))
		for i, h := range list {
			lines[i] = render.HookLine{
				Name: h.Name, State: h.State, Owner: h.Owner, Path: shortPath(env, h.Path), Reason: h.Reason,
			}
			switch h.State {
			case hooks.StateInstalled, hooks.StateKept:
				lines[i].Good = true
			case hooks.StateBroken:
				lines[i].Bad = true
			}
		}
		render.HooksText(p, lines)
	})
}
