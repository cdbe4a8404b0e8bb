package cmd

import (
	"context"
	"errors"

	"github.com/urfave/cli/v2"

	"github.com/git-context/git-context/refs"
	"github.com/git-context/git-context/render"
)

type mergeOptions struct {
	*globals
	author
	message
	into, purpose         string
	done                  cli.StringSlice
	keep, abandon, dryRun bool
}

func newMerge(g *globals) *command {
	o := &mergeOptions{globals: g}
	own := []cli.Flag{
		text(&o.into, "--into TARGET", "merge into TARGET instead of the current branch"),
		text(&o.purpose, "--purpose TEXT", "revise the target's purpose"),
		texts(&o.done, "--done TEXT", "tick a milestone of the roadmap; may be repeated"),
		toggle(&o.keep, "--keep", "leave the source branch open"),
		toggle(&o.abandon, "--abandon", "close the source as abandoned and merge nothing"),
		toggle(&o.dryRun, "--dry-run", "say what would come and what would conflict; change nothing"),
	}
	return &command{
		name: "merge",
		usage: []string{
			"merge NAME [--into TARGET] [-m SUMMARY [-m ...]] [--purpose TEXT] [--done TEXT]... [--keep] [--dry-run]",
			"merge NAME --abandon",
		},
		about: "MERGE: brings the memory of branch NAME into the current one, with its pending steps, and closes NAME; its CONTEXT is shown first. Steps and milestones of both sides are united; where both wrote different things in one place nothing is changed, and each such path is named.",
		exits: []int{exitDone, exitFailed, exitUsage, exitConflict, exitNoMemory, exitNotRepository},
		examples: []string{
			"merge try-mutex -m 'A plain mutex is fast enough' --done 'Choose a lock'",
			"merge try-actors --abandon",
		},
		globals: g,
		flags:   join(o.message.flags(), own, o.author.flags(), g.flags()),
		least:   1, most: 1, needs: "the name of the branch to merge",
		action: func(ctx context.Context, env *Env, args []string) error {
			r, err := runMerge(ctx, env, o, args[0])
			// Of a merge in conflict there is a result and an error.
			if err != nil && !errors.Is(err, refs.ErrConflict) {
				return err
			}
			return errors.Join(o.printMerge(env, r, err), err)
		},
	}
}

func runMerge(ctx context.Context, env *Env, o *mergeOptions, source string) (r refs.MergeResult, err error) {
	if o.abandon && (o.keep || o.dryRun) {
		return r, usagef("--abandon goes without --keep and --dry-run")
	}
	summary, contribution, err := o.message.read(env)
	if err != nil {
		return r, err
	}
	s, err := o.open(ctx, env)
	if err != nil {
		return r, err
	}
	defer closing(s, &err)
	return s.Merge(ctx, refs.MergeOptions{
		Writer: o.writer(env), Source: source, Into: o.into,
		Summary: summary, Contribution: contribution,
		Purpose: o.purpose, Done: o.done.Value(),
		Keep: o.keep, Abandon: o.abandon, DryRun: o.dryRun,
	})
}

func (o *mergeOptions) printMerge(env *Env, r refs.MergeResult, failed error) error {
	if r.Conflicts == nil {
		r.Conflicts = []refs.Conflict{} // an empty list in JSON, not null
	}
	env.warnAll(r.Warnings)
	return o.show(env, r, func(p *render.Printer) {
		if r.Context != nil && !r.UpToDate {
			render.BranchText(p, *r.Context)
			line(p, "")
		}
		for _, c := range r.Conflicts {
			line(p, "conflict (%s): %s", c.Kind, c.Path)
		}
		if failed == nil {
			o.printOutcome(p, r)
		}
	})
}

func (o *mergeOptions) printOutcome(p *render.Printer, r refs.MergeResult) {
	switch {
	case o.abandon:
		line(p, "Abandoned '%s'", r.Merged)
	case r.UpToDate:
		line(p, "Already up to date")
	case o.dryRun:
		line(p, "Would merge '%s' into '%s': %s, no conflict", r.Merged, r.Branch, count(r.Steps, "step"))
	case r.Commit != nil && r.ID != nil:
		line(p, "[%s %s] merged '%s'", r.Branch, r.Commit.Short(), r.Merged)
		line(p, " id %s, %s", *r.ID, count(r.Steps, "step"))
	}
}
