package cmd

import (
	"context"
	"fmt"
	"io"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/git-context/git-context/refs"
	"github.com/git-context/git-context/refs/code"
	"github.com/git-context/git-context/refs/fail"
	"github.com/git-context/git-context/refs/store"
	"github.com/git-context/git-context/render"
)

type contextOptions struct {
	*globals
	newest      int
	view        string // --branch
	commit      string
	log         bool
	follow      bool
	metadata    bool
	segment     string
	at          string
	since       string
	lines       int
	steps       int
	limit, skip int
	budget      int
	version     bool
}

// contextResult is one view: the value for JSON, and its printer.
type contextResult struct {
	value any
	text  func(*render.Printer)
	hints []string // that follow the view
}

// unset is the value of a number flag that is not given: the scanner refuses negative ones.
const unset = -1

func newContext(g *globals) *command {
	o := &contextOptions{globals: g}
	g.offline = true
	own := []cli.Flag{
		number(&o.newest, "-k N", unset, "show the newest N commits in full (1)"),
		number(&o.budget, "--budget N", unset, "show at most N tokens of 4 bytes (context.budget, else 1500; 0: all)"),
		toggle(&o.follow, "--follow", "with --log: go on, and print each step as it comes"),
		named(&o.since, "--since C", "what came since the commit or the time C: commits, topics, roadmap"),
		named(&o.view, "--branch NAME", "the branch NAME: purpose, progress, latest commits"),
		named(&o.commit, "--commit C", "the commit C in full"),
		toggle(&o.log, "--log", "the end of the trace, pending steps included"),
		optional(&o.metadata, &o.segment, "--metadata [SEGMENT]", "metadata.yaml, or one segment of it; dots go deeper"),
		atFlag(&o.at),
		number(&o.limit, "--limit N", unset, "show N commits (10) with --branch, N steps with --log"),
		number(&o.skip, "--skip N", 0, "leave out the newest N commits, with --log lines or steps"),
		number(&o.lines, "--lines N", unset, "with --log: the last N lines instead of steps"),
		number(&o.steps, "--steps N", unset, "with --log: the last N whole steps (10)"),
		toggle(&o.version, "-v, --version", "print the version, as the command of that name does"),
		named(&g.branch, "-b NAME", "act on that memory branch instead of the current one"),
	}
	return &command{
		usage: []string{
			"[-k N] [--budget N]",
			"--since C",
			"--branch NAME [--limit N] [--skip N]",
			"--commit C",
			"--log [--lines N | --steps N] [--skip N]",
			"--log --follow [--steps N]",
			"--metadata [SEGMENT]",
			"... --at C",
			"--version",
			"COMMAND ...",
		},
		about: "Gives an AI coding agent a memory in git: steps are recorded and committed, ideas explored " +
			"on branches and merged, and each branch is a git ref. Without a command this is CONTEXT, a view " +
			"of memory at the chosen resolution: the brief, which is what a successor needs; one branch; one " +
			"commit; the trace; the metadata. With another view, --branch NAME selects the branch. --at C " +
			"shows each of these as it was at a memory commit, or at a commit or tag of the code: by the " +
			"memory commit that belongs to it or to its nearest first-parent ancestor, else by the newest one " +
			"that is not younger; the view says which. Such a view has no pending steps and no later scores. " +
			"'git context help COMMAND' describes a command.",
		exits: []int{exitDone, exitFailed, exitUsage, exitNoMemory, exitNotRepository},
		examples: []string{
			"",
			"--branch try-mutex --limit 20",
			"--log --steps 5 --json",
			"--metadata env_config",
			"--at v1.4",
		},
		globals: g,
		flags:   join(own, g.common()),
		action: func(ctx context.Context, env *Env, _ []string) error {
			if o.version {
				return sayVersion(ctx, env, g)
			}
			if o.follow {
				return runFollow(ctx, env, o)
			}
			if o.log && o.json {
				return runLogJSON(ctx, env, o)
			}
			r, err := runContext(ctx, env, o)
			if err != nil {
				return err
			}
			if err := o.globals.view(ctx, env, r.value, r.text); err != nil {
				return err
			}
			env.hintAll(r.hints)
			return nil
		},
	}
}

