package cmd

import (
	"context"
	"errors"
	"fmt"

	"github.com/git-context/git-context/hooks/settings"
	"github.com/git-context/git-context/refs"
	"github.com/git-context/git-context/refs/deinit"
	"github.com/git-context/git-context/refs/fail"
	"github.com/git-context/git-context/render"
	"github.com/urfave/cli/v2"
)

type deinitOptions struct {
	*globals
	consent
	remote, dryRun bool
}

func newDeinit(g *globals) *command {
	o := &deinitOptions{globals: g}
	return &command{
		name:  "deinit",
		usage: []string{"deinit [--remote] [--dry-run] [--yes]"},
		about: "Removes memory from this repository: branches, roadmap, tags, notes, pending steps, " +
			"settings, hooks, servers and instructions of agents. Code is not touched. The command first shows what it " +
			"would remove, and asks on a terminal; without a terminal it needs --yes. With --remote the memory of " +
			"the default remote is deleted first, for everybody. Texts stay readable in git's objects until 'git gc " +
			"--prune=now' deletes unreachable objects, which is to be run while nothing else writes.",
		exits: []int{exitDone, exitFailed, exitUsage, exitNoMemory, exitNotRepository},
		examples: []string{
			"deinit --dry-run",
			"bundle ../memory.bundle && git context deinit --yes",
		},
		globals: g,
		flags: join([]cli.Flag{
			toggle(&o.remote, "--remote", "delete the memory of the default remote too"),
			toggle(&o.dryRun, "--dry-run", "say what would be removed; change nothing"),
			o.consent.flag(),
		}, g.common()),
		action: func(ctx context.Context, env *Env, _ []string) error {
			r, err := runDeinit(ctx, env, o)
			if err != nil {
				return err
			}
			if err := o.show(env, r, func(p *render.Printer) { printDeinit(p, env, r, o.dryRun) }); err != nil {
				return err
			}
			if !o.dryRun {
				env.hint("texts stay readable until, while nothing else writes: git gc --prune=now")
			}
			return nil
		},
	}
}

// deinitResult is what a repository has of memory, or what was removed.
type deinitResult struct {
	deinit.Remains
	Agents       []string `json:"agents"`       // the files of this worktree from which hooks of agents are removed
	Servers      []string `json:"servers"`      // those in which our server is registered
	Instructions []string `json:"instructions"` // and those from which instructions are
}

func runDeinit(ctx context.Context, env *Env, o *deinitOptions) (r deinitResult, err error) {
	s, err := o.open(ctx, env)
	if err != nil {
		return r, err
	}
	defer closing(s, &err)
	agents := newAgents(env, s, &hooksOptions{project: true}, nil)
	r.Agents = []string{}
	for _, row := range agents.rows(nil) {
		if row.State == settings.Unreadable {
			return r, fail.New(fail.ErrRefused, fail.HooksRefused,
				"'"+row.Path+"' has git-context's hooks, and cannot be edited: "+row.Reason, "correct it, or remove it")
		}
		r.Agents = append(r.Agents, row.Path)
	}
	r.Servers = []string{}
	for _, row := range agents.serverRows() {
		if row.State == settings.Unreadable {
			return r, fail.New(fail.ErrRefused, fail.HooksRefused,
				"'"+row.Path+"' names git-context's server, and cannot be edited: "+row.Reason, "correct it, or remove it")
		}
		r.Servers = append(r.Servers, row.Path)
	}
	r.Instructions = installedInstructions(agents)
	r.Remains, err = deinit.Run(ctx, s, deinit.Options{
		Remote: o.remote, DryRun: o.dryRun,
		Consent: func(found deinit.Remains) error {
			return o.ask(env, o.json, dangerOfDeinit(env, deinitResult{found, r.Agents, r.Servers, r.Instructions}))
		},
		Hooks: func() error { return removeHooks(ctx, env, s, agents) },
	})
	return r, err
}

// removeHooks removes the hooks of this worktree: those of agents and those of git.
func removeHooks(ctx context.Context, env *Env, s *refs.Store, agents *agents) (err error) {
	left, err := agents.change("uninstall")
	if err != nil {
		return hooksError(err)
	}
	for _, c := range left {
		if c.Note != "" {
			env.warn("hook '%s': %s", c.Path, c.Note)
		}
	}
	warnOfServers(env, agents.served)
	warnOfInstructions(env, agents.told)
	place, err := hooksPlace(ctx, s.Repo())
	if err != nil {
		return err
	}
	lock, err := s.Repo().Lock(ctx, "hooks")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, lock.Unlock()) }()
	_, err = uninstallHooks(s.Repo(), place)
	return hooksError(err)
}

func dangerOfDeinit(env *Env, r deinitResult) danger {
	return danger{
		grave: true,
		tell:  func(p *render.Printer) { printDeinit(p, env, r, true) },
		refusal: fmt.Sprintf("the memory of this repository, %s and %s, would be removed",
			count(r.Commits, "commit", "commits"), count(r.Steps+r.Pending, "step", "steps")),
		question: "Remove it?",
	}
}

func printDeinit(p *render.Printer, env *Env, r deinitResult, would bool) {
	files := func(what string, all []string) {
		var paths []string
		for _, path := range all {
			paths = append(paths, shortPath(env, path))
		}
		if len(paths) > 0 {
			line(p, " the %s of agents in: %s", what, someOf(paths))
		}
	}
	defer func() {
		files("hooks", r.Agents)
		files("server", r.Servers)
		files("instructions", r.Instructions)
	}()
	did := "Removed"
	if would {
		did = "Would remove"
	}
	if r.OnlyState() {
		line(p, "%s local state and hooks: memory has no branch, ref or setting here", did)
		return
	}
	line(p, "%s %s with %s and %s, %s pending; %s, %s", did, count(r.Branches, "branch", "branches"),
		count(r.Commits, "commit", "commits"), count(r.Steps, "step", "steps"), count(r.Pending, "step", "steps"),
		count(len(r.Refs), "ref", "refs"), count(len(r.Settings), "setting", "settings"))
	if r.Unshared > 0 {
		line(p, " not on any remote: %s", count(r.Unshared, "commit", "commits"))
	}
	if len(r.Remote) > 0 {
		line(p, " of the remote '%s', for everybody: %s", r.RemoteName(), someOf(r.Remote))
	}
}
