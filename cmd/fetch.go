package cmd

import (
	"context"
	"errors"
	"io"

	"github.com/git-context/git-context/refs"
	"github.com/git-context/git-context/refs/share"
)

func newFetch(g *globals) *command {
	return &command{
		name:  "fetch",
		usage: []string{"fetch [REMOTE] [NAME...]"},
		about: "Asks a remote for its memory and moves tracking refs alone: what is here stays as it is, and the code's refs are not touched. Branches that are named come too where 'context.REMOTE.branches' leaves them out. 'git context branch --all' shows what came, 'git context switch NAME' takes a branch, 'git context sync' merges.",
		exits: []int{exitDone, exitFailed, exitUsage, exitNoMemory, exitNotRepository},
		examples: []string{
			"fetch",
			"fetch upstream",
			"fetch origin agent/7",
		},
		globals: g,
		flags:   g.flags(),
		most:    unlimited,
		action: func(ctx context.Context, env *Env, args []string) error {
			r, err := g.exchange(ctx, env, func(s *refs.Store, progress io.Writer) (share.SyncResult, error) {
				return share.Fetch(ctx, s, share.SyncOptions{Remote: first(args), Branches: rest(args), Progress: progress})
			})
			return errors.Join(g.printPartly(ctx, env, r, err), err)
		},
	}
}
