package cmd

import (
	"context"
	"errors"
	"io"
	"path/filepath"

	"github.com/git-context/git-context/refs"
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
		named(&o.since, "--since OLD", "leave out what the former bundle OLD contains"),
	}
	return &command{
		name:  "bundle",
		usage: []string{"bundle FILE [--since OLD]"},
		about: "Writes all memory (branches, tags, roadmap and notes) into one file, for a hand-over " +
			"without a network: 'git context unbundle' restores it elsewhere, with the same hashes. It is a " +
			"git bundle, which 'git bundle verify' checks. It replaces an older bundle of that name, but no " +
			"other file.",
		exits: []int{exitDone, exitFailed, exitUsage, exitNoMemory, exitNotRepository},
		examples: []string{
			"bundle memory.bundle",
			"bundle tuesday.bundle --since monday.bundle",
		},
		globals: g,
		flags:   join(own, o.author.flags(), g.common()),
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

func runBundle(ctx context.Context, env *Env, o *bundleOptions, file string) (r share.BundleResult, err error) {
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

type unbundleOptions struct {
	*globals
	author
}

func newUnbundle(g *globals) *command {
	o := &unbundleOptions{globals: g}
	return &command{
		name:  "unbundle",
		usage: []string{"unbundle FILE"},
		about: "Imports a file that 'git context bundle' wrote: it checks the file, creates branches that " +
			"do not exist here with the same hashes, and updates or merges the others as 'git context sync' " +
			"does. If the same memory exists already, nothing changes.",
		exits: []int{exitDone, exitFailed, exitUsage, exitConflict, exitNotRepository},
		examples: []string{
			"unbundle memory.bundle",
		},
		globals: g,
		flags:   join(o.author.flags(), g.common()),
		least:   1, most: 1, needs: "the name of a bundle",
		action: func(ctx context.Context, env *Env, args []string) error {
			file, err := filepath.Abs(env.path(args[0]))
			if err != nil {
				return err
			}
			r, err := o.exchange(ctx, env, func(s *refs.Store, progress io.Writer) (share.Result, error) {
				return share.Unbundle(ctx, s, o.writer(env), file, progress)
			})
			return errors.Join(o.printPartly(ctx, env, r, err, false), err)
		},
	}
}
