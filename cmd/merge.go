package cmd

import (
	"context"
	"errors"

	"github.com/git-context/git-context/refs/expunge"
	"github.com/git-context/git-context/refs/fail"
	"github.com/git-context/git-context/refs/merge"
	"github.com/git-context/git-context/refs/share"
	"github.com/git-context/git-context/refs/store"
	"github.com/git-context/git-context/render"
	"github.com/urfave/cli/v2"
)

type mergeOptions struct {
	*globals
	author
	message
	signFlags
	into, purpose, prefer string
	done, todo, decide    cli.StringSlice
	keep, abandon, dryRun bool
	resume, abort, status bool
	hints                 []string // that follow the result
}

func newMerge(g *globals) *command {
	o := &mergeOptions{globals: g}
	own := []cli.Flag{
		named(&o.into, "--into TARGET", "merge into TARGET instead of the current branch, and switch to it"),
		text(&o.purpose, "--purpose TEXT", "revise the target's purpose"),
		texts(&o.done, "--done TEXT", "tick a milestone or to-do of the roadmap; may be repeated"),
		texts(&o.todo, "--todo TEXT", "add a to-do to the roadmap; may be repeated"),
		texts(&o.decide, "--decide TEXT", "add a decision to the roadmap; may be repeated"),
		toggle(&o.keep, "--keep", "leave the source branch open"),
		toggle(&o.abandon, "--abandon", "close the source as abandoned and merge nothing"),
		toggle(&o.dryRun, "--dry-run", "say what would be merged and what would conflict; change nothing"),
		named(&o.prefer, "-X HOW", "settle every conflict: ours, theirs or union"),
		toggle(&o.resume, "--continue", "finish the merge that waits on the target, once its conflicts are resolved"),
		toggle(&o.abort, "--abort", "drop the merge that waits on the target"),
		toggle(&o.status, "--status", "list the conflicts that wait on the target"),
	}
	return &command{
		name: "merge",
		usage: []string{
			"merge NAME [--into TARGET] [-m SUMMARY [-m ...]] [--purpose TEXT] [--done TEXT]... " +
				"[--todo TEXT]... [--decide TEXT]... [-X HOW] [--keep] [--dry-run] [-S]",
			"merge NAME --abandon [-m WHY [-m ...]]",
			"merge (--continue [-S] | --abort | --status) [--into TARGET]",
		},
		about: "MERGE: brings the memory of branch NAME into the current one, with its pending steps, and " +
			"closes NAME; it first lists what comes. Steps and commits of both sides are united. If both wrote " +
			"different texts in one place, nothing changes: each such path is named, and the merge waits until " +
			"all are resolved with 'git context resolve' and --continue finishes it. Texts in different places " +
			"that may contradict each other are listed, but do not stop the merge. NAME may be a remote's " +
			"branch, such as origin/try-mutex, which stays as it is. -S signs every commit that it makes; give " +
			"it again with --continue. --abandon merges nothing, and -m says why NAME failed: its branch and " +
			"the roadmap keep the reason. TARGET is current afterwards, even if nothing was merged; if NAME is current, " +
			"--abandon switches to the branch that NAME was created from.",
		exits: []int{exitDone, exitFailed, exitUsage, exitConflict, exitNoMemory, exitNotRepository},
		examples: []string{
			"merge try-mutex -m 'A plain mutex is fast enough' --done 'Choose a lock'",
			"merge try-actors --abandon -m 'Each message costs two allocations'",
			"merge try-mutex -X theirs",
			"merge --continue",
		},
		globals: g,
		flags:   join(o.message.flags(), own, o.signFlags.flags(), o.author.flags(), g.flags()),
		most:    1,
		action: func(ctx context.Context, env *Env, args []string) error {
			if err := o.check(args); err != nil {
				return err
			}
			if o.abort || o.status {
				return o.statusOrAbort(ctx, env)
			}
			r, err := runMerge(ctx, env, o, args)
			// A merge with conflicts has a result and an error.
			if err != nil && !errors.Is(err, fail.ErrConflict) {
				return err
			}
			err = errors.Join(o.printMerge(env, r, err), err)
			if err == nil {
				env.hintAll(o.hints)
			}
			return err
		},
	}
}

