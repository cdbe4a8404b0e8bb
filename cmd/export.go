package cmd

import (
	"context"

	"github.com/git-context/git-context/refs/folder"
	"github.com/git-context/git-context/render"
	"github.com/urfave/cli/v2"
)

type exportOptions struct {
	*globals
	as string
}

func newExport(g *globals) *command {
	o := &exportOptions{globals: g}
	own := []cli.Flag{
		named(&o.as, "--as DIALECT", "whose folder it is: contexa (default) or gcc-memory"),
	}
	return &command{
		name:  "export",
		usage: []string{"export DIR [--as contexa|gcc-memory]"},
		about: "Writes the memory to a folder in DIR that another implementation reads: .GCC as the " +
			"multi-language library contexa keeps it, or .gcc as the command line gcc-memory does. It contains " +
			"all local branches, with their pending steps, and the roadmap. A folder of that name is never " +
			"overwritten. '/' in a branch name becomes '--'. A warning counts what that implementation cannot " +
			"represent exactly; topics are left out. Importing the folder here again adds nothing.",
		exits: []int{exitDone, exitFailed, exitUsage, exitNoMemory, exitNotRepository},
		examples: []string{
			"export ../other-project",
			"export /tmp/handover --as gcc-memory",
		},
		globals: g,
		flags:   join(own, g.flags()),
		least:   1,
		most:    1,
		needs:   "a folder",
		action: func(ctx context.Context, env *Env, args []string) error {
			r, err := runExport(ctx, env, o, args[0])
			if err != nil {
				return err
			}
			env.warnAll(r.Warnings)
			return o.show(env, r, func(p *render.Printer) {
				line(p, "Exported %s, %s and %s to '%s'", count(r.Branches, "branch", "branches"),
					count(r.Commits, "commit", "commits"), count(r.Steps, "step", "steps"), r.Folder)
			})
		},
	}
}

func runExport(ctx context.Context, env *Env, o *exportOptions, dir string) (r folder.Result, err error) {
	s, err := o.open(ctx, env)
	if err != nil {
		return r, err
	}
	defer closing(s, &err)
	return folder.Export(ctx, s, folder.ExportOptions{Dir: env.path(dir), As: o.as})
}
