package cmd

import (
	"bytes"
	"context"
	"fmt"

	"github.com/git-context/git-context/refs"
	"github.com/git-context/git-context/refs/code"
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
	brief, changes bool
}

// handover is what a successor gets.
type handover struct {
	Commit  *git.ID        `json:"commit"`  // that this call made; nil: nothing was to be committed
	Work    *code.Work     `json:"work"`    // the uncommitted code that goes along; nil: none
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
		usage: []string{"handover [-m SUMMARY [-m CONTRIBUTION]...] [-F FILE] [--with-changes] [--brief]"},
		about: "Ends a session: commits the steps that are pending, lists what is missing for a " +
			"successor, each with the command for it, and prints the brief as the successor will see it. If the " +
			"output is not a terminal and --brief is not given, it prints only the size of the brief and what had no " +
			"room in it. Without a message and without pending steps it makes no commit. With --with-changes it " +
			"always makes one, and hands over the code that is not committed, untracked files too: the next sync " +
			"shares it, and 'git context switch --take-changes' applies it elsewhere.",
		exits: []int{exitDone, exitFailed, exitUsage, exitNoMemory, exitNotRepository},
		examples: []string{
			"handover -m 'The lexer is done' -m 'The parser reads all but strings; see lexer.go'",
			"handover --with-changes",
		},
		extra:   "did you mean -m '%s'?",
		globals: g,
		flags: join(o.message.flags(), []cli.Flag{
			toggle(&o.changes, "--with-changes", "hand over the code that is not committed, too"),
			toggle(&o.brief, "--brief", "print the brief even if the output is not a terminal"),
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
	if o.changes {
		if _, err = s.Tip(ctx, o.branch); err != nil {
			return h, err
		}
		if h.Work, err = code.SaveWork(ctx, s); err != nil {
			return h, err
		}
	}
	if h.Commit, err = o.commit(ctx, env, s, store.CommitOptions{Summary: summary, Contribution: contribution}, h.Work); err != nil {
		return h, err
	}
	ask, err := BriefOptions(ctx, s, DefaultBudget)
	if err != nil {
		return h, err
	}
	limit := ask.Budget
	ask.Budget = 0 // all topics are looked at for what is missing
	v, err := render.NewSnapshot(ctx, s, render.Where{Branch: o.branch}, ask)
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
	h.Missing, h.Brief, h.Budget = v.Missing(steps, o.changes, h.Work, self), b.String(), v.Budget
	return h, nil
}

// commit makes a commit of what is pending, of the message alone, or of uncommitted code; nil if there is
// none of them.
func (o *handoverOptions) commit(ctx context.Context, env *Env, s *refs.Store, c store.CommitOptions, work *code.Work) (*git.ID, error) {
	if work != nil {
		c.Work = work.Commit
	}
	if c.Summary == "" {
		tip, err := s.Tip(ctx, o.branch)
		if err != nil {
			return nil, err
		}
		p, err := s.Pending(ctx, tip)
		switch {
		case err != nil:
			return nil, err
		case len(p.Lines) > 0:
			c.Summary = "Hand over " + count(len(p.Lines), "step", "steps")
		case o.changes:
			c.Summary = "Hand over the code"
		default:
			return nil, nil
		}
		env.hint("a summary says more: git context handover -m SUMMARY -m CONTRIBUTION")
	}
	c.Writer, c.Branch = o.writer(env), o.branch
	r, err := s.Commit(ctx, c)
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
	if w := h.Work; w != nil {
		line(p, "%s, %s handed over; the next sync shares them, and everyone who can read the memory can read them",
			count(w.Files, "file", "files"), count(int(w.Bytes), "byte", "bytes"))
	}
	if len(h.Missing) > 0 {
		line(p, "missing for a successor:")
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
