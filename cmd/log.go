package cmd

import (
	"context"
	"io"
	"slices"

	"github.com/git-context/git-context/refs/history"
	"github.com/git-context/git-context/refs/store"
	"github.com/git-context/git-context/render"
	"github.com/urfave/cli/v2"
)

type logOptions struct {
	*globals
	filterFlags
	most                 int
	graph, all, raw      bool
	stat, patch, oneline bool
	grep                 cli.StringSlice
	pickaxe              string
	agent, since         string
	gitArgs              []string // options and paths for git log
}

func newLog(g *globals) *command {
	o := &logOptions{globals: g}
	g.offline = true
	own := []cli.Flag{
		number(&o.most, "-n, --limit N", unset, "at most N commits"),
		toggle(&o.graph, "--graph", "draw the graph of commits, with the first commit of each branch"),
		toggle(&o.oneline, "--oneline", "one line each"),
		toggle(&o.raw, "--raw", "with the trailers of the messages"),
		toggle(&o.stat, "--stat", "with the files that each changed"),
		toggle(&o.patch, "-p, --patch", "with what each changed"),
		texts(&o.grep, "--grep P",
			"only those whose message, or note as it is stored, matches the regular expression P; "+
				"may be repeated, one has to match"),
		named(&o.pickaxe, "-S TEXT",
			"the memory commits that changed how often TEXT occurs, edits between commits too; reads all of memory"),
	}
	own = append(own, o.filterFlags.flags()...)
	own = append(own,
		named(&o.agent, "--agent A", "only those of the agent A"),
		named(&o.since, "--since T", "only those since T, in git's words for dates: yesterday, '2 weeks ago', 2026-11-21"),
		toggle(&o.all, "--all", "of every memory branch and tag"),
	)
	return &command{
		name: "log",
		usage: []string{
			"log [REV | A..B | A...B | ^REV]... [-n N] [--graph] [--oneline] [--raw] [--stat] [-p]",
			"log [--grep P] [-S TEXT] [--outcome O] [--min-score X] [--agent A] [--since T] [--all]",
			"log ... -- [GIT-OPTION...] [[--] PATH...]",
		},
		about: "Lists commits, newest first, as git log does: of the current branch, of what is named, or " +
			"of a range, without the trailers of their messages. Notes are printed as words; with --oneline " +
			"and --graph they follow the hash. After '--' come options of git log, --until=T, --name-only, " +
			"--format=F, and paths of the memory's tree. --graph draws commits and the first commits of branches, which " +
			"-n counts too; it excludes --outcome, --min-score and --agent.",
		exits: []int{exitDone, exitFailed, exitUsage, exitNoMemory, exitNotRepository},
		examples: []string{
			"log --oneline --graph --all",
			"log main..try-mutex --stat",
			"log --outcome success --min-score 0.8 --since '2 weeks ago'",
			"log main -- --format='%h %an %s' --until=yesterday",
			"log -p -- topics/db-pool.md",
		},
		globals: g,
		flags:   join(own, g.flags()),
		most:    unlimited,
		gitArgs: &o.gitArgs,
		action: func(ctx context.Context, env *Env, args []string) error {
			return runLog(ctx, env, o, args)
		},
	}
}

// options combines the flags, and refuses those that exclude each other.
func (o *logOptions) options(revs []string) (history.LogOptions, error) {
	if slices.Contains(o.grep.Value(), "") {
		return history.LogOptions{}, usagef("flag '--grep' needs a value")
	}
	out := history.LogOptions{Revs: revs, All: o.all, Agent: o.agent, Most: o.most, Topo: o.graph}
	var err error
	if out.Filter, err = o.filterFlags.read(); err != nil {
		return out, err
	}
	if out.Arguments, err = history.LogArguments(append(o.forGit(), o.gitArgs...)); err != nil {
		return out, err
	}
	a := out.Arguments
	switch {
	case o.graph && (!out.Filter.All() || o.agent != ""):
		return out, usagef("--graph draws all commits: it cannot be used with --outcome, --min-score or --agent")
	case o.graph && a.Reverse:
		return out, usagef("--graph cannot be used with --reverse")
	case o.json && (o.graph || a.Looks):
		return out, usagef("--json cannot be used with --graph or an option that changes how text looks")
	}
	out.Judged = o.json || a.Layout == history.LayoutLine || o.graph
	return out, nil
}

// forGit returns the flags that git log also has, spelled for git.
func (o *logOptions) forGit() []string {
	var words []string
	for _, f := range []struct {
		set  bool
		word string
	}{
		{o.oneline, "--oneline"}, {o.stat, "--stat"}, {o.patch, "--patch"},
		{o.pickaxe != "", "-S" + o.pickaxe}, {o.since != "", "--since=" + o.since},
	} {
		if f.set {
			words = append(words, f.word)
		}
	}
	for _, pattern := range o.grep.Value() {
		words = append(words, "--grep="+pattern)
	}
	return words
}

func runLog(ctx context.Context, env *Env, o *logOptions, revs []string) (err error) {
	options, err := o.options(revs)
	if err != nil {
		return err
	}
	s, err := o.open(ctx, env)
	if err != nil {
		return err
	}
	defer closing(s, &err)
	log, err := history.Log(ctx, s, options)
	if err != nil {
		return err
	}
	if o.most < 0 || len(log.Commits) < o.most { // else it does not end at the edge
		hints, err := edgeHints(ctx, s, log.Revs...)
		if err != nil {
			return err
		}
		defer env.hintAll(hints)
	}
	if o.json {
		commits, err := history.LogCommits(ctx, s, log.Commits)
		if err != nil {
			return err
		}
		return showJSON(env, struct {
			Commits []store.Commit `json:"commits"`
		}{commits})
	}
	screen := env.screen(ctx, colorDiff)
	return env.stream(screen.pager, func(w io.Writer) error {
		return render.WriteGitLog(ctx, s, w, render.GitLog{
			Log: log, Arguments: options.Arguments, Graph: o.graph, Raw: o.raw, Most: o.most, Terminal: screen.terminal, Color: screen.color,
		})
	})
}
