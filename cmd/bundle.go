package cmd

import (
	"context"
	"path/filepath"

	"github.com/git-context/git-context/refs/share"
	"github.com/git-context/git-context/render"
	"github.com/urfave/cli/v2"
)

type bundleOptions struct {
	*globals
	author
	since string
}

func newBundle(g *globals) *command {
	o := &bundleOptions{globals: g}
	own := []cli.Flag{
		named(&o.since, "--since OLD", "leave out what the former bundle OLD holds"),
	}
	return &command{
		name:  "bundle",
		usage: []string{"bundle FILE [--since OLD]"},
		about: "Writes all memory (branches, tags, roadmap and notes) into one file, for a hand-over without a network: 'git context unbundle' makes the same of it elsewhere, hash by hash. It is a git bundle, which 'git bundle verify' checks. A file of that name is replaced.",
		exits: []int{exitDone, exitFailed, exitUsage, exitNoMemory, exitNotRepository},
		examples: []string{
			"bundle memory.bundle",
			"bundle tuesday.bundle --since monday.bundle",
		},
		globals: g,
		flags:   join(own, o.author.flags(), g.flags()),
		least:   1, most: 1, needs: "the name of the file to write",
		action: func(ctx context.Context, env *Env, args []string) error {
			r, err := runBundle(ctx, env, o, args[0])
			if err != nil {
				return err
			}
			return o.show(env, r, func(p *render.Printer) {
				line(p, "Wrote '%s': %s", r.File, render.RefNames(r.Refs))
			})
		},
	}
}

func runBundle(ctx context.Context, env *Env, o *bundleOptions, file string) (r share.Bundled, err error) {
	opts := share.BundleOptions{Writer: o.writer(env), Progress: env.progress(o.json)}
	if opts.File, err = filepath.Abs(env.path(file)); err != nil {
		return r, err
	}
	if o.since != "" {
		if opts.Since, err = filepath.Abs(env.path(o.since)); err != nil {
			return r, err
		}
	}
	s, err := o.open(ctx, env)
	if err != nil {
		return r, err
	}
	defer closing(s, &err)
	return share.Bundle(ctx, s, opts)
}
