package cmd

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/git-context/git-context/refs"
	"github.com/git-context/git-context/refs/share"
	"github.com/git-context/git-context/render"
	"github.com/urfave/cli/v2"
)

type pushOptions struct {
	*globals
	author
	consent
	remove, dryRun, noScan bool
}

func newPush(g *globals) *command {
	o := &pushOptions{globals: g}
	own := []cli.Flag{
		toggle(&o.remove, "-d, --delete", "delete the branches, and tags as tags/NAME, on the remote; they stay here"),
		toggle(&o.dryRun, "--dry-run", "say what would be pushed; change nothing"),
		toggle(&o.noScan, "--no-scan", "push texts although they contain secrets"),
		o.consent.flag(),
	}
	return &command{
		name: "push",
		usage: []string{
			"push [REMOTE] [NAME...] [--dry-run] [--no-scan] [--yes]",
			"push --delete REMOTE NAME...",
		},
		about: "Sends memory branches (all of them, or those named) to a remote, with the roadmap, tags and " +
			"notes; it is never forced. If the remote has commits that are not here, 'git context sync' merges " +
			"them first. Unlike sync, push also sends memory to a remote that has none, and a branch that was deleted there. The " +
			"first memory of a remote becomes as public as the code there: the command says how much it is, " +
			"and asks on a terminal; without a terminal more than 10 commits and steps need --yes. For a host " +
			"that accepts only branches and tags: 'git config context.REMOTE.mapping heads'.",
		exits: []int{exitDone, exitFailed, exitUsage, exitNoMemory, exitNotRepository},
		examples: []string{
			"push origin",
			"push origin main try-mutex",
			"push --delete origin try-mutex tags/before-rewrite",
		},
		globals: g,
		flags:   join(own, o.author.flags(), g.common()),
		most:    unlimited,
		action: func(ctx context.Context, env *Env, args []string) error {
			switch {
			case o.remove && len(args) < 2:
				return usagef("--delete needs a remote and the names of branches")
			case o.remove && (o.dryRun || o.noScan || o.yes):
				return usagef("--delete cannot be used with --dry-run, --no-scan or --yes")
			}
			r, err := runPush(ctx, env, o, args)
			if err != nil {
				return errors.Join(o.printPartly(ctx, env, r, err, o.dryRun), err)
			}
			if o.remove {
				return o.show(env, r, func(p *render.Printer) {
					line(p, "Deleted on '%s': %s", r.Remote, render.RefNames(r.Pushed))
				})
			}
			return o.printExchange(ctx, env, r, o.dryRun)
		},
	}
}

// errAsk ends a push that must wait for a person.
var errAsk = errors.New("ask first")

// runPush pushes. Where a person is asked the remote is contacted twice: nothing waits for an answer with a
// lock held.
func runPush(ctx context.Context, env *Env, o *pushOptions, args []string) (r share.Result, err error) {
	opts := share.Options{Writer: o.writer(env), Remote: first(args), Branches: rest(args),
		DryRun: o.dryRun, NoScan: o.noScan}
	var asked danger
	opts.Consent = func(f share.FirstPush) error {
		if asked = dangerOfPush(f); o.asks(env, o.json) {
			return errAsk
		}
		err := o.ask(env, o.json, asked)
		if err == nil && !o.json {
			env.tell(asked.tell)
		}
		return err
	}
	run := func(s *refs.Store, progress io.Writer) (share.Result, error) {
		opts.Progress = progress
		if o.remove {
			return share.DeleteRemote(ctx, s, opts)
		}
		return share.Push(ctx, s, opts)
	}
	r, err = o.exchange(ctx, env, run)
	if !errors.Is(err, errAsk) {
		return r, err
	}
	if err := o.ask(env, o.json, asked); err != nil {
		return r, err
	}
	opts.Consent = nil
	return o.exchange(ctx, env, run)
}

// dangerOfPush describes the first push to a remote. A share of all memory means nothing there: all of it goes.
func dangerOfPush(f share.FirstPush) danger {
	return danger{
		entries: f.Commits + f.Steps,
		tell:    func(p *render.Printer) { printFirst(p, f) },
		refusal: fmt.Sprintf("the first push to '%s' would share %s and %s", f.Remote, count(f.Commits, "commit", "commits"),
			count(f.Steps, "step", "steps")),
		question: "Push it?",
	}
}

func printFirst(p *render.Printer, f share.FirstPush) {
	works := ""
	if f.Works > 0 {
		works = ", and the uncommitted code of " + count(f.Works, "branch", "branches")
	}
	line(p, "First memory of '%s' (%s): %s with %s and %s, %s%s. It becomes as public as the code there.", f.Remote, f.URL,
		count(f.Branches, "branch", "branches"), count(f.Commits, "commit", "commits"), count(f.Steps, "step", "steps"),
		render.Size(f.Bytes), works)
}
