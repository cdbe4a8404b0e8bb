package cmd

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/git-context/git-context/refs"
	"github.com/git-context/git-context/refs/share"
	"github.com/git-context/git-context/refs/store"
	"github.com/git-context/git-context/render"
	"github.com/urfave/cli/v2"
)

type initOptions struct {
	*globals
	author
	goal, purpose, initial string
	brief, file            string
	milestones, todo       cli.StringSlice

	newer string // a hint at newer work of a remote; "" for none
}

func newInit(g *globals) *command {
	o := &initOptions{globals: g}
	own := []cli.Flag{
		text(&o.goal, "--goal TEXT", "what the project is to become"),
		text(&o.brief, "--brief TEXT", "what the user wants, in the user's words: the pinned topic 'brief'"),
		named(&o.file, "-F, --file FILE", "read the brief from FILE (- is standard input)"),
		texts(&o.milestones, "--milestone TEXT", "a milestone of the roadmap; may be repeated"),
		texts(&o.todo, "--todo TEXT", "a to-do of the roadmap; may be repeated"),
		text(&o.purpose, "--purpose TEXT", "what the first branch is for"),
		named(&o.initial, "--initial-branch NAME", "name of the first branch (context.defaultBranch, else main)"),
	}
	return &command{
		name:  "init",
		usage: []string{"init [--goal TEXT] [--brief TEXT | -F FILE] [--milestone TEXT]... [--todo TEXT]... [--purpose TEXT] [--initial-branch NAME]"},
		about: "Makes the project's roadmap and the first memory branch, and sets up git so that memory is " +
			"fetched with the code. Run again, it adds only what is missing and says so. If the remote of a " +
			"clone already has memory, init takes that over. It touches no file of the worktree.",
		exits: []int{exitDone, exitFailed, exitUsage, exitNotRepository},
		examples: []string{
			"init --goal 'One binary, no daemon'",
			"init --goal 'A parser' --brief 'Read RFC 9562 and write a parser in Go, without dependencies'",
			"init --goal 'A parser' --milestone 'Lexer' --milestone 'Grammar' --todo 'Read the RFC'",
		},
		globals: g,
		flags:   join(own, o.author.flags(), g.common()),
		action: func(ctx context.Context, env *Env, _ []string) error {
			r, err := runInit(ctx, env, o)
			if err != nil {
				return err
			}
			env.warnAll(r.Warnings)
			err = o.show(env, r, func(p *render.Printer) { printInit(p, r) })
			if err == nil && o.newer != "" {
				env.hint("%s", o.newer)
			}
			return err
		},
	}
}

func runInit(ctx context.Context, env *Env, o *initOptions) (r share.InitResult, err error) {
	brief := o.brief
	if o.file != "" {
		if brief != "" {
			return r, usagef("--brief and -F cannot be used together")
		}
		if brief, err = env.readText(o.file); err != nil {
			return r, err
		}
	}
	s, err := o.open(ctx, env)
	if err != nil {
		return r, err
	}
	defer closing(s, &err)
	r, err = share.Init(ctx, s, share.InitOptions{
		Writer:     o.writer(env),
		Goal:       o.goal,
		Milestones: o.milestones.Value(),
		Todo:       o.todo.Value(),
		Purpose:    o.purpose,
		Brief:      brief,
		Branch:     o.initial,
	})
	if err != nil || !r.Created {
		return r, err
	}
	o.newer, err = newerWork(ctx, s, r.Branch)
	return r, err
}

// newerWork names the branch of a remote with work that is newer than the newest change of the current
// one, whose brief does not show that branch; "" if there is none.
func newerWork(ctx context.Context, s *refs.Store, current string) (string, error) {
	list, err := s.Branches(ctx, store.BranchQuery{Status: "active", Remotes: true, Pending: func(store.Branch) bool { return false }})
	if err != nil || len(list) == 0 { // the newest is the first
		return "", err
	}
	here := slices.IndexFunc(list, func(b store.Branch) bool { return b.Name == current })
	if newest := list[0]; newest.Remote != "" && here >= 0 && newest.UpdatedAt.After(list[here].UpdatedAt) {
		name := strings.TrimPrefix(newest.Name, newest.Remote+"/")
		return fmt.Sprintf("'%s' has newer work on branch '%s': %s switch %s", newest.Remote, name, self, name), nil
	}
	return "", nil
}

func printInit(p *render.Printer, r share.InitResult) {
	if !r.Created {
		line(p, "Nothing to do: branch '%s' and the roadmap are here", r.Branch)
		return
	}
	line(p, "[%s %s] memory is ready", r.Branch, r.Head.Short())
	line(p, " set up: %s", strings.Join(r.Did, ", "))
}
