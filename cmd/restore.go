package cmd

import (
	"context"

	"github.com/urfave/cli/v2"

	"github.com/git-context/git-context/refs/loss"
	"github.com/git-context/git-context/refs/store"
	"github.com/git-context/git-context/render"
)

type restoreOptions struct {
	*globals
	author
	dryRun bool
}

func newRestore(g *globals) *command {
	o := &restoreOptions{globals: g}
	own := []cli.Flag{
		toggle(&o.dryRun, "--dry-run", "only say what would come back"),
	}
	return &command{
		name:  "restore",
		usage: []string{"restore C [--dry-run]"},
		about: "Brings back to the branch the steps, commits, topics and keys of metadata that C has and the branch lacks, in a " +
			"memory commit of its own. C is a commit of any memory branch, also of a remote's. What the " +
			"branch has stays as it is, and what was expunged stays away.",
		exits: []int{exitDone, exitFailed, exitUsage, exitNoMemory, exitNotRepository},
		examples: []string{
			"restore origin/main --dry-run",
			"restore before-rewrite",
		},
		globals: g,
		flags:   join(own, o.author.flags(), g.flags()),
		least:   1, most: 1, needs: "the memory commit to bring back from",
		action: func(ctx context.Context, env *Env, args []string) error {
			c, err := runRestore(ctx, env, o, args[0])
			if err != nil {
				return err
			}
			env.warnAll(c.Warnings)
			return o.show(env, c, func(p *render.Printer) {
				switch {
				case c.Path == "":
					line(p, "Nothing to bring back: '%s' has all of it", c.Branch)
				case o.dryRun:
					line(p, "Would bring back %s to '%s'", c.Path, c.Branch)
				default:
					line(p, "[%s %s] %s", c.Branch, c.Commit.Short(), c.Subject)
				}
			})
		},
	}
}

func runRestore(ctx context.Context, env *Env, o *restoreOptions, rev string) (c store.Change, err error) {
	s, err := o.open(ctx, env)
	if err != nil {
		return c, err
	}
	defer closing(s, &err)
	return loss.From(ctx, s, o.writer(env), rev, o.dryRun)
}
