package cmd

import (
	"context"

	"github.com/git-context/git-context/refs"
	"github.com/git-context/git-context/render"
)

type rollbackOptions struct {
	*globals
	author
	message
	signing
}

func newRollback(g *globals) *command {
	o := &rollbackOptions{globals: g}
	return &command{
		name:  "rollback",
		usage: []string{"rollback C [-m SUMMARY [-m CONTRIBUTION]...]"},
		about: "Makes a new milestone in which topics, the roadmap and people's metadata stand as they did at C, a memory commit of the branch, and whose progress is C's. No milestone and no step is removed, nothing is rewritten, and another rollback undoes this one. The roadmap belongs to all branches: what was revised there since is undone too, but for its Branch Outcomes. Pending steps stay pending. The code is left alone.",
		exits: []int{exitDone, exitFailed, exitUsage, exitNoMemory, exitNotRepository},
		examples: []string{
			"rollback main~3",
			"rollback before-rewrite -m 'The rewrite was a dead end'",
		},
		globals: g,
		flags:   join(o.message.flags(), o.signing.flags(), o.author.flags(), g.flags()),
		least:   1, most: 1, needs: "the memory commit to roll back to",
		action: func(ctx context.Context, env *Env, args []string) error {
			r, err := runRollback(ctx, env, o, args[0])
			if err != nil {
				return err
			}
			env.replaced(r.Replaced)
			env.warnAll(r.Warnings)
			if r.Roadmap {
				env.hint("the roadmap belongs to all branches, and so does what came back: git context roadmap log")
			}
			return o.show(env, r, func(p *render.Printer) { printRollback(p, r) })
		},
	}
}

func runRollback(ctx context.Context, env *Env, o *rollbackOptions, to string) (r refs.RollbackResult, err error) {
	summary, contribution, err := o.message.read(env)
	if err != nil {
		return r, err
	}
	w, err := o.signs(o.writer(env))
	if err != nil {
		return r, err
	}
	s, err := o.open(ctx, env)
	if err != nil {
		return r, err
	}
	defer closing(s, &err)
	return s.Rollback(ctx, refs.RollbackOptions{Writer: w, To: to, Summary: summary, Contribution: contribution})
}

func printRollback(p *render.Printer, r refs.RollbackResult) {
	if r.Unchanged {
		line(p, "Nothing to roll back: topics, roadmap and metadata stand as they did")
		return
	}
	line(p, "[%s %s] %s", r.Branch, r.Hash.Short(), r.Summary)
	line(p, " id %s", r.ID)
	for _, changed := range r.Changed {
		line(p, " %s", changed)
	}
}
