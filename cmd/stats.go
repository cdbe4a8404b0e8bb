package cmd

import (
	"context"

	"github.com/git-context/git-context/refs/history"
	"github.com/git-context/git-context/render"
	"github.com/urfave/cli/v2"
)

type statsOptions struct {
	*globals
	days int
}

// listedDays is the number of days that the text shows.
const listedDays = 14

func newStats(g *globals) *command {
	o := &statsOptions{globals: g}
	g.offline = true
	own := []cli.Flag{
		number(&o.days, "--days N", listedDays, "show the newest N days on which anything was recorded (14)"),
	}
	return &command{
		name:  "stats",
		usage: []string{"stats [-b NAME] [--days N]"},
		about: "Counts the memory of all branches, or of one: commits, steps, topics, tokens, bytes, by agent " +
			"and by day in UTC. What several branches contain counts once. 'stored' is the space on the disk, " +
			"history and notes included. The command reads all text once: about a second for a hundred thousand " +
			"steps.",
		exits: []int{exitDone, exitFailed, exitUsage, exitNoMemory, exitNotRepository},
		examples: []string{
			"stats",
			"stats -b try-mutex --json",
		},
		globals: g,
		flags:   join(own, g.flags()),
		action: func(ctx context.Context, env *Env, _ []string) error {
			v, err := runStats(ctx, env, o)
			if err != nil {
				return err
			}
			return o.view(ctx, env, v, func(p *render.Printer) { render.StatsText(p, v, o.days) })
		},
	}
}

func runStats(ctx context.Context, env *Env, o *statsOptions) (v history.Statistics, err error) {
	s, err := o.open(ctx, env)
	if err != nil {
		return v, err
	}
	defer closing(s, &err)
	return history.Stats(ctx, s, o.branch)
}
