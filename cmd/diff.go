package cmd

import (
	"context"
	"io"
	"slices"

	"github.com/git-context/git-context/refs/history"
	"github.com/git-context/git-context/render"
	"github.com/urfave/cli/v2"
)

type diffOptions struct {
	*globals
	stat, names, status bool
	gitArgs             []string // options and paths for git diff
}

func newDiff(g *globals) *command {
	o := &diffOptions{globals: g}
	g.offline = true
	own := []cli.Flag{
		toggle(&o.stat, "--stat", "how much of each file differs"),
		toggle(&o.names, "--name-only", "which files differ"),
		toggle(&o.status, "--name-status", "which files were added, modified and deleted"),
	}
	return &command{
		name: "diff",
		usage: []string{
			"diff A [B] [--stat | --name-only | --name-status]",
			"diff A..B | A...B",
			"diff ... -- [GIT-OPTION...] [[--] PATH...]",
		},
		about: "Shows how memory at B, or on the current branch, differs from memory at A, as git diff " +
			"compares their trees; A and B are branches, tags or commits. A...B compares B with the merge base " +
			"of both. Topics are in topics/KEY.md, commits in commit.md and commit/, steps in log.md and log/. " +
			"After '--' come paths, and options of git diff: -w, --word-diff, -U10; those that write files, " +
			"run programs or leave memory are refused. With --json: {\"from\", \"to\", \"files\": [{\"path\", " +
			"\"status\", \"added\", \"deleted\"}], \"patch\"}, status A, M or D, without renames.",
		exits: []int{exitDone, exitFailed, exitUsage, exitNoMemory, exitNotRepository},
		examples: []string{
			"diff main~3",
			"diff failed success -- topics/ metadata.yaml",
			"diff main...try-mutex --stat",
			"diff before-rewrite -- --word-diff topics/db-pool.md",
		},
		globals: g,
		flags:   join(own, g.flags()),
		least:   1, most: 2, needs: "a commit to compare with",
		gitArgs: &o.gitArgs,
		action: func(ctx context.Context, env *Env, args []string) error {
			return runDiff(ctx, env, o, args)
		},
	}
}

func (o *diffOptions) arguments() (history.Arguments, error) {
	var words []string
	for _, f := range []struct {
		set  bool
		word string
	}{{o.stat, "--stat"}, {o.names, "--name-only"}, {o.status, "--name-status"}} {
		if f.set {
			words = append(words, f.word)
		}
	}
	a, err := history.DiffArguments(append(words, o.gitArgs...))
	if err == nil && o.json && len(a.Show) > 0 {
		err = usagef("--json cannot be used with an option that changes how text looks")
	}
	return a, err
}

func runDiff(ctx context.Context, env *Env, o *diffOptions, args []string) (err error) {
	arguments, err := o.arguments()
	if err != nil {
		return err
	}
	if slices.Contains(args, "") { // most likely an unset shell variable
		return usagef("'diff' needs a commit, not an empty argument")
	}
	s, err := o.open(ctx, env)
	if err != nil {
		return err
	}
	defer closing(s, &err)
	second := ""
	if len(args) == 2 {
		second = args[1]
	}
	from, to, err := history.DiffEnds(ctx, s, args[0], second)
	if err != nil {
		return err
	}
	if o.json {
		d, err := history.Diff(ctx, s, from, to, arguments)
		if err != nil {
			return err
		}
		return showJSON(env, d)
	}
	screen := env.screen(ctx, colorDiff)
	return env.stream(screen.pager, func(w io.Writer) error {
		return render.WriteGitDiff(ctx, s, w, from, to, arguments, screen.color)
	})
}
