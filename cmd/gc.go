package cmd

import (
	"context"

	"github.com/urfave/cli/v2"

	"github.com/git-context/git-context/refs"
	"github.com/git-context/git-context/render"
)

type gcOptions struct {
	*globals
	author
	auto bool
}

func newGC(g *globals) *command {
	o := &gcOptions{globals: g}
	return &command{
		name:  "gc",
		usage: []string{"gc [--auto]"},
		about: "Packs the loose objects of memory, and of nothing else, into packs of its own, ten at most; writes notes that are missing; and drops what is dead: branches that were deleted more than 90 days ago (context.deletedExpire, as git reads times; 'never' keeps them), journals of branches that are gone if all their steps stand in memory, waiting merges and bisects of branches and worktrees that are gone, files that killed commands left. A journal with a step that stands nowhere else stays, and is named. Code, its refs and its packs are not touched, no object is dropped for being unreachable, and nothing is sealed: that is COMMIT's. It may run beside everything, git gc included; a second one leaves at once. COMMIT starts 'gc --auto' in the background when about a thousand objects are loose (context.gcAuto; 0 for never, as gc.auto=0 and maintenance.auto=false mean, too); what that fails at is told by fsck. --auto does nothing before that many are loose. With --json: {\"packed\", \"dropped\", \"bytes\"}: objects, things, and how many bytes are free now.",
		exits: []int{exitDone, exitFailed, exitUsage, exitNoMemory, exitNotRepository},
		examples: []string{
			"gc",
			"gc --json",
			"gc --auto",
		},
		globals: g,
		flags:   join([]cli.Flag{toggle(&o.auto, "--auto", "only if enough objects are loose")}, o.author.flags(), g.flags()),
		action: func(ctx context.Context, env *Env, _ []string) error {
			res, err := runGC(ctx, env, o)
			env.warnAll(res.Warnings) // also of what went well where another part did not
			if err != nil {
				return err
			}
			return o.show(env, res, func(p *render.Printer) {
				if !o.auto || res.Packed > 0 || res.Dropped > 0 {
					render.GCText(p, res)
				}
			})
		},
	}
}

func runGC(ctx context.Context, env *Env, o *gcOptions) (res refs.GCResult, err error) {
	alone := *env
	alone.Program = "" // what it writes itself starts no other
	s, err := o.open(ctx, &alone)
	if err != nil {
		return res, err
	}
	defer closing(s, &err)
	return s.GC(ctx, refs.GCOptions{Writer: o.writer(env), Auto: o.auto})
}
