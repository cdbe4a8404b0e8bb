package cmd

import (
	"context"
	"fmt"
	"regexp"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/git-context/git-context/cmd/child"
	"github.com/git-context/git-context/hooks/agent"
	"github.com/git-context/git-context/hooks/capture"
	"github.com/git-context/git-context/refs/prose"
	"github.com/git-context/git-context/refs/store"
	"github.com/git-context/git-context/render"
)

type execOptions struct {
	*globals
	author
	thought string
}

func newExec(g *globals) *command {
	o := &execOptions{globals: g}
	own := []cli.Flag{
		text(&o.thought, "-t, --thought TEXT", "why the command is run"),
		o.meter(),
	}
	return &command{
		name:  "exec",
		usage: []string{"exec [-t TEXT] [--] CMD [ARG...]"},
		about: "Runs a command and records it as one step: its command line, its output and its exit code. " +
			"The command has our streams, our terminal and our signals, and its exit code is ours; of an " +
			"output of more than 2 KiB the beginning and the end are recorded. Without memory to record in, " +
			"the command does not run; if recording fails afterwards, that is a warning. With --json, the " +
			"step is the last line of standard error.",
		exits: []int{exitDone, exitFailed, exitUsage, exitNoMemory, exitNotRepository},
		examples: []string{
			"exec -t 'does the pool fill?' -- go test ./store",
			"exec -- sh -c 'make 2>&1 | tail -20'",
		},
		globals: g,
		flags:   join(own, o.author.flags(), g.flags()),
		least:   1, most: unlimited, needs: "a command",
		program: "exec",
		action: func(ctx context.Context, env *Env, args []string) error {
			return runExec(ctx, env, o, args)
		},
	}
}

// execPlan is what is known before the command runs.
type execPlan struct {
	branch string
	clean  func(text string) string // replaces secrets
	skip   bool                     // a pattern of what is not recorded names the command
}

// execResult is what --json prints.
type execResult struct {
	store.Recorded
	Exit int `json:"exit"`
}

// runExec runs a command and records it. The error carries the command's exit code.
func runExec(ctx context.Context, env *Env, o *execOptions, argv []string) error {
	plan, err := o.plan(ctx, env, argv)
	if err != nil {
		return err
	}
	keep := &child.Keep{Clean: func(text string) string {
		if env.Term.Out || env.Term.Err {
			text = unstyled(text)
		}
		return plan.clean(text)
	}}
	status, failed := child.Run(child.Program{
		Argv: argv, Dir: env.Dir, Env: env.Environ, In: env.In, Out: env.Out, Err: env.Err,
		TermIn: env.Term.In, TermOut: env.Term.Out, TermErr: env.Term.Err, Keep: keep,
	})
	if failed != nil {
		failed = fmt.Errorf("cannot run '%s': %v", argv[0], failed) // its kind has hints about memory
	}
	if plan.skip {
		env.noteAll([]string{"the command is not recorded: a pattern in " + capture.IgnoreFile + " names it"})
	} else if err := o.keep(ctx, env, plan, argv, status, keep.Text(), failed); err != nil {
		env.say("warning: ", fmt.Sprintf("the command is not recorded: %v", err))
	}
	switch {
	case failed != nil:
		return &programError{status.Code, failed}
	case status.Code != exitDone:
		return &programError{status.Code, errEnded}
	}
	return nil
}

// plan finds out where to record before the command runs: a script that is to leave a record
// must not go on without. The store is closed again, because the command may run for hours.
func (o *execOptions) plan(ctx context.Context, env *Env, argv []string) (p execPlan, err error) {
	s, err := o.open(ctx, env)
	if err != nil {
		return p, err
	}
	defer closing(s, &err)
	tip, err := s.Tip(ctx, "")
	if err != nil {
		return p, err
	}
	p.branch = tip.Name()
	rules, err := s.Redaction(ctx)
	if err != nil {
		return p, err
	}
	p.clean = func(text string) string {
		text, _ = rules.Text(text)
		return text
	}
	p.skip, err = capture.Ignores(s.Repo(), strings.Join(argv, " "))
	return p, err
}

// keep records the step on the branch on which the command began.
func (o *execOptions) keep(
	ctx context.Context, env *Env, p execPlan, argv []string, status child.Status, output string, failed error,
) (err error) {
	on := *o.globals
	on.branch = p.branch
	s, err := on.open(ctx, env)
	if err != nil {
		return err
	}
	defer closing(s, &err)
	words := make([]string, len(argv))
	for i, word := range argv {
		words[i] = prose.ShellWord(word)
	}
	observation := status.String()
	if failed != nil {
		observation += "\n" + failed.Error()
	}
	if output != "" {
		observation += "\n" + output
	}
	w := o.writer(env)
	steps, err := s.Record(ctx, []store.NewStep{{
		Observation: observation, Thought: o.thought, Action: agent.Cut(p.clean(strings.Join(words, " ")), agent.MaxField),
		Agent: w.Agent, Session: w.Session, Model: w.Model, Tokens: w.Tokens,
	}})
	if err != nil || !o.json {
		return err
	}
	return render.WriteJSON(env.Err, execResult{steps[0], status.Code})
}

// unstyled is what a terminal shows as text: without colours and other sequences, and with the
// line ends of files.
func unstyled(text string) string {
	sequence := regexp.MustCompile(`\x1b(\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(\x07|\x1b\\)|[ -/]*[0-~])`)
	return strings.ReplaceAll(sequence.ReplaceAllString(text, ""), "\r\n", "\n")
}
