package cmd

import (
	"context"
	"strconv"
	"strings"

	"github.com/git-context/git-context/refs/store"
	"github.com/git-context/git-context/render"
	"github.com/urfave/cli/v2"
)

type noteOptions struct {
	*globals
	author
	noteFlags
	review, file string

	phrases []string // what is noted now, one phrase each; none: the note is shown
}

func newNote(g *globals) *command {
	o := &noteOptions{globals: g}
	return &command{
		name:  "note",
		usage: []string{"note C [--score X] [--outcome O] [--tag K=V]... [--review TEXT | -F FILE]", "note C"},
		about: "Adds the result of the commit C to its git note: a score, an outcome, tags, a review. Any " +
			"number of writers may do so at once; the newest score, the newest outcome and the newest value of " +
			"each tag are valid, and all reviews. Without such a flag it shows the note. A note is not part of " +
			"the commit, whose hash does not change.",
		exits: []int{exitDone, exitFailed, exitUsage, exitNoMemory, exitNotRepository},
		examples: []string{
			"note CONTEXT_HEAD --score 0.9 --outcome success",
			"note main~2 --tag area=storage --review 'Holds under load, but see the timeout'",
			"note success/best --json",
		},
		globals: g,
		flags: join(o.noteFlags.flags(), []cli.Flag{
			text(&o.review, "--review TEXT", "what you think of it"),
			named(&o.file, "-F, --file FILE", "the review from FILE, - for standard input"),
		}, o.author.flags(), g.flags()),
		least: 1, most: 1, needs: "a commit",
		action: func(ctx context.Context, env *Env, args []string) error {
			n, err := runNote(ctx, env, o, args[0])
			if err != nil {
				return err
			}
			env.replaced(n.Replaced)
			if len(o.phrases) > 0 {
				return o.show(env, n, func(p *render.Printer) {
					line(p, "[%s %s] %s", n.Entry.Branch, n.Commit.Short(), strings.Join(o.phrases, ", "))
				})
			}
			return o.view(ctx, env, n, func(p *render.Printer) { render.NoteText(p, n) })
		},
	}
}

func runNote(ctx context.Context, env *Env, o *noteOptions, rev string) (n store.Note, err error) {
	judging, err := o.noteFlags.read()
	if err != nil {
		return n, err
	}
	if judging.Review = o.review; o.file != "" {
		if o.review != "" {
			return n, usagef("--review and -F cannot be used together")
		}
		if judging.Review, err = env.readText(o.file); err != nil {
			return n, err
		}
	}
	o.phrases = phrasesOf(judging)
	o.offline = judging.Empty()
	s, err := o.open(ctx, env)
	if err != nil {
		return n, err
	}
	defer closing(s, &err)
	if judging.Empty() {
		return s.Note(ctx, rev)
	}
	return s.AddNote(ctx, store.NoteOptions{Writer: o.writer(env), Judgement: judging, Rev: rev})
}

// phrasesOf says in words what a note is to say.
func phrasesOf(j store.Judgement) []string {
	var said []string
	if j.Score != nil {
		said = append(said, "score "+strconv.FormatFloat(*j.Score, 'g', -1, 64))
	}
	if j.Outcome != "" {
		said = append(said, j.Outcome)
	}
	for _, t := range j.Tags {
		said = append(said, t.Key+"="+t.Value)
	}
	if j.Review != "" {
		said = append(said, "review")
	}
	return said
}
