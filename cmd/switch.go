package cmd

import (
	"context"

	"github.com/git-context/git-context/refs/store"
	"github.com/git-context/git-context/render"
)

func newSwitch(g *globals) *command {
	return &command{
		name:  "switch",
		usage: []string{"switch NAME"},
		about: "Makes a memory branch the current one of this worktree. Pending steps stay with the branch that they were recorded on. The code's branches, index and files are not touched.",
		exits: []int{exitDone, exitFailed, exitUsage, exitNoMemory, exitNotRepository},
		examples: []string{
			"switch main",
		},
		globals: g,
		flags:   g.flags(),
		least:   1, most: 1, needs: "the name of a branch",
		action: func(ctx context.Context, env *Env, args []string) error {
			b, err := runSwitch(ctx, env, g, args[0])
			if err != nil {
				return err
			}
			return g.show(env, b, func(p *render.Printer) {
				line(p, "Switched to memory branch '%s'", b.Name)
			})
		},
	}
}

func runSwitch(ctx context.Context, env *Env, g *globals, name string) (b store.Branch, err error) {
	s, err := g.open(ctx, env)
	if err != nil {
		return b, err
	}
	defer closing(s, &err)
	return s.Switch(ctx, name)
}
