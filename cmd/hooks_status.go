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

// hooksStatus adds to the state of the files what they do not show.
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
				reason = cmp.Or(h.Refusal, "it was installed, and somebody took it away; install again")
			}
		case hooks.StateInstalled, hooks.StateKept:
			reason = env.hookFault(h.Name, failures)
		}
		if reason != "" {
			list[i].State, list[i].Reason = hooks.StateBroken, reason
		}
	}
	for _, old := range known.elsewhere(repo, place) {
		stale, err := unseen(old, place, list)
		if err != nil {
			return nil, err
		}
		list = append(list, stale...)
	}
	return list, nil
}

const noProgram = "git-context is not on the PATH"

// hookFault is why a hook whose file is as it should be does not do its work; "" for
// none.
func (e *Env) hookFault(event string, failures []share.HookFailure) string {
	last, n := lastFailure(failures, event)
	switch {
	case !e.finds("git-context"):
		return noProgram
	case hooksOff(e.getenv(hookSwitch)):
		return hookSwitch + " turns it off"
	case n > 0:
		return fmt.Sprintf("it failed %s, last: %s", times(n), last.Message)
	}
	return ""
}

// unseen are hooks that git does not look at any more, but for those that are installed
// where it looks now: uninstall takes these away too.
func unseen(old, now hooks.Place, seen []hooks.Hook) (stale []hooks.Hook, err error) {
	list, err := hooks.Status(old)
	then, mend := "; install again", ""
	if now.Check() != nil { // which cannot be done: it was moved, or hooks were turned off
		then, mend = "", self+" hooks uninstall git"
	}
	for _, h := range list {
		missing := slices.ContainsFunc(seen, func(s hooks.Hook) bool { return s.Name == h.Name && s.State == hooks.StateMissing })
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

// finds reports whether a program is on the PATH. A process that git started has git's
// own directory there too.
func (e *Env) finds(program string) bool {
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
			lines[i] = render.HookLine{Name: h.Name, State: h.State, Owner: h.Owner, Path: shortPath(env, h.Path), Reason: h.Reason}
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
