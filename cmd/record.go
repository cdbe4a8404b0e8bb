package cmd

import (
	"context"

	"github.com/urfave/cli/v2"

	"github.com/git-context/git-context/refs/store"
	"github.com/git-context/git-context/render"
)

type recordOptions struct {
	*globals
	author
	observation, thought, action string
	time                         string
	stdin                        bool
}

func newRecord(g *globals) *command {
	o := &recordOptions{globals: g}
	own := []cli.Flag{
		text(&o.observation, "-o, --observation TEXT", "what was seen"),
		text(&o.thought, "-t, --thought TEXT", "what it was taken to mean"),
		text(&o.action, "-a, --action TEXT", "what was done"),
		named(&o.time, "--time T", "when, as 2026-11-21T01:37:05Z or @SECONDS (now)"),
		toggle(&o.stdin, "--stdin", "read steps as JSON lines from standard input"),
		o.meter(),
	}
	return &command{
		name: "record",
		usage: []string{
			"record [-o TEXT] [-t TEXT] [-a TEXT] [--time T]",
			"record --stdin",
		},
		about: "Appends one Observation-Thought-Action step, of which at least one is given, to the branch's trace. The step is safe once the command has answered; the next commit takes it into git. With --stdin, each line is an object with any of observation, thought, action, time, agent, session, model, tokens, id, and is answered by a line {\"id\",\"step\",\"branch\"} as soon as it is safe; a session's id that is recorded already is answered and not repeated.",
		exits: []int{exitDone, exitFailed, exitUsage, exitNoMemory, exitNotRepository},
		examples: []string{
			"record -o '500 on /users' -t 'the pool is not ready' -a 'go test ./store'",
			"record --stdin --session 7f3a2c <steps.jsonl",
		},
		globals: g,
		flags:   join(own, o.author.flags(), g.flags()),
		action: func(ctx context.Context, env *Env, _ []string) error {
			if o.stdin {
				return recordLines(ctx, env, o)
			}
			r, err := runRecord(ctx, env, o)
			if err != nil {
				return err
			}
			env.replaced(r.Replaced)
			return o.show(env, r, func(p *render.Printer) {
				line(p, "[%s] step %d, id %s", r.Branch, r.Step, r.ID)
			})
		},
	}
}

func runRecord(ctx context.Context, env *Env, o *recordOptions) (r store.Recorded, err error) {
	if o.observation == "" && o.thought == "" && o.action == "" {
		return r, usagef("nothing to record").
			hint("give at least one of -o OBSERVATION, -t THOUGHT and -a ACTION")
	}
	at, ok := parseTime(o.time)
	if !ok {
		return r, usagef("'%s' is not a time", o.time).hint("write it as 2026-11-21T01:37:05Z or @1795225025")
	}
	s, err := o.open(ctx, env)
	if err != nil {
		return r, err
	}
	defer closing(s, &err)
	w := o.writer(env)
	steps, err := s.Record(ctx, []store.NewStep{{
		Observation: o.observation, Thought: o.thought, Action: o.action,
		Time: at, Agent: w.Agent, Session: w.Session, Model: w.Model, Tokens: w.Tokens,
	}})
	if err != nil {
		return r, err
	}
	return steps[0], nil
}
