package cmd

import (
	"context"
	"strconv"

	"github.com/urfave/cli/v2"
)

type webOptions struct {
	*globals
	port   int
	noOpen bool
	export string
}

const mostPort = 65535

func newWeb(g *globals) *command {
	o := &webOptions{globals: g}
	own := []cli.Flag{
		number(&o.port, "--port N", 0, "listen on that port (0: one that is free)"),
		toggle(&o.noOpen, "--no-open", "open no browser"),
		named(&o.export, "--export FILE", "write one page to FILE (- is standard output), and serve nothing"),
	}
	return &command{
		name:  "web",
		usage: []string{"web [--port N] [--no-open]", "web --export FILE"},
		about: "Shows memory as pages in a browser: what holds now, what was tried, who works, the graph of all " +
			"branches beside the commits of the code, each commit with its steps and diffs, the brief, the trace, topics, " +
			"conflicts, and a search. Pages change as agents work. The server listens on 127.0.0.1 only, until ^C, and " +
			"answers only who has the token in the address that the first line of the output is. It changes nothing. " +
			"--export writes the same as one file that needs no server: the newest 500 commits, steps and topics, and " +
			"what it leaves out. It runs the program git-context-web, which is installed beside git-context.",
		exits:    []int{exitDone, exitFailed, exitUsage, exitNotRepository},
		examples: []string{"web", "web --port 8080 --no-open", "web --export memory.html"},
		globals:  g,
		flags:    join(own, g.common()),
		action: func(ctx context.Context, env *Env, _ []string) error {
			if o.port < 0 || o.port > mostPort {
				return usagef("--port is a number up to %d, not %d", mostPort, o.port)
			}
			var args []string
			if o.noOpen {
				args = append(args, "--no-open")
			}
			if o.export != "" {
				args = append(args, "--export", o.export)
			} else {
				args = append(args, "--port", strconv.Itoa(o.port))
			}
			return env.runBeside(ctx, "git-context-web", args...)
		},
	}
}
