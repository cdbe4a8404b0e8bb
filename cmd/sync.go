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
}

func newSync(g *globals) *command {
	o := &syncOptions{globals: g}
	own := []cli.Flag{
		named(&o.prefer, "-X HOW", "settle every conflict: ours, theirs or union"),
	}
	return &command{
		name:  "sync",
		usage: []string{"sync [REMOTE] [-X HOW]"},
		about: "Brings all memory branches, the roadmap, tags and notes together with a remote's: fetches, checks what came, merges what went two ways, pushes, and tries again where somebody else was faster. The remote is context.remote, else the only one, else origin. Steps and milestones never conflict; where both sides wrote different things in one place that branch stays as it is on both sides, and waits for 'git context resolve' and 'git context merge --continue'. The first push to a remote without memory needs saying: 'git context push'. Pending steps stay here until they are committed.",
		exits: []int{exitDone, exitFailed, exitUsage, exitConflict, exitNoMemory, exitNotRepository},
		examples: []string{
			"sync",
			"sync upstream --json",
		},
		globals: g,
		flags:   join(own, o.author.flags(), g.flags()),
		most:    1,
		action: func(ctx context.Context, env *Env, args []string) error {
			if err := checkHow(o.prefer); err != nil {
				return err
			}
			r, err := o.exchange(ctx, env, func(s *refs.Store, progress io.Writer) (share.SyncResult, error) {
				return share.Sync(ctx, s, share.SyncOptions{Writer: o.writer(env), Remote: first(args), Prefer: o.prefer, Progress: progress})
			})
			return errors.Join(o.printPartly(ctx, env, r, err), err)
		},
	}
}

// first is the first argument, if there is one.
func first(args []string) string {
	if len(args) == 0 {
		return ""
	}
	return args[0]
}

// rest are the names behind the first argument.
func rest(args []string) []string { return args[min(1, len(args)):] }

// exchange runs one exchange with a remote on the open store.
func (g *globals) exchange(ctx context.Context, env *Env, run func(*refs.Store, io.Writer) (share.SyncResult, error)) (r share.SyncResult, err error) {
	s, err := g.open(ctx, env)
	if err != nil {
		return r, err
	}
	defer closing(s, &err)
	return run(s, env.progress(g.json))
}

// printPartly says what was done, beside an error too: what conflicts, or is
// refused, keeps nothing else back.
func (g *globals) printPartly(ctx context.Context, env *Env, r share.SyncResult, failed error) error {
	if failed != nil && quiet(r) {
		env.noteAll(r.Notes)
		env.warnAll(r.Warnings)
		return nil
	}
	return g.printExchange(ctx, env, r)
}

// quiet reports whether nothing came and nothing went.
func quiet(r share.SyncResult) bool {
	return len(r.Fetched)+len(r.Gone)+len(r.Merged)+len(r.Pushed)+len(r.Conflicts) == 0
}

// printExchange says what came and went, a line each.
func (g *globals) printExchange(ctx context.Context, env *Env, r share.SyncResult) error {
	env.noteAll(r.Notes)
	env.warnAll(r.Warnings)
	return g.view(ctx, env, r, func(p *render.Printer) {
		for _, part := range []struct {
			did  string
			refs []string
		}{{"fetched", r.Fetched}, {"merged", r.Merged}, {"pushed", r.Pushed}} {
			if len(part.refs) > 0 {
				line(p, "%-8s %s", part.did, render.RefNames(part.refs))
			}
		}
		if r.Steps > 0 {
			line(p, "%s new from '%s'", count(r.Steps, "step"), r.Remote)
		}
		// What was pushed is there again: so it is when the mapping was changed, too.
		gone := slices.DeleteFunc(slices.Clone(r.Gone), func(ref string) bool { return slices.Contains(r.Pushed, ref) })
		if len(gone) > 0 {
			line(p, "%-8s %s", "deleted", render.RefNames(gone))
		}
		if r.Lost > 0 {
			line(p, "others pushed too: it took %d tries", r.Attempts)
		}
		render.ConflictsText(p, r.Remote, "here", r.Conflicts)
		if quiet(r) {
			line(p, "Already up to date with '%s'", r.Remote)
		}
	})
}
