package cmd

import (
	"context"

	"github.com/git-context/git-context/refs/undo"
	"github.com/git-context/git-context/render"
)

type undoOptions struct {
	*globals
	author
}

func newUndo(g *globals) *command {
	o := &undoOptions{globals: g}
	return &command{
		name:  "undo",
		usage: []string{"undo"},
		about: "Takes back the newest change of the branch, if it was never shared: a commit, whose steps are " +
			"pending again with their ids, numbers and times, or what remember, forget or metadata changed. The " +
			"roadmap stays as it is, because all branches share it. What is taken back stays in the reflog of the " +
			"branch, and the note of a commit stays with that commit.",
		exits: []int{exitDone, exitFailed, exitUsage, exitNoMemory, exitNotRepository},
		examples: []string{
			"undo",
			"-b exp/pool undo --json",
		},
		globals: g,
		flags:   join(o.author.flags(), g.flags()),
		action: func(ctx context.Context, env *Env, _ []string) error {
			r, err := runUndo(ctx, env, o)
			if err != nil {
				return err
			}
			env.warnAll(r.Warnings)
			if err := o.show(env, r, func(p *render.Printer) { printUndo(p, r) }); err != nil {
				return err
			}
			if r.Revised {
				env.hint("the commit revised the roadmap, which stays as it is: git context roadmap log")
			}
			return nil
		},
	}
}

func runUndo(ctx context.Context, env *Env, o *undoOptions) (r undo.Result, err error) {
	s, err := o.open(ctx, env)
	if err != nil {
		return r, err
	}
	defer closing(s, &err)
	return undo.Undo(ctx, s, o.writer(env))
}

func printUndo(p *render.Printer, r undo.Result) {
	line(p, "[%s %s] Undone: %s", r.Branch, r.Commit.Short(), r.Undone.Summary)
	line(p, " was %s", r.Undone.Commit.Short())
	if r.Steps.Count > 0 {
		line(p, " pending again: %s", stepsOf(r.Steps))
	}
}
