package cmd

import (
	"context"
	"errors"
	"io"
	"slices"

	"github.com/git-context/git-context/refs"
	"github.com/git-context/git-context/refs/share"
	"github.com/git-context/git-context/render"
	"github.com/urfave/cli/v2"
)

type syncOptions struct {
	*globals
	author
	prefer string
	dryRun bool
	noScan bool
}

func newSync(g *globals) *command {
	o := &syncOptions{globals: g}
	own := []cli.Flag{
		named(&o.prefer, "-X HOW", "settle every conflict: ours, theirs or union"),
		toggle(&o.dryRun, "--dry-run", "say what would be fetched, merged and pushed; change nothing"),
		toggle(&o.noScan, "--no-scan", "push texts although they contain secrets"),
	}
	return &command{
		name:  "sync",
		usage: []string{"sync [REMOTE] [-X HOW] [--dry-run] [--no-scan]"},
		about: "Unites all memory branches, the roadmap, tags and notes with those of a remote: fetches, " +
			"checks what came, merges what diverged, pushes, and tries again if another process pushed first. " +
			"The remote is context.remote, else the only one, else origin. Steps and commits never conflict; " +
			"if both sides wrote different texts in one place, the branch does not move on either side until " +
			"'git context resolve' and 'git context merge --continue' settle the conflict. The first push to a remote " +
			"must be explicit: 'git context push'. Pending steps stay here until they are committed.",
		exits: []int{exitDone, exitFailed, exitUsage, exitConflict, exitNoMemory, exitNotRepository},
		examples: []string{
			"sync",
			"sync upstream --json",
		},
		extra:   "sync takes all branches; for one: git context push REMOTE %s",
		globals: g,
		flags:   join(own, o.author.flags(), g.flags()),
		most:    1,
		action: func(ctx context.Context, env *Env, args []string) error {
			if err := checkHow(o.prefer); err != nil {
				return err
			}
			r, err := o.exchange(ctx, env, func(s *refs.Store, progress io.Writer) (share.Result, error) {
				return share.Sync(ctx, s, share.Options{Writer: o.writer(env), Remote: first(args),
					Prefer: o.prefer, DryRun: o.dryRun, NoScan: o.noScan, Progress: progress})
			})
			return errors.Join(o.printPartly(ctx, env, r, err, o.dryRun), err)
		},
	}
}

// exchange opens the store and runs one exchange with a remote.
func (g *globals) exchange(
	ctx context.Context, env *Env, run func(*refs.Store, io.Writer) (share.Result, error),
) (r share.Result, err error) {
	s, err := g.open(ctx, env)
	if err != nil {
		return r, err
	}
	defer closing(s, &err)
	if r, err = run(s, env.progress(g.json)); len(r.Merged) > 0 {
		s.IndexBehind()
	}
	return r, err
}

// printPartly prints what was done, also beside an error: other refs are exchanged where
// one conflicts or is refused.
func (g *globals) printPartly(ctx context.Context, env *Env, r share.Result, failed error, dryRun bool) error {
	if failed != nil && nothingExchanged(r) {
		env.noteAll(r.Notes)
		env.warnAll(r.Warnings)
		env.warnSplit(r.Split)
		return nil
	}
	return g.printExchange(ctx, env, r, dryRun)
}

// warnSplit says that a remote has memory under two sets of names, and what to do.
func (e *Env) warnSplit(s *share.Split) {
	if s == nil {
		return
	}
	e.warn("%s", s.Message)
	for _, command := range s.Commands {
		e.hint("%s", command)
	}
}

// nothingExchanged reports whether an exchange changed nothing, here and there.
func nothingExchanged(r share.Result) bool {
	return len(r.Fetched)+len(r.Gone)+len(r.Merged)+len(r.Pushed)+len(r.Conflicts) == 0
}

// printExchange prints what was fetched, merged and pushed, a line each.
func (g *globals) printExchange(ctx context.Context, env *Env, r share.Result, dryRun bool) error {
	env.noteAll(r.Notes)
	env.warnAll(r.Warnings)
	env.warnSplit(r.Split)
	return g.view(ctx, env, r, func(p *render.Printer) {
		form := "%-8s %s"
		if r.First != nil && dryRun {
			printFirst(p, *r.First)
		}
		if dryRun {
			form = "would be %-8s %s"
		}
		for _, part := range []struct {
			did  string
			refs []string
		}{{"fetched", r.Fetched}, {"merged", r.Merged}, {"pushed", r.Pushed}} {
			if len(part.refs) > 0 {
				line(p, form, part.did, render.RefNames(part.refs))
			}
		}
		if r.Steps > 0 {
			line(p, "%s new from '%s'", count(r.Steps, "step", "steps"), r.Remote)
		}
		// A ref that was deleted there and pushed again exists, also when its mapping changed.
		gone := slices.DeleteFunc(slices.Clone(r.Gone), func(ref string) bool { return slices.Contains(r.Pushed, ref) })
		if len(gone) > 0 {
			line(p, form, "deleted", render.RefNames(gone))
		}
		if r.Lost > 0 {
			line(p, "others pushed too: it took %d tries", r.Attempts)
		}
		render.ConflictsText(p, r.Remote, "here", r.Conflicts)
		if nothingExchanged(r) {
			line(p, "Already up to date with '%s'", r.Remote)
		}
	})
}

func newFetch(g *globals) *command {
	return &command{
		name:  "fetch",
		usage: []string{"fetch [REMOTE] [NAME...]"},
		about: "Fetches the memory of a remote into tracking refs: local branches and the code's refs do " +
			"not change. Named branches are fetched even if 'context.REMOTE.branches' leaves them out. 'git " +
			"context branch --all' shows what came, 'git context switch NAME' creates a branch from it, 'git " +
			"context sync' merges it.",
		exits: []int{exitDone, exitFailed, exitUsage, exitNoMemory, exitNotRepository},
		examples: []string{
			"fetch",
			"fetch upstream",
			"fetch origin agent/7",
		},
		globals: g,
		flags:   g.common(),
		most:    unlimited,
		action: func(ctx context.Context, env *Env, args []string) error {
			r, err := g.exchange(ctx, env, func(s *refs.Store, progress io.Writer) (share.Result, error) {
				return share.Fetch(ctx, s, share.Options{Remote: first(args), Branches: rest(args), Progress: progress})
			})
			return errors.Join(g.printPartly(ctx, env, r, err, false), err)
		},
	}
}
