package cmd

import (
	"context"
	"errors"
	"io"

	"github.com/git-context/git-context/refs"
	"github.com/git-context/git-context/refs/share"
	"github.com/git-context/git-context/render"
	"github.com/urfave/cli/v2"
)

type pushOptions struct {
	*globals
	author
	remove bool
}

func newPush(g *globals) *command {
	o := &pushOptions{globals: g}
	own := []cli.Flag{
		toggle(&o.remove, "-d, --delete", "delete the branches, and tags as tags/NAME, on the remote; they stay here"),
	}
	return &command{
		name: "push",
		usage: []string{
			"push [REMOTE] [NAME...]",
			"push --delete REMOTE NAME...",
		},
		about: "Sends memory branches (all of them, or those named) to a remote, with the roadmap, tags and notes; it is never forced. Where the remote has what is not here, 'git context sync' merges first. This is also how a remote gets its first memory, and a branch back that was deleted there. For a host that takes nothing but branches and tags: 'git config context.REMOTE.mapping heads'.",
		exits: []int{exitDone, exitFailed, exitUsage, exitNoMemory, exitNotRepository},
		examples: []string{
			"push origin",
			"push origin main try-mutex",
			"push --delete origin try-mutex tags/before-rewrite",
		},
		globals: g,
		flags:   join(own, o.author.flags(), g.flags()),
		most:    unlimited,
		action: func(ctx context.Context, env *Env, args []string) error {
			if o.remove && len(args) < 2 {
				return usagef("--delete needs a remote and the names of branches")
			}
			r, err := o.exchange(ctx, env, func(s *refs.Store, progress io.Writer) (share.SyncResult, error) {
				opts := share.SyncOptions{Writer: o.writer(env), Remote: first(args), Branches: rest(args), Progress: progress}
				if o.remove {
					return share.DeleteRemote(ctx, s, opts)
				}
				return share.Push(ctx, s, opts)
			})
			if err != nil {
				return errors.Join(o.printPartly(ctx, env, r, err), err)
			}
			if o.remove {
				return o.show(env, r, func(p *render.Printer) { line(p, "Deleted on '%s': %s", r.Remote, render.RefNames(r.Pushed)) })
			}
			return o.printExchange(ctx, env, r)
		},
	}
}
