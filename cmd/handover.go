package cmd

import (
	"bytes"
	"context"
	"fmt"

	"github.com/git-context/git-context/refs"
	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/history"
	"github.com/git-context/git-context/refs/store"
	"github.com/git-context/git-context/render"
	"github.com/urfave/cli/v2"
)

type handoverOptions struct {
	*globals
	author
	message
	brief bool
}

// handover is what a successor gets.
type handover struct {
	Commit  *git.ID        `json:"commit"`  // that this call made; nil: nothing was to be committed
	Missing []string       `json:"missing"` // each with the command that adds it
	Brief   string         `json:"brief"`
	Budget  *render.Budget `json:"budget"` // of the brief; nil without a limit
}

// trailSteps is how many of the newest steps are searched for the last run of tests.
const trailSteps = 20

func newHandover(g *globals) *command {
	o := &handoverOptions{globals: g}
	return &command{
		name:  "handover",
		usage: []string{"handover [-m SUMMARY [-m CONTRIBUTION]...] [-F FILE] [--brief]"},
		about: "Ends a session: commits the steps that are pending, lists what a successor would miss or trip " +
			"over, each with the command for it, and prints the brief as the successor will see it. Where the " +
			"output is no terminal and --brief is not given, it prints only the size of the brief and what had no " +
			"room in it. Without a message and without pending steps it makes no commit.",
		exits: []int{exitDone, exitFailed, exitUsage, exitNoMemory, exitNotRepository},
		examples: []string{
			"handover -m 'The lexer is done' -m 'The parser reads all but strings; see lexer.go'",
		},
		extra:   "did you mean -m '%s'?",
		globals: g,
		flags: join(o.message.flags(), []cli.Flag{
			toggle(&o.brief, "--brief", "print the brief also where the output is no terminal"),
		}, o.author.flags(), g.flags()),
		action: func(ctx context.Context, env *Env, _ []string) error {
			h, err := runHandover(ctx, env, o)
			if err != nil {
				return err
			}
			return o.show(env, h, func(p *render.Printer) { printHandover(p, h, o.brief || env.Term.Out) })
		},
	}
}

func runHandover(ctx context.Context, env *Env, o *handoverOptions) (h handover, err error) {
	summary, contribution, err := o.message.read(env)
	if err != nil {
		return h, err
	}
	s, err := o.open(ctx, env)
	if err != nil {
		return h, err
	}
	defer closing(s, &err)
	if h.Commit, err = o.commit(ctx, env, s, summary, contribution); err != nil {
		return h, err
	}
	limit, wait, err := briefSettings(ctx, s, unset)
	if err != nil {
		return h, err
	}
	v, err := render.NewSnapshot(ctx, s, render.Where{Branch: o.branch},
		render.SnapshotOptions{Newest: defaultNewest, Titles: defaultTitles, Branches: listedText, CodeWait: wait})
	if err != nil {
		return h, err
	}
	tip, err := s.Tip(ctx, v.Branch)
	if err != nil {
		return h, err
	}
	steps, _, err := history.Steps(ctx, s, tip, 0, trailSteps)
	if err != nil {
		return h, err
	}
	if v.Limit(limit); v.Budget != nil {
		v.Measure(env.Now(), self)
	}
	var b bytes.Buffer
	v.Text(&render.Printer{W: &b, Now: env.Now(), Self: self})
	h.Missing, h.Brief, h.Budget = v.Missing(steps, self), b.String(), v.Budget
	return h, nil
}

// commit makes a commit of what is pending, or of the message alone; nil if there is neither.
func (o *handoverOptions) commit(ctx context.Context, env *Env, s *refs.Store, summary, contribution string) (*git.ID, error) {
	if summary == "" {
		tip, err := s.Tip(ctx, o.branch)
		if err != nil {
			return nil, err
		}
		p, err := s.Pending(ctx, tip)
		if err != nil || len(p.Lines) == 0 {
			return nil, err
		}
		summary = "Hand over " + count(len(p.Lines), "step", "steps")
		env.hint("a summary says more: git context handover -m SUMMARY -m CONTRIBUTION")
	}
	r, err := s.Commit(ctx, store.CommitOptions{Writer: o.writer(env), Branch: o.branch, Summary: summary, Contribution: contribution})
	if err != nil {
		return nil, err
	}
	env.replaced(r.Replaced)
	env.warnAll(r.Warnings)
	return &r.Commit, nil
}

func printHandover(p *render.Printer, h handover, whole bool) {
	if h.Commit != nil {
		line(p, "commit %s", h.Commit.Short())
	}
	if len(h.Missing) > 0 {
		line(p, "a successor would miss or trip over:")
	}
	for _, m := range h.Missing {
		line(p, "  %s", m)
	}
	if !whole {
		printBudget(p, h)
		return
	}
	if h.Commit != nil || len(h.Missing) > 0 {
		line(p, "")
	}
	_, _ = fmt.Fprint(p.W, h.Brief) // a printer writes to memory, which does not fail
}

// mostCut bounds the texts that handover names because the brief has no room for them.
const mostCut = 5

// printBudget prints the size of the brief and what it leaves out.
func printBudget(p *render.Printer, h handover) {
	if h.Budget == nil {
		line(p, "the brief has %s: %s", count(len(h.Brief), "byte", "bytes"), self)
		return
	}
	cut := h.Budget.Cut
	size := fmt.Sprintf("the brief has %d of at most %d bytes", h.Budget.Bytes, h.Budget.Tokens*render.BytesPerToken)
	if len(cut) == 0 {
		line(p, "%s and leaves nothing out: %s", size, self)
		return
	}
	line(p, "%s and leaves out:", size)
	for _, c := range cut[:min(len(cut), mostCut)] {
		line(p, "  %s, %s: %s", c.What, count(c.Missing, "byte", "bytes"), c.Command)
	}
	if more := len(cut) - mostCut; more > 0 {
		line(p, "  and %d more: %s", more, self)
	}
}
