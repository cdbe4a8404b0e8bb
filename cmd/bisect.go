package cmd

import (
	"context"
	"fmt"

	"github.com/git-context/git-context/refs"
	"github.com/git-context/git-context/refs/history"
	"github.com/git-context/git-context/render"
)

type bisectOptions struct{ *globals }

func newBisect(g *globals) *command {
	o := &bisectOptions{g}
	return &command{
		name: "bisect",
		usage: []string{
			"bisect start [BAD [GOOD...]]",
			"bisect (good | skip) [C...]",
			"bisect bad [C]",
			"bisect run CMD [ARG...]",
			"bisect [status]",
			"bisect (log | reset)",
		},
		about: "Finds the first commit for which a check fails. Given a bad commit and a good one, it names " +
			"the commit between them to test next, until the first bad one is found; without C a mark applies " +
			"to that commit, and before there is one to the branch's tip. 'run' tests with a command: exit " +
			"code 0 means good, 125 that the commit cannot be tested, any other below 128 bad, and 128 or more " +
			"stops, as with git bisect.",
		exits: []int{exitDone, exitFailed, exitUsage, exitNoMemory, exitNotRepository},
		examples: []string{
			"bisect start main success/best",
			"bisect run sh -c 'git context --at $GIT_CONTEXT_COMMIT topic pool | grep -q mutex'",
			"bisect run sh -c '[ $GIT_CONTEXT_CODE ] || exit 125; " +
				"cd ../worktree && git checkout -q $GIT_CONTEXT_CODE && go test ./...'",
			"bisect reset",
		},
		globals: g,
		flags:   g.flags(),
		most:    unlimited,
		program: "run",
		action: func(ctx context.Context, env *Env, args []string) error {
			verb, rest := "status", []string(nil)
			if len(args) > 0 {
				verb, rest = args[0], args[1:]
			}
			if err := checkBisect(verb, rest); err != nil {
				return err
			}
			return o.run(ctx, env, verb, rest)
		},
	}
}

// checkBisect refuses unknown words, and too many or too few of them.
func checkBisect(verb string, rest []string) error {
	form := "bisect " + verb
	switch verb {
	case "start", history.MarkGood, history.MarkSkip:
		return nil
	case history.MarkBad:
		return countWords(form, rest, 0, 1)
	case "run":
		if len(rest) == 0 {
			return usagef("'bisect run' needs a command")
		}
		return nil
	case "status", "log", "reset":
		return countWords(form, rest, 0, 0)
	}
	return unknownWord("bisect", verb,
		"start", history.MarkGood, history.MarkBad, history.MarkSkip, "run", "status", "log", "reset")
}

func (o *bisectOptions) run(ctx context.Context, env *Env, verb string, rest []string) (err error) {
	s, err := o.open(ctx, env)
	if err != nil {
		return err
	}
	defer closing(s, &err)
	var b history.Bisection
	switch verb {
	case "reset":
		return o.reset(ctx, env, s)
	case "log":
		return o.log(ctx, env, s)
	case "run":
		return o.runProgram(ctx, env, s, rest)
	case "start":
		b, err = history.BisectStart(ctx, s, first(rest), rest[min(1, len(rest)):])
	case "status":
		b, err = history.Bisect(ctx, s)
	default:
		b, err = history.BisectMark(ctx, s, verb, rest)
	}
	if err != nil {
		return err
	}
	return o.printBisect(ctx, env, b)
}

func (o *bisectOptions) printBisect(ctx context.Context, env *Env, b history.Bisection) error {
	env.warnAll(b.Warnings)
	return o.view(ctx, env, b, func(p *render.Printer) { render.BisectText(p, b) })
}

func (o *bisectOptions) reset(ctx context.Context, env *Env, s *refs.Store) error {
	branch, was, err := history.BisectReset(ctx, s)
	if err != nil {
		return err
	}
	value := struct {
		Branch string `json:"branch"`
		Reset  bool   `json:"reset"` // false where no bisect was under way
	}{branch, was}
	return o.show(env, value, func(p *render.Printer) {
		if was {
			line(p, "Forgot the bisect of '%s'", branch)
		} else {
			line(p, "No bisect was in progress on '%s'", branch)
		}
	})
}

// log prints the marks of the bisect as commands that repeat them.
func (o *bisectOptions) log(ctx context.Context, env *Env, s *refs.Store) error {
	list, err := history.BisectLog(ctx, s)
	if err != nil {
		return err
	}
	value := struct {
		Log []history.BisectEntry `json:"log"`
	}{list}
	return o.view(ctx, env, value, func(p *render.Printer) {
		line(p, "%s bisect start", self)
		for _, e := range list {
			line(p, "# %s: [%s] %s", e.Mark, e.Commit.Short(), e.Summary)
			line(p, "%s", fmt.Sprintf("%s bisect %s %s", self, e.Mark, e.Commit))
		}
	})
}
