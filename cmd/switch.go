package cmd

import (
	"context"

	"github.com/git-context/git-context/refs/store"
	"github.com/git-context/git-context/render"
	"github.com/urfave/cli/v2"
)

type switchOptions struct {
	*globals
	author
	create  bool
	purpose string
}

func newSwitch(g *globals) *command {
	o := &switchOptions{globals: g}
	return &command{
		name:  "switch",
		usage: []string{"switch NAME", "switch -c NAME [--purpose TEXT]"},
		about: "Makes a memory branch the current one of this worktree; - is the one before. Pending steps stay " +
			"with the branch that they were recorded on. The code's branches, index and files are not touched. " +
			"-c makes the branch, as 'git context branch' does.",
		exits: []int{exitDone, exitFailed, exitUsage, exitNoMemory, exitNotRepository},
		examples: []string{
			"switch main",
			"switch -c try-mutex --purpose 'Does a plain mutex beat the pool?'",
		},
		globals: g,
		flags: join([]cli.Flag{
			toggle(&o.create, "-c, --create", "make the branch"),
			text(&o.purpose, "--purpose TEXT", "with -c: why the new branch exists"),
		}, o.author.flags(), g.flags()),
		least: 1, most: 1, needs: "the name of a branch",
		action: func(ctx context.Context, env *Env, args []string) error {
			if o.create {
				b := branchOptions{globals: g, author: o.author, purpose: o.purpose}
				r, err := runBranch(ctx, env, &b, args)
				if err != nil {
					return err
				}
				return b.printBranch(ctx, env, r)
			}
			if o.purpose != "" {
				return usagef("--purpose goes with -c")
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
	if name == "-" {
		if name, err = s.PreviousBranch(); err != nil {
			return b, err
		}
	}
	return s.Switch(ctx, name)
}
