package cmd

import (
	"context"
	"fmt"
	"strings"

	"github.com/git-context/git-context/hooks/settings"
	"github.com/git-context/git-context/render"
	"github.com/urfave/cli/v2"
)

type instructionsOptions struct {
	*globals
	skill bool
}

func newInstructions(g *globals) *command {
	o := &instructionsOptions{globals: g}
	return &command{
		name:  "instructions",
		usage: []string{"instructions [AGENT] [--skill]"},
		about: "Prints what an agent has to know of memory: what to run at the start, while it works and before it " +
			"leaves. 'git context hooks install AGENT' keeps this text in AGENTS.md; for another agent, put it where that " +
			"reads its instructions. With AGENT (" + agentNames("or") + ") it is followed by the files of the project from " +
			"which that agent reads it. --skill prints the longer text, a skill in the format of agentskills.io.",
		exits: []int{exitDone, exitFailed, exitUsage},
		examples: []string{
			"instructions",
			"instructions claude-code",
			"instructions --skill > .agents/skills/git-context/SKILL.md",
		},
		globals: g,
		flags: join([]cli.Flag{
			toggle(&o.skill, "--skill", "print the skill"),
		}, g.common()),
		most: 1, extra: "git context instructions %s",
		action: func(_ context.Context, env *Env, args []string) error {
			r, err := o.run(args)
			if err != nil {
				return err
			}
			return o.show(env, r, func(p *render.Printer) { _, _ = p.W.Write([]byte(r.Text + r.whence)) })
		},
	}
}

// instructionsResult is a text for agents and, for one agent, where it reads that.
type instructionsResult struct {
	Agent string   `json:"agent,omitempty"`
	Text  string   `json:"text"`
	Reads []string `json:"reads,omitempty"` // files of the project

	whence string // Reads for people
}

func (o *instructionsOptions) run(args []string) (r instructionsResult, err error) {
	r.Text = settings.Instructions()
	if o.skill {
		r.Text = settings.Skill()
	}
	if len(args) == 0 {
		return r, nil
	}
	c, known := settings.Find(args[0])
	if !known {
		err := usagef("unknown agent '%s'", args[0])
		if near := nearest(args[0], settings.Names()); near != "" {
			return r, err.hint("git context instructions %s", near)
		}
		return r, err.hint("one of %s", strings.Join(settings.Names(), ", "))
	}
	r.Agent, r.Reads = c.Name, c.Reads()
	if !o.skill {
		r.whence = whence(c)
	}
	return r, nil
}

// whence says from which files a client reads the instructions.
func whence(c settings.Client) string {
	text := fmt.Sprintf("\n%s reads this from:\n", c.Title)
	for _, path := range c.Reads() {
		text += "- " + path
		if path == c.Imports() {
			text += ", by its line '" + settings.ImportLine + "'"
		}
		text += "\n"
	}
	return text
}
