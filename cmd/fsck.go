package cmd

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/git-context/git-context/hooks"
	"github.com/git-context/git-context/refs"
	"github.com/git-context/git-context/refs/fail"
	"github.com/git-context/git-context/refs/fsck"
	"github.com/git-context/git-context/refs/store"
	"github.com/git-context/git-context/render"
	"github.com/urfave/cli/v2"
)

type fsckOptions struct {
	*globals
	author
	fix bool
}

func newFsck(g *globals) *command {
	o := &fsckOptions{globals: g}
	g.offline = true
	return &command{
		name:  "fsck",
		usage: []string{"fsck [--fix]"},
		about: "Checks memory and its local state, and prints each problem with its repair. --fix repairs " +
			"each problem that has one possible repair; for the others it lists the possible repairs. Exit " +
			"code 0 means that there is no problem, or that all of them are repaired.",
		exits: []int{exitDone, exitFailed, exitUsage, exitNoMemory, exitNotRepository},
		examples: []string{
			"fsck",
			"fsck --fix",
		},
		globals: g,
		flags:   join([]cli.Flag{toggle(&o.fix, "--fix", "repair each problem that has one possible repair")}, o.author.flags(), g.common()),
		action: func(ctx context.Context, env *Env, args []string) error {
			problems, err := runFsck(ctx, env, o)
			if err != nil && len(problems) == 0 { // it checked nothing
				return err
			}
			// Problems are a result and an error, as in verify.
			return errors.Join(o.showProblems(ctx, env, problems), err)
		},
	}
}

func runFsck(ctx context.Context, env *Env, o *fsckOptions) (problems []fsck.Problem, err error) {
	s, err := o.open(ctx, env)
	if err != nil {
		return nil, err
	}
	defer closing(s, &err)
	problems, err = fsck.Run(ctx, s, fsck.Options{Writer: o.writer(env), Fix: o.fix})
	if err != nil {
		return problems, err
	}
	broken, err := brokenHooks(ctx, env, s)
	if err != nil {
		broken = []fsck.Problem{{
			Kind: "unchecked", Object: "hooks", Message: "hooks cannot be checked: " + err.Error(),
			Repair: self + " hooks status",
		}}
		var unread *installedError
		if errors.As(err, &unread) {
			broken[0].Repair = unread.repair()
		}
	}
	problems = append(problems, broken...)
	env.warnShadowed()
	if names, err := s.BranchNames(ctx); err == nil { // else that is a problem
		env.noteMerges(s, names...)
	}
	hints, err := edgeHints(ctx, s, store.AllMemory()...)
	if err != nil {
		env.warn("%v", err)
	}
	env.hintAll(hints)
	return problems, unfixed(problems)
}

// brokenHooks returns the hooks that are installed and do not run. Hooks that failed are
// problems of another kind, and hooks that are turned off are none. None is repaired:
// their files may contain the work of other people.
func brokenHooks(ctx context.Context, env *Env, s *refs.Store) ([]fsck.Problem, error) {
	place, err := hooksPlace(ctx, s.Repo())
	if err != nil {
		// Without an installed hook the directory of git's hooks is not our problem.
		if known, unread := readInstalled(s.Repo()); unread == nil && len(known) == 0 {
			return nil, nil
		}
		return nil, err
	}
	list, err := hooksStatus(env, s.Repo(), place, nil)
	if err != nil {
		return nil, err
	}
	var broken []fsck.Problem
	for _, h := range list {
		if h.State != hooks.StateBroken || hooksOff(env.getenv(hookSwitch)) {
			continue
		}
		p := fsck.Problem{
			Kind: "hook-broken", Object: h.Path, Message: fmt.Sprintf("hook %s does not run: %s", h.Name, h.Reason),
			Repair: cmp.Or(h.Repair, self+" hooks install git"),
		}
		if h.Reason == noProgram {
			p.Repair = "put git-context on the PATH"
		}
		broken = append(broken, p)
	}
	return broken, nil
}

// unfixed returns the error for the problems that were not fixed; nil for none.
func unfixed(problems []fsck.Problem) error {
	left, hint := 0, ""
	for _, p := range problems {
		if p.Fixed {
			continue
		}
		left++
		if p.Repair == fsck.FixCommand {
			hint = fsck.FixCommand
		}
	}
	if left == 0 {
		return nil
	}
	err := &fail.Error{Code: fail.Problems, Kind: fail.ErrRefused, Message: count(left, "problem", "problems")}
	if hint != "" {
		err.Hints = []string{hint}
	}
	return err
}

func (o *fsckOptions) showProblems(ctx context.Context, env *Env, problems []fsck.Problem) error {
	value := struct {
		Problems []fsck.Problem `json:"problems"`
	}{problems}
	return o.view(ctx, env, value, func(p *render.Printer) { render.ProblemsText(p, problems) })
}
