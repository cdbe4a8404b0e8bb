package cmd

import (
	"context"

	"github.com/git-context/git-context/refs/code"
	"github.com/git-context/git-context/refs/store"
	"github.com/git-context/git-context/render"
	"github.com/urfave/cli/v2"
)

type rollbackOptions struct {
	*globals
	author
	message
	signFlags
	code, reset bool
}

func newRollback(g *globals) *command {
	o := &rollbackOptions{globals: g}
	own := []cli.Flag{
		toggle(&o.code, "--code", "bring the code back too, by a new commit"),
		toggle(&o.reset, "--reset", "with --code: move the branch of the code back instead, as git reset --keep does"),
	}
	return &command{
		name:  "rollback",
		usage: []string{"rollback C [--code [--reset]] [-m SUMMARY [-m CONTRIBUTION]...]"},
		about: "Makes a new commit in which topics, the roadmap and people's metadata are as they were at " +
			"C, a memory commit of the branch, and whose progress is C's. No commit and no step is removed, " +
			"nothing is rewritten, and another rollback undoes this one. The code does not change, unless " +
			"--code first brings it back to the commit that C was made on.",
		exits: []int{exitDone, exitFailed, exitUsage, exitNoMemory, exitNotRepository},
		examples: []string{
			"rollback main~3",
			"rollback before-rewrite -m 'The rewrite was a dead end'",
			"rollback before-rewrite --code",
		},
		globals: g,
		flags:   join(own, o.message.flags(), o.signFlags.flags(), o.author.flags(), g.flags()),
		least:   1, most: 1, needs: "the memory commit to roll back to",
		action: func(ctx context.Context, env *Env, args []string) error {
			r, err := runRollback(ctx, env, o, args[0])
			if err != nil {
				return err
			}
			env.replaced(r.Replaced)
			env.warnAll(r.Warnings)
			if err := o.show(env, r, func(p *render.Printer) { printRollback(p, r) }); err != nil {
				return err
			}
			if r.Roadmap {
				env.hint("all branches share the roadmap, so that it went back for all of them: git context roadmap log")
			}
			return nil
		},
	}
}

func runRollback(ctx context.Context, env *Env, o *rollbackOptions, to string) (r code.RollbackResult, err error) {
	if o.reset && !o.code {
		return r, usagef("--reset needs --code").hint(self + " rollback C --code --reset")
	}
	summary, contribution, err := o.message.read(env)
	if err != nil {
		return r, err
	}
	if summary == "" && o.message.given() {
		return r, usagef("a commit needs a summary").hint("git context rollback C -m SUMMARY")
	}
	w, err := o.signWriter(o.writer(env))
	if err != nil {
		return r, err
	}
	s, err := o.open(ctx, env)
	if err != nil {
		return r, err
	}
	defer closing(s, &err)
	var back *store.CodeOptions
	if o.code {
		back = env.code()
		back.Reset = o.reset
	}
	return code.Rollback(ctx, s, code.RollbackOptions{Writer: w, To: to, Summary: summary, Contribution: contribution, Code: back})
}

func printRollback(p *render.Printer, r code.RollbackResult) {
	switch {
	case r.Unchanged && r.CodeUnchanged:
		line(p, "Nothing to roll back: code, topics, roadmap and metadata are as they were")
		return
	case r.Unchanged:
		line(p, "Nothing to roll back: topics, roadmap and metadata are as they were")
		return
	}
	line(p, "[%s %s] %s", r.Branch, r.Hash.Short(), r.Summary)
	line(p, " id %s", r.ID)
	if r.CodeUnchanged {
		line(p, " The code is as it was: only memory was rolled back.")
	}
	for _, changed := range r.Changed {
		line(p, " %s", changed)
	}
}
