package cmd

import (
	"context"
	"strings"

	"github.com/git-context/git-context/refs/search"
	"github.com/git-context/git-context/refs/search/across"
	"github.com/git-context/git-context/render"
	"github.com/urfave/cli/v2"
)

type recallOptions struct {
	*globals
	file          string
	minSimilarity string
	limit         int
	strict        bool
	across        acrossFlags
}

func newRecall(g *globals) *command {
	o := &recallOptions{globals: g}
	g.offline = true
	own := []cli.Flag{
		named(&o.file, "-F, --file FILE", "read the text from FILE (- is standard input)"),
		named(&o.minSimilarity, "--min-similarity X", "show what is at least so near, from 0 to 1 (0.8)"),
		number(&o.limit, "-n, --limit N", search.DefaultRecallLimit, "show the nearest N (3)"),
		toggle(&o.strict, "--strict", "print nothing, instead of related hits, if nothing is so near"),
	}
	return &command{
		name: "recall",
		usage: []string{
			"recall TEXT... [-b NAME | --repo DIR... | --all-repos] [--min-similarity X] [-n N] [--strict]",
			"recall -F FILE [-b NAME | --repo DIR... | --all-repos] [--min-similarity X] [-n N] [--strict]",
		},
		about: "Says whether the problem that TEXT describes (- is standard input) was met before, on any branch: " +
			"the commits, steps and topics about the same problem, with their outcome and the command that shows " +
			"them. A case counts if it is nearly the same text, in the same words or reworded; in a title, one " +
			"different word means another problem. If there is none, at most three hits of a search for the words of " +
			"TEXT follow, labelled 'related'; --strict prints nothing instead. " +
			"A lower --min-similarity also shows similar cases, labelled as such. One or two words do not describe " +
			"a problem. Pending steps, and topics that another one supersedes, are not past cases. If memory " +
			"contains no word of TEXT, nothing is printed and the exit code is 0.",
		exits: []int{exitDone, exitFailed, exitUsage, exitNoMemory, exitNotRepository},
		examples: []string{
			"recall 'TestShutdown leaks goroutines, the pool waits for idle connections'",
			"recall -F issue.md --json",
			"recall -b main --min-similarity 0.6 'deadlock in transfer()'",
		},
		globals: g,
		flags:   join(own, o.across.flags(), g.flags()),
		most:    unlimited,
		action: func(ctx context.Context, env *Env, args []string) error {
			if o.across.given() {
				return o.runAcross(ctx, env, args)
			}
			r, err := runRecall(ctx, env, o, args)
			if err != nil {
				return err
			}
			return o.view(ctx, env, r, func(p *render.Printer) { render.RecallText(p, r.Hits) })
		},
	}
}

func runRecall(ctx context.Context, env *Env, o *recallOptions, args []string) (r search.Result, err error) {
	ro, err := o.recall(env, args)
	if err != nil {
		return r, err
	}
	s, err := o.open(ctx, env)
	if err != nil {
		return r, err
	}
	defer closing(s, &err)
	return search.Recall(ctx, s, ro)
}

// recall returns the options of the recall.
func (o *recallOptions) recall(env *Env, args []string) (ro search.RecallOptions, err error) {
	least, err := readScore("--min-similarity", o.minSimilarity)
	if err != nil {
		return ro, err
	}
	if o.limit == 0 {
		return ro, usagef("flag '-n' needs a number from 1")
	}
	problem, err := o.text(env, args)
	return search.RecallOptions{Text: problem, Branch: o.branch, MinSimilarity: least,
		Limit: o.limit, Strict: o.strict}, err
}

// runAcross asks several repositories.
func (o *recallOptions) runAcross(ctx context.Context, env *Env, args []string) error {
	ro, err := o.recall(env, args)
	if err != nil {
		return err
	}
	if ro.Weights, err = env.weights(ctx); err != nil {
		return err
	}
	r, err := o.across.search(ctx, env, o.globals, func(repos []*across.Repository) (across.Result, error) {
		return across.Recall(ctx, repos, ro)
	})
	if err != nil {
		return err
	}
	return o.view(ctx, env, r, func(p *render.Printer) { render.RecallAcrossText(p, r.Hits) })
}

// text returns the problem, from the arguments, a file or standard input.
func (o *recallOptions) text(env *Env, args []string) (string, error) {
	switch {
	case o.file != "" && len(args) > 0:
		return "", usagef("unexpected argument '%s'", args[0]).hint("the text comes from '%s'", o.file)
	case o.file != "":
		return env.readText(o.file)
	case len(args) == 0:
		return "", usagef("'recall' needs the description of a problem").hint("git context recall 'what fails, where, with which error'")
	case len(args) == 1 && args[0] == "-":
		return env.readText("-")
	}
	return strings.Join(args, " "), nil
}