// runContext chooses the view:
//
//  1. --metadata: metadata.yaml or a segment of it
//  2. --commit: one commit; --since: what came since one
//  3. --log: the trace
//  4. --branch alone, or with paging: that branch
//  5. nothing, or -k: the snapshot
//
// In all but 4, --branch has the meaning of -b: the branch to look at.
func runContext(ctx context.Context, env *Env, o *contextOptions) (r contextResult, err error) {
	if err := o.check(); err != nil {
		return r, err
	}
	if o.view != "" && !o.branchView() {
		o.branch = o.view
	}
	s, err := o.open(ctx, env)
	if err != nil {
		return r, err
	}
	defer closing(s, &err)
	switch {
	case o.metadata:
		seg, err := readSegment(ctx, s, o.where(), o.segment)
		if err != nil {
			return r, err
		}
		return contextResult{value: seg.value, text: seg.print}, nil
	case o.commit != "":
		return viewCommit(ctx, s, o)
	case o.since != "":
		v, err := render.NewSince(ctx, s, o.branch, o.since)
		return contextResult{value: v, text: v.Text}, err
	case o.log:
		return viewLog(ctx, s, o)
	case o.branchView():
		return viewBranch(ctx, s, o)
	}
	return viewSnapshot(ctx, env, s, o)
}

// where returns the branch and the commit that the view is of.
func (o *contextOptions) where() render.Where {
	if o.branchView() {
		return render.Where{Branch: o.view, At: o.at}
	}
	return render.Where{Branch: o.branch, At: o.at}
}

// branchView reports whether --branch asks for the branch view: it does without another view.
func (o *contextOptions) branchView() bool {
	return o.view != "" && !o.metadata && !o.log && o.commit == "" && o.newest == unset && o.since == ""
}

// check refuses flags that do not go together.
func (o *contextOptions) check() error {
	views := 0
	for _, set := range []bool{o.metadata, o.commit != "", o.log, o.newest != unset, o.since != ""} {
		if set {
			views++
		}
	}
	paged := o.limit != unset || o.skip != 0
	switch {
	case views > 1:
		return usagef("one view at a time: -k, --since, --commit, --log or --metadata")
	case o.since != "" && o.at != "":
		return usagef("--since shows what came until now; it cannot be used with --at")
	case o.follow && (!o.log || o.lines != unset || o.skip != 0 || o.at != ""):
		return usagef("--follow needs --log, and cannot be used with --lines, --skip or --at").
			hint("git context --log --follow")
	case !o.log && (o.lines != unset || o.steps != unset):
		return usagef("--lines and --steps need --log").hint("git context --log --steps 5")
	case o.lines != unset && (o.steps != unset || o.limit != unset):
		return usagef("--lines cannot be used with --steps or --limit")
	case o.lines != unset && o.json:
		return usagef("--lines cannot be used with --json, which prints whole steps").hint("git context --log --steps 5 --json")
	case o.budget != unset && (views > 1 || views == 1 && o.newest == unset || o.branchView()):
		return usagef("--budget limits only the brief, and -k")
	case paged && !o.log && !o.branchView():
		return usagef("--limit and --skip need --branch NAME or --log")
	}
	return nil
}

// The numbers of entries that the views show by default.
const (
	defaultNewest  = 1
	defaultTitles  = 5
	defaultCommits = 10
	defaultSteps   = 10
	listedText     = 20  // branches of the snapshot
	listedJSON     = 100 // the same, for programs
)

// or returns a number that is given, else its default.
func or(n, otherwise int) int {
	if n == unset {
		return otherwise
	}
	return n
}