// check refuses flags that do not go together.
func (o *mergeOptions) check(args []string) error {
	forms := 0
	for _, set := range []bool{o.resume, o.abort, o.status} {
		if set {
			forms++
		}
	}
	told := o.keep || o.abandon || o.dryRun || o.prefer != "" || o.purpose != "" ||
		len(o.done.Value())+len(o.todo.Value())+len(o.decide.Value()) > 0 || len(o.paragraphs.Value()) > 0 || o.message.file != ""
	switch {
	case forms > 1 || forms == 1 && told:
		return usagef("--continue, --abort and --status take no other flag than --into")
	case forms == 1 && len(args) > 0:
		return usagef("unexpected argument '%s'", args[0])
	case forms == 0 && len(args) == 0:
		return usagef("'merge' needs the name of the branch to merge").hint("git context branch")
	case o.abandon && (o.keep || o.dryRun || o.prefer != ""):
		return usagef("--abandon cannot be used with --keep, --dry-run or -X")
	}
	return checkHow(o.prefer)
}

func runMerge(ctx context.Context, env *Env, o *mergeOptions, args []string) (r merge.Result, err error) {
	summary, contribution, err := o.message.read(env)
	if err != nil {
		return r, err
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
	if o.resume {
		return share.Continue(ctx, s, w, o.into)
	}
	if o.abandon && !o.message.given() {
		env.advice(ctx, s, &o.hints, store.AdviceWhy, "say why it failed: git context merge %s --abandon -m WHY", args[0])
	}
	r, err = merge.Merge(ctx, s, store.MergeOptions{
		Writer: w, Source: args[0], Into: o.into,
		Summary: summary, Contribution: contribution,
		Purpose:       o.purpose,
		RoadmapChange: store.RoadmapChange{Done: o.done.Value(), Todo: o.todo.Value(), Decide: o.decide.Value()},
		Keep:          o.keep, Abandon: o.abandon, DryRun: o.dryRun, Prefer: o.prefer,
	})
	if err == nil && r.Commit != nil && !o.dryRun {
		s.IndexBehind()
	}
	return r, err
}

// statusOrAbort is --status and --abort: it shows the merge that waits on the target, or
// ends it.
func (o *mergeOptions) statusOrAbort(ctx context.Context, env *Env) (err error) {
	o.offline = o.status
	s, err := o.open(ctx, env)
	if err != nil {
		return err
	}
	defer closing(s, &err)
	if o.abort {
		st, err := merge.Abort(ctx, s, o.into)
		if err != nil {
			return err
		}
		if _, err := expunge.DropBundle(ctx, s, o.writer(env)); err != nil { // of a merge with a bundle; the next gc tries again
			s.Warn(err.Error())
		}
		return o.show(env, st, func(p *render.Printer) {
			line(p, "Aborted the merge of '%s' into '%s'; nothing was changed", st.Source, st.Target)
		})
	}
	st, err := merge.Waiting(ctx, s, o.into)
	if err != nil {
		return err
	}
	return o.view(ctx, env, st, func(p *render.Printer) { printMergeStatus(p, st) })
}

func (o *mergeOptions) printMerge(env *Env, r merge.Result, failed error) error {
	if r.Conflicts == nil {
		r.Conflicts = []store.Conflict{} // an empty list in JSON, not null
	}
	env.warnAll(r.Warnings)
	if r.Topics == nil {
		r.Topics = []merge.TopicChange{}
	}
	if r.Disagree == nil {
		r.Disagree = []merge.Disagreement{}
	}
	return o.show(env, r, func(p *render.Printer) {
		if r.Context != nil && !r.UpToDate && !o.abandon {
			printBrings(p, r)
		}
		render.ConflictsText(p, r.Merged, r.Branch, r.Conflicts)
		if failed == nil {
			o.printOutcome(p, r)
			if r.Switched {
				line(p, "Switched to memory branch '%s'", r.Branch)
			}
		}
	})
}

func (o *mergeOptions) printOutcome(p *render.Printer, r merge.Result) {
	switch {
	case o.abandon:
		line(p, "Abandoned '%s'", r.Merged)
	case r.UpToDate:
		line(p, "Already up to date")
	case o.dryRun:
		line(p, "Would merge '%s' into '%s' without a conflict", r.Merged, r.Branch)
	case r.Commit != nil && r.ID != nil:
		line(p, "[%s %s] merged '%s'", r.Branch, r.Commit.Short(), r.Merged)
		line(p, " id %s", *r.ID)
	case r.Commit != nil: // of a sync, which makes no COMMIT
		line(p, "[%s %s] merged with '%s'; to share it: git context sync", r.Branch, r.Commit.Short(), r.Merged)
	default: // of a sync, on other refs
		line(p, "Merged with '%s'; to share it: git context sync", r.Merged)
	}
}
