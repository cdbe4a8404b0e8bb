package cmd

import (
	"context"
	"errors"
	"slices"

	"github.com/git-context/git-context/refs"
	"github.com/git-context/git-context/refs/code"
	"github.com/git-context/git-context/refs/fail"
	"github.com/git-context/git-context/refs/store"
	"github.com/git-context/git-context/render"
	"github.com/urfave/cli/v2"
)

type switchOptions struct {
	*globals
	author
	create  bool
	take    bool
	purpose string
}

func newSwitch(g *globals) *command {
	o := &switchOptions{globals: g}
	return &command{
		name:  "switch",
		usage: []string{"switch NAME", "switch -c NAME [--purpose TEXT]", "switch --take-changes [NAME]"},
		about: "Makes a memory branch the current one of this worktree; - means the previous one. Pending steps stay " +
			"with the branch that they were recorded on. The code's branches do not change, and its index and " +
			"files only with --take-changes. -c makes the branch, as 'git context branch' does. --take-changes " +
			"applies the uncommitted code that was handed over with the branch's newest commit, as 'git stash apply --index' does: conflicts " +
			"leave git's markers in the files, and if a file would be overwritten, ignored or not, nothing is changed.",
		exits: []int{exitDone, exitFailed, exitUsage, exitConflict, exitNoMemory, exitNotRepository},
		examples: []string{
			"switch main",
			"switch --take-changes",
			"switch -c try-mutex --purpose 'Does a plain mutex beat the pool?'",
		},
		globals: g,
		flags: join([]cli.Flag{
			toggle(&o.create, "-c, --create", "make the branch"),
			text(&o.purpose, "--purpose TEXT", "with -c: why the new branch exists"),
			toggle(&o.take, "--take-changes", "apply the uncommitted code that was handed over, of the current branch by default"),
		}, o.author.flags(), g.flags()),
		most: 1,
		action: func(ctx context.Context, env *Env, args []string) error {
			switch {
			case o.take && (o.create || o.purpose != ""):
				return usagef("--take-changes cannot be used with -c or --purpose")
			case o.take:
				return o.takeChanges(ctx, env, args)
			case len(args) == 0:
				return usagef("'switch' needs the name of a branch").hint("git context branch")
			}
			if o.create {
				b := branchOptions{globals: g, author: o.author, purpose: o.purpose}
				r, err := runBranch(ctx, env, &b, args)
				if err != nil {
					return err
				}
				return b.printBranch(ctx, env, r)
			}
			if o.purpose != "" {
				return usagef("--purpose needs -c")
			}
			b, err := runSwitch(ctx, env, g, args[0])
			if err != nil {
				return err
			}
			return g.show(env, b, func(p *render.Printer) {
				line(p, "Switched to memory branch '%s'", b.Name)
			})
		},
	}
}

func runSwitch(ctx context.Context, env *Env, g *globals, name string) (b store.Branch, err error) {
	s, err := g.open(ctx, env)
	if err != nil {
		return b, err
	}
	defer closing(s, &err)
	if name, err = previous(s, name); err != nil {
		return b, err
	}
	b, err = s.Switch(ctx, name)
	var missing *fail.Error
	if errors.As(err, &missing) && missing.Code == fail.BranchNotFound && store.CheckBranchName(name) == nil {
		with := *missing
		with.Hints = append(slices.Clone(missing.Hints), "git context switch -c "+name)
		return b, &with
	}
	return b, err
}

// previous returns the name that "-" means; another name as it is.
func previous(s *refs.Store, name string) (string, error) {
	if name == "-" {
		return s.PreviousBranch()
	}
	return name, nil
}

func (o *switchOptions) takeChanges(ctx context.Context, env *Env, args []string) error {
	r, err := o.runTake(ctx, env, first(args))
	// One with conflicts has a result and an error.
	if err != nil && !errors.Is(err, fail.ErrConflict) {
		return err
	}
	if w := r.Work; w.Base != r.Head && !r.Unchanged {
		env.warn("the code was at %s when it was handed over, and is at %s", w.Base.Short(), r.Head.Short())
	}
	return errors.Join(o.show(env, r, func(p *render.Printer) { printTaken(p, r) }), err)
}

func (o *switchOptions) runTake(ctx context.Context, env *Env, name string) (r code.TakeResult, err error) {
	s, err := o.open(ctx, env)
	if err != nil {
		return r, err
	}
	defer closing(s, &err)
	if name, err = previous(s, name); err != nil {
		return r, err
	}
	return code.Take(ctx, s, name)
}

func printTaken(p *render.Printer, r code.TakeResult) {
	files := count(r.Work.Files, "file", "files")
	switch {
	case r.Unchanged:
		line(p, "The worktree has the uncommitted code of '%s': %s", r.Branch.Name, files)
	case len(r.Conflicts) > 0:
		line(p, "Applied the uncommitted code of '%s' with conflicts in %s of %s", r.Branch.Name, count(len(r.Conflicts), "file", "files"), files)
	default:
		line(p, "Applied the uncommitted code of '%s': %s", r.Branch.Name, files)
	}
	if !r.Index && !r.Unchanged {
		line(p, " what was staged is not staged")
	}
}
