package cmd

import (
	"context"
	"errors"
	"io"

	"github.com/git-context/git-context/refs"
)

func newFetch(g *globals) *command {
	return &command{
		name:  "fetch",
		usage: []string{"fetch [REMOTE]"},
		about: "Asks a remote for its memory and moves tracking refs alone: what is here stays as it is, and the code's refs are not touched. 'git context branch --all' shows what came, 'git context switch NAME' takes a branch, 'git context sync' merges.",
		exits: []int{exitDone, exitFailed, exitUsage, exitNoMemory, exitNotRepository},
		examples: []string{
			"fetch",
			"fetch upstream",
		},
		globals: g,
		flags:   g.flags(),
		most:    1,
		action: func(ctx context.Context, env *Env, args []string) error {
			r, err := g.exchange(ctx, env, func(s *refs.Store, progress io.Writer) (refs.SyncResult, error) {
				return s.Fetch(ctx, refs.SyncOptions{Remote: first(args), Progress: progress})
			})
			return errors.Join(g.printPartly(ctx, env, r, err), err)
		},
	}
}