// viewSnapshot shows the brief. JSON contains everything, and what a budget that is given on the
// command line would leave out.
func viewSnapshot(ctx context.Context, env *Env, s *refs.Store, o *contextOptions) (contextResult, error) {
	ask, err := BriefOptions(ctx, s, o.budget)
	if err != nil {
		return contextResult{}, err
	}
	limit := ask.Budget
	if ask.Newest = or(o.newest, defaultNewest); o.json {
		ask.Branches, ask.Budget = listedJSON, 0
	}
	if o.json && o.newest != unset {
		ask.Titles = 0 // a program gets as many as it asks for
	}
	v, err := render.NewSnapshot(ctx, s, o.where(), ask)
	if err != nil {
		return contextResult{}, err
	}
	if v.Limit(limit); o.json && o.budget == unset {
		v.Budget = nil
	}
	if o.json && v.Budget != nil {
		v.Measure(env.Now(), self)
	}
	hints, err := absentHints(ctx, s, v.Commits...)
	return contextResult{v, v.Text, hints}, err
}

// DefaultBudget is the budget of [BriefOptions] for what context.budget says.
const DefaultBudget = unset

// mostBudget is more than any brief takes: what it is in bytes is an int everywhere.
const mostBudget = 1 << 28

// BriefOptions returns what the brief reads, by the settings of the repository, with a budget in tokens.
func BriefOptions(ctx context.Context, s *refs.Store, budget int) (render.SnapshotOptions, error) {
	o := render.SnapshotOptions{Newest: defaultNewest, Titles: defaultTitles, Branches: listedText, Budget: budget}
	cfg, err := s.Repo().Config(ctx)
	if err != nil {
		return o, err
	}
	if budget == DefaultBudget {
		o.Budget, err = cfg.Int(store.KeyBudget, store.DefaultBudget)
		if err == nil && o.Budget < 0 {
			err = fmt.Errorf("%s is %d; it must be 0 or more", store.KeyBudget, o.Budget)
		}
		if err != nil {
			return o, fail.New(fail.ErrInvalid, fail.ConfigInvalid, err.Error(),
				fmt.Sprintf("git config %s %d", store.KeyBudget, store.DefaultBudget))
		}
	}
	o.Budget = min(o.Budget, mostBudget)
	o.CodeWait, err = code.StateWait(cfg, store.DefaultCodeWait*time.Millisecond)
	return o, err
}

func viewBranch(ctx context.Context, s *refs.Store, o *contextOptions) (contextResult, error) {
	v, err := render.NewBranch(ctx, s, o.where(), o.skip, or(o.limit, defaultCommits), o.json)
	if err != nil {
		return contextResult{}, err
	}
	hints, err := absentHints(ctx, s, v.Commits...)
	return contextResult{v, func(p *render.Printer) { render.BranchText(p, v) }, hints}, err
}

func viewCommit(ctx context.Context, s *refs.Store, o *contextOptions) (contextResult, error) {
	v, err := render.NewCommit(ctx, s, o.where(), o.commit)
	if err != nil {
		return contextResult{}, err
	}
	hints, err := absentHints(ctx, s, v.Commit)
	return contextResult{v, v.Text, hints}, err
}

// viewLog shows whole steps, or with --lines the last lines.
func viewLog(ctx context.Context, s *refs.Store, o *contextOptions) (contextResult, error) {
	if o.lines != unset {
		v, err := render.NewLines(ctx, s, o.where(), o.skip, o.lines)
		return contextResult{value: v, text: v.Text}, err
	}
	v, err := render.NewLog(ctx, s, o.where(), o.skip, o.wholeSteps(), false)
	return contextResult{value: v, text: v.Text}, err
}

// wholeSteps returns the number of steps that --log shows.
func (o *contextOptions) wholeSteps() int { return or(o.steps, or(o.limit, defaultSteps)) }

// runLogJSON writes the steps of --log as JSON while it reads them.
func runLogJSON(ctx context.Context, env *Env, o *contextOptions) (err error) {
	if err := o.check(); err != nil {
		return err
	}
	if o.view != "" {
		o.branch = o.view
	}
	s, err := o.open(ctx, env)
	if err != nil {
		return err
	}
	defer closing(s, &err)
	return env.stream("", func(w io.Writer) error {
		return render.WriteLog(ctx, s, o.where(), o.skip, o.wholeSteps(), w)
	})
}
