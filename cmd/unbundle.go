package cmd

import (
	"context"
	"errors"
	"io"
	"path/filepath"

	"github.com/git-context/git-context/refs"
	"github.com/git-context/git-context/refs/share"
)

type unbundleOptions struct {
	*globals
	author
}

func newUnbundle(g *globals) *command {
	o := &unbundleOptions{globals: g}
	return &command{
		name:  "unbundle",
		usage: []string{"unbundle FILE"},
		about: "Takes in what 'git context bundle' wrote elsewhere: the file is verified and checked, branches that are not here are made with the same hashes, others go forward or are merged as 'git context sync' does it. Where the same memory stands already, nothing happens.",
		exits: []int{exitDone, exitFailed, exitUsage, exitConflict, exitNotRepository},
		examples: []string{
			"unbundle memory.bundle",
		},
		globals: g,
		flags:   join(o.author.flags(), g.flags()),
		least:   1, most: 1, needs: "the name of a bundle",
		action: func(ctx context.Context, env *Env, args []string) error {
			file, err := filepath.Abs(env.path(args[0]))
			if err != nil {
				return err
			}
			r, err := o.exchange(ctx, env, func(s *refs.Store, progress io.Writer) (share.SyncResult, error) {
				return share.Unbundle(ctx, s, o.writer(env), file, progress)
			})
			return errors.Join(o.printPartly(ctx, env, r, err), err)
		},
	}
}
