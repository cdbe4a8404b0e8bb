package cmd

import (
	"context"

	"github.com/git-context/git-context/cmd/complete"
	"github.com/git-context/git-context/render"
)

func newCompletion(g *globals) *command {
	return &command{
		name:  "completion",
		usage: []string{"completion (bash | zsh | fish)"},
		about: "Prints what makes a shell complete 'git context' and 'git-context': commands, options, branches, milestones, topics and whatever else may stand where the cursor is. 'make install' puts it where the shells look. By hand, for bash: ~/.local/share/bash-completion/completions/git-context; for zsh: the file _git-context in a directory of $fpath, before compinit is run; for fish: ~/.config/fish/conf.d/git-context.fish. In bash and zsh 'git context' is completed through git's own completion. With --json: {\"shell\", \"script\"}.",
		exits: []int{exitDone, exitFailed, exitUsage},
		examples: []string{
			"completion bash > ~/.local/share/bash-completion/completions/git-context",
			"completion zsh > ~/.zfunc/_git-context",
			"completion fish > ~/.config/fish/conf.d/git-context.fish",
		},
		globals: g,
		flags:   g.flags(),
		least:   1, most: 1, needs: "a shell: bash, zsh or fish",
		action: func(_ context.Context, env *Env, args []string) error {
			script, err := complete.Script(args[0])
			if err != nil {
				return unknownShell(args[0])
			}
			value := struct {
				Shell  string `json:"shell"`
				Script string `json:"script"`
			}{args[0], string(script)}
			return g.show(env, value, func(p *render.Printer) { _, _ = p.W.Write(script) })
		},
	}
}

func unknownShell(name string) error {
	return usagef("no completion for shell '%s'", name).hint("there is one for bash, zsh and fish")
}
