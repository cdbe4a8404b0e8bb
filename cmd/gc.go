package cmd

import (
	"context"

	"github.com/git-context/git-context/refs/maintain"
	"github.com/git-context/git-context/render"
	"github.com/urfave/cli/v2"
)

type gcOptions struct {
	*globals
	author
	auto, dryRun bool
}

func newGC(g *globals) *command {
	o := &gcOptions{globals: g}
	return &command{
		name:  "gc",
		usage: []string{"gc [--auto] [--dry-run]"},
		about: "Packs the loose objects of memory, and no others, into at most ten packs of its own; writes " +
			"notes that are missing; updates the index of searches; and deletes obsolete state, such as branches " +
			"that were deleted long ago. Code, its refs and its packs are not touched, and no object is deleted " +
			"because it is unreachable. It may run beside any command, also beside git gc; COMMIT starts it in the " +
			"background from time to time.",
		exits: []int{exitDone, exitFailed, exitUsage, exitNoMemory, exitNotRepository},
		examples: []string{
			"gc",
			"gc --json",
			"gc --auto",
		},
		globals: g,
		flags: join([]cli.Flag{
			toggle(&o.auto, "--auto", "pack only if enough objects are loose"),
			toggle(&o.dryRun, "--dry-run", "say what would be packed and dropped; change nothing"),
		}, o.author.flags(), g.common()),
		action: func(ctx context.Context, env *Env, _ []string) error {
			res, err := runGC(ctx, env, o)
			env.warnAll(res.Warnings) // of the parts that succeeded, too
			if err != nil {
				return err
			}
			return o.show(env, res, func(p *render.Printer) {
				if !o.auto || res.Packed > 0 || res.Dropped > 0 || len(res.Expunged) > 0 {
					render.GCText(p, res, o.dryRun)
				}
			})
		},
	}
}

func runGC(ctx context.Context, env *Env, o *gcOptions) (res maintain.Result, err error) {
	alone := *env
	alone.Program = "" // so that gc starts no gc
	s, err := o.open(ctx, &alone)
	if err != nil {
		return res, err
	}
	defer closing(s, &err)
	return maintain.Run(ctx, s, maintain.Options{Writer: o.writer(env), Auto: o.auto, DryRun: o.dryRun})
}
