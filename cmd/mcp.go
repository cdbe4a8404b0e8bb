package cmd

import "context"

const mcpProgram = "git-context-mcp"

func newMCP(g *globals) *command {
	return &command{
		name:  "mcp",
		usage: []string{"mcp"},
		about: "Serves memory to coding agents by the Model Context Protocol, on standard input and output, until the " +
			"input ends: the tools context, record, commit, remember, recall, branch and merge, the brief and " +
			"topics. A client of agents starts it. It runs the program git-context-mcp, which is installed beside " +
			"git-context.",
		exits:    []int{exitDone, exitFailed, exitUsage},
		examples: []string{"mcp"},
		globals:  g,
		flags:    g.common(),
		action:   func(ctx context.Context, env *Env, _ []string) error { return env.runBeside(ctx, mcpProgram) },
	}
}
