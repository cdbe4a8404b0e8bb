package cmd

import (
	"context"
	"fmt"
	"strings"

	"github.com/git-context/git-context/refs"
	"github.com/git-context/git-context/refs/store"
	"github.com/git-context/git-context/refs/undo"
	"github.com/git-context/git-context/render"
	"github.com/urfave/cli/v2"
)

type commitOptions struct {
	*globals
	author
	message
	noteFlags
	signFlags
	progress           string
	done, todo, decide cli.StringSlice
	code, all, amend   bool
	hints              []string // that follow the result
}

// COMMIT prints a hint after reviseAfter commits without a revision of the roadmap, and at each
// reviseEvery-th commit from then on.
const (
	reviseAfter = 5
	reviseEvery = 10
)

func newCommit(g *globals) *command {
	o := &commitOptions{globals: g}
	own := []cli.Flag{
		text(&o.progress, "--progress TEXT", "the progress summary, instead of the one made from the last commit"),
		texts(&o.done, "--done TEXT", "tick a milestone or to-do of the roadmap; may be repeated"),
		texts(&o.todo, "--todo TEXT", "add a to-do to the roadmap; may be repeated"),
		texts(&o.decide, "--decide TEXT", "add a decision to the roadmap; may be repeated"),
		toggle(&o.code, "--code", "commit the code too, as git commit does, with the same message"),
		toggle(&o.amend, "--amend", "replace the newest commit of the branch, which was never shared; texts that are not given stay"),
		toggle(&o.all, "-a, --all", "with --code: stage what changed in tracked files"),
		o.meter(),
	}
	return &command{
		name: "commit",
		usage: []string{
			"commit -m SUMMARY [-m CONTRIBUTION]... [--progress TEXT] " +
				"[--done TEXT]... [--todo TEXT]... [--decide TEXT]... [--score X] [--outcome O] [--tag K=V]... [-S]",
			"commit -F FILE ...",
			"commit --code [-a] -m SUMMARY ...",
			"commit --amend [-m SUMMARY] ...",
		},
		about: "COMMIT: makes a commit that takes all pending steps of the branch; there may be none. The " +
			"first line of the message is the summary, the rest is what this commit contributes (by default " +
			"the summary). With --code git also commits the staged code, as 'git commit' does; if that fails, " +
			"no memory commit is made either. --amend replaces the newest commit by one with its steps, its " +
			"note and the steps that are pending now.",
		exits: []int{exitDone, exitFailed, exitUsage, exitNoMemory, exitNotRepository},
		examples: []string{
			"commit -m 'Pool is initialised before the router'",
			"commit -m 'Lexer is done' -m 'All 140 tokens, fuzzed for an hour' --done Lexer",
			"commit --code -a -m 'Close the pool before the router'",
		},
		extra:   "did you mean -m '%s'?",
		globals: g,
		flags:   join(o.message.flags(), own, o.noteFlags.flags(), o.signFlags.flags(), o.author.flags(), g.flags()),
		action: func(ctx context.Context, env *Env, _ []string) error {
			r, err := runCommit(ctx, env, o)
			if err != nil {
				return err
			}
			env.replaced(r.Replaced)
			env.warnAll(r.Warnings)
			if err := o.show(env, r, func(p *render.Printer) { printCommit(p, r, o) }); err != nil {
				return err
			}
			env.hintAll(o.hints)
			return nil
		},
	}
}

func runCommit(ctx context.Context, env *Env, o *commitOptions) (r store.CommitResult, err error) {
	summary, contribution, err := o.message.read(env)
	if err != nil {
		return r, err
	}
	if o.all && !o.code {
		return r, usagef("-a needs --code").hint(self + " commit --code -a -m SUMMARY")
	}
	if o.amend && o.code {
		return r, usagef("--amend cannot be used with --code").hint(self + " commit --amend -m SUMMARY")
	}
	if summary == "" && (!o.amend || o.message.given()) {
		return r, usagef("a commit needs a summary").hint("git context commit -m SUMMARY")
	}
	judging, err := o.noteFlags.read()
	if err != nil {
		return r, err
	}
	w, err := o.signWriter(o.writer(env))
	if err != nil {
		return r, err
	}
	s, err := o.open(ctx, env)
	if err != nil {
		return r, err
	}
	defer closing(s, &err)
	var code *store.CodeOptions
	if o.code {
		code = env.code()
		code.All = o.all
	}
	commit := s.Commit
	if o.amend {
		commit = func(ctx context.Context, c store.CommitOptions) (store.CommitResult, error) {
			return undo.Amend(ctx, s, c)
		}
	}
	before := ""
	if tip, err := s.Tip(ctx, s.Branch); err == nil { // else the commit says why
		before = store.LastSummary(tip.Commit())
	}
	r, err = commit(ctx, store.CommitOptions{
		Writer:       w,
		Code:         code,
		Summary:      summary,
		Contribution: contribution,
		Progress:     o.progress,
		Roadmap: store.RoadmapChange{
			Done: o.done.Value(), Todo: o.todo.Value(), Decide: o.decide.Value(),
		},
		Judging: judging,
	})
	if err == nil {
		env.noteMerges(s, r.Branch)
		o.advise(ctx, env, s, r, before == r.Summary && contribution == "")
	}
	return r, err
}

// advise collects the hints about a commit. again: it says what the one before said.
func (o *commitOptions) advise(ctx context.Context, env *Env, s *refs.Store, r store.CommitResult, again bool) {
	if age := r.RoadmapAge; age >= reviseAfter && (age-reviseAfter)%reviseEvery == 0 {
		env.advice(ctx, s, &o.hints, store.AdviceRoadmap, "the roadmap was last revised %d commits ago: git context roadmap", age)
	}
	if again && r.Steps.Count == 0 && o.progress == "" && o.revised() == "" && !o.code && !o.amend {
		env.advice(ctx, s, &o.hints, store.AdviceEmpty, "this commit adds nothing to the previous one: git context undo")
	}
}

func printCommit(p *render.Printer, r store.CommitResult, o *commitOptions) {
	line(p, "[%s %s] %s", r.Branch, r.Commit.Short(), r.Summary)
	details := []string{"id " + r.ID}
	if r.Steps.Count > 0 {
		details = append(details, stepsOf(r.Steps))
	}
	if changed := o.revised(); changed != "" {
		details = append(details, changed)
	}
	line(p, " %s", strings.Join(details, ", "))
	if o.code && r.Code != nil {
		line(p, " code %s", r.Code.Short())
	}
}

// revised counts what the commit changed in the roadmap; "" if nothing.
func (o *commitOptions) revised() string {
	var list []string
	for _, c := range []struct {
		n         int
		one, many string
	}{
		{len(o.done.Value()), "item done", "items done"},
		{len(o.todo.Value()), "to-do added", "to-dos added"},
		{len(o.decide.Value()), "decision added", "decisions added"},
	} {
		if c.n > 0 {
			list = append(list, count(c.n, c.one, c.many))
		}
	}
	return strings.Join(list, ", ")
}

// stepsOf describes the steps of a commit that has some.
func stepsOf(r store.StepRange) string {
	return fmt.Sprintf("steps %d-%d (%d)", r.First, r.Last, r.Count)
}
