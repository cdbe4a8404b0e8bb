package cmd

import (
	"context"

	"github.com/git-context/git-context/refs/history"
	"github.com/git-context/git-context/render"
)

func newBlame(g *globals) *command {
	g.offline = true
	return &command{
		name:  "blame",
		usage: []string{"blame KEY [REV]"},
		about: "Shows who wrote each line of a topic, and when: the memory commit that added it, its agent " +
			"and day, and the first COMMIT that contains it, or '-' if there is none yet. With REV it shows " +
			"the topic as it was there, even if it was forgotten since. A line that came by a merge keeps its " +
			"author. KEY may also be metadata.yaml, or main.md for the roadmap, which no COMMIT contains. With " +
			"--json: {\"key\", \"branch\", \"lines\": [{\"line\", \"text\", \"agent\", \"time\", \"commit\", \"milestone\": " +
			"{\"id\", \"commit\", \"summary\"}}]}; milestone is null if there is none yet.",
		exits: []int{exitDone, exitFailed, exitUsage, exitNoMemory, exitNotRepository},
		examples: []string{
			"blame db-pool",
			"blame db-pool main~5",
		},
		globals: g,
		flags:   g.flags(),
		least:   1, most: 2, needs: "a topic's key",
		action: func(ctx context.Context, env *Env, args []string) error {
			b, err := runBlame(ctx, env, g, args)
			if err != nil {
				return err
			}
			env.warnAll(b.Warnings)
			return g.view(ctx, env, b, func(p *render.Printer) { render.BlameText(p, b) })
		},
	}
}

func runBlame(ctx context.Context, env *Env, g *globals, args []string) (b history.TopicBlame, err error) {
	s, err := g.open(ctx, env)
	if err != nil {
		return b, err
	}
	defer closing(s, &err)
	return history.Blame(ctx, s, topicKey(args[0]), first(args[1:]))
}
