package cmd

import (
	"context"
	"errors"
	"fmt"

	"github.com/git-context/git-context/refs"
	"github.com/git-context/git-context/refs/fail"
	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/store"
	"github.com/git-context/git-context/render"
	"github.com/urfave/cli/v2"
)

type branchOptions struct {
	*globals
	author
	consent
	merged, abandoned, all bool
	remotes, listing       bool
	verbose                bool // as git branch has it; the list always says the newest commit
	purpose, from          string
	noSwitch               bool
	remove, force          bool
	move, restore          bool
}

// branchResult is the result of one form of the command line; one member is set.
type branchResult struct {
	list    []store.Branch
	branch  *store.Branch
	deleted *deletedBranch
	did     string // what happened to branch, for people
	hints   []string
}

// deletedBranch is the answer of -d and -D.
type deletedBranch struct {
	Branch string `json:"branch"`
	Commit git.ID `json:"commit"` // the tip
	Moved  string `json:"moved"`  // the ref that keeps it
}

func newBranch(g *globals) *command {
	o := &branchOptions{globals: g}
	own := []cli.Flag{
		toggle(&o.merged, "--merged", "list only merged branches"),
		toggle(&o.abandoned, "--abandoned", "list only abandoned branches"),
		toggle(&o.listing, "-l, --list", "list branches that match a PATTERN, as in --list 'fix/*'"),
		toggle(&o.all, "-a, --all", "list remote-tracking branches too"),
		toggle(&o.remotes, "-r, --remotes", "list only remote-tracking branches"),
		toggle(&o.verbose, "-v, --verbose", "list with commit and summary, as without it"),
		text(&o.purpose, "--purpose TEXT", "why the new branch exists"),
		named(&o.from, "--from C", "start from commit C instead of the current branch"),
		toggle(&o.noSwitch, "--no-switch", "make the branch and stay on the current one"),
		toggle(&o.remove, "-d, --delete", "delete a branch that contains nothing of its own"),
		toggle(&o.force, "-D", "delete a branch whatever it contains"),
		toggle(&o.move, "-m, --move", "rename a branch, with its pending steps"),
		toggle(&o.restore, "--restore", "bring a deleted branch back"),
		o.consent.flag(),
	}
	return &command{
		name: "branch",
		usage: []string{
			"branch [-l [PATTERN...]] [--merged | --abandoned] [-a | -r] [-v]",
			"branch NAME [--purpose TEXT] [--from C] [--no-switch]",
			"branch (-d | -D [--yes]) NAME",
			"branch -m [OLD] NEW",
			"branch --restore NAME",
		},
		about: "Lists the memory branches, newest first, or makes one and switches to it: BRANCH, for " +
			"exploring an idea without disturbing the memory of the others. Deleting moves the tip to " +
			"refs/context/deleted/, from where --restore brings it back; -d refuses if commits or pending " +
			"steps exist nowhere else, -D commits what is pending first, and neither deletes a branch that is " +
			"current in any worktree. -D shows what no other branch contains, and asks on a terminal; without " +
			"a terminal more than 10 such commits and steps, or more than 1 % of all, need --yes.",
		exits: []int{exitDone, exitFailed, exitUsage, exitNoMemory, exitNotRepository},
		examples: []string{
			"branch",
			"branch try-mutex --purpose 'Does a plain mutex beat the pool?'",
			"branch -d try-mutex",
		},
		globals: g,
		flags:   join(own, o.author.flags(), g.flags()),
		most:    unlimited,
		action: func(ctx context.Context, env *Env, args []string) error {
			r, err := runBranch(ctx, env, o, args)
			if err != nil {
				return err
			}
			return o.printBranch(ctx, env, r)
		},
	}
}

// runBranch chooses between the forms of the command line:
//
//  1. no argument, or a flag of lists: list
//  2. -d or -D and a name: delete
//  3. -m and a name or two: rename
//  4. --restore and a name: restore
//  5. a name alone: create
func runBranch(ctx context.Context, env *Env, o *branchOptions, args []string) (r branchResult, err error) {
	if err := o.check(args); err != nil {
		return r, err
	}
	lists := len(args) == 0 || o.lists()
	o.offline = lists
	s, err := o.open(ctx, env)
	if err != nil {
		return r, err
	}
	defer closing(s, &err)
	switch {
	case lists:
		r, err := o.list(ctx, s, args)
		for _, b := range r.list {
			if b.Remote == "" {
				env.noteMerges(s, b.Name)
			}
		}
		return r, err
	case o.remove || o.force:
		return o.delete(ctx, env, s, args[0])
	case o.move:
		return o.rename(ctx, s, args)
	case o.restore:
		b, err := s.RestoreBranch(ctx, args[0])
		return branchResult{branch: &b, did: "Restored memory branch"}, err
	}
	b, err := s.CreateBranch(ctx, store.BranchOptions{
		Writer: o.writer(env), Name: args[0], Purpose: o.purpose, From: o.from, NoSwitch: o.noSwitch,
	})
	r = branchResult{branch: &b, did: "Switched to a new memory branch"}
	if o.noSwitch {
		r.did = "Made memory branch"
	}
	if err == nil && b.Purpose == "" {
		env.advice(ctx, s, &r.hints, store.AdvicePurpose, "say why it exists: git context -b %s metadata set branch.purpose TEXT", b.Name)
	}
	return r, err
}

// check refuses flags and arguments that no form of the command line allows.
func (o *branchOptions) check(args []string) error {
	forms := 0
	for _, set := range []bool{
		o.lists(),
		o.purpose != "" || o.from != "" || o.noSwitch,
		o.remove || o.force, o.move, o.restore,
	} {
		if set {
			forms++
		}
	}
	listing := o.lists()
	most := 1
	if o.move {
		most = 2
	}
	switch {
	case forms > 1 || o.merged && o.abandoned || o.all && o.remotes || o.yes && !o.force:
		return usagef("these flags of 'branch' cannot be used together")
	case listing && !o.listing && len(args) > 0 || !listing && len(args) > most:
		return usagef("unexpected argument '%s'", args[len(args)-1])
	case !listing && forms > 0 && len(args) == 0:
		return usagef("'branch' needs the name of a branch").hint("git context branch")
	}
	return nil
}

// delete is -d and -D. -D asks where something exists on no other branch.
func (o *branchOptions) delete(ctx context.Context, env *Env, s *refs.Store, name string) (branchResult, error) {
	if o.force && !o.yes {
		alone, err := s.Alone(ctx, name)
		if err == nil && alone.Entries() > 0 {
			err = o.ask(env, o.json, dangerOfDelete(name, alone))
		}
		if err != nil {
			return branchResult{}, err
		}
	}
	moved, err := s.DeleteBranch(ctx, name, o.force)
	return branchResult{deleted: &deletedBranch{Branch: name, Commit: moved.ID, Moved: moved.Name}}, err
}

// dangerOfDelete describes a deletion that waits for consent.
func dangerOfDelete(name string, a store.Alone) danger {
	what := fmt.Sprintf("%s and %s that no other branch contains", count(a.Commits, "commit", "commits"),
		count(a.Steps+a.Pending, "step", "steps"))
	return danger{
		entries: a.Entries(), all: a.All,
		tell: func(p *render.Printer) {
			examples(p, a.Subjects)
			line(p, "Would delete '%s' (%s): %s", name, a.Tip.Short(), what)
		},
		refusal:  fmt.Sprintf("branch '%s' has %s", name, what),
		question: "Delete it?",
	}
}

// lists reports whether a flag asks for the list.
func (o *branchOptions) lists() bool {
	return o.listing || o.merged || o.abandoned || o.all || o.remotes || o.verbose
}

func (o *branchOptions) list(ctx context.Context, s *refs.Store, names []string) (branchResult, error) {
	q := store.BranchQuery{Remotes: o.all || o.remotes, OnlyRemotes: o.remotes, Names: names}
	switch {
	case o.merged:
		q.Status = "merged"
	case o.abandoned:
		q.Status = "abandoned"
	}
	list, err := s.Branches(ctx, q)
	if err == nil && len(list) == 0 { // no branch of that kind, or no memory
		if _, tipErr := s.Tip(ctx, ""); errors.Is(tipErr, fail.ErrNoMemory) {
			err = tipErr
		}
	}
	return branchResult{list: list}, err
}

func (o *branchOptions) rename(ctx context.Context, s *refs.Store, args []string) (r branchResult, err error) {
	from := args[0]
	if len(args) == 1 { // rename the current branch, as git does
		if from, err = s.Current(ctx); err != nil {
			return r, err
		}
	}
	b, err := s.RenameBranch(ctx, from, args[len(args)-1])
	return branchResult{branch: &b, did: "Renamed memory branch '" + from + "' to"}, err
}

func (o *branchOptions) printBranch(ctx context.Context, env *Env, r branchResult) error {
	switch {
	case r.deleted != nil:
		err := o.show(env, r.deleted, func(p *render.Printer) {
			line(p, "Deleted memory branch '%s' (was %s)", r.deleted.Branch, r.deleted.Commit.Short())
		})
		if err != nil {
			return err
		}
		env.hint("git context branch --restore %s", r.deleted.Branch)
		return nil
	case r.branch != nil:
		err := o.show(env, r.branch, func(p *render.Printer) {
			line(p, "%s '%s'", r.did, r.branch.Name)
		})
		if err != nil {
			return err
		}
		env.hintAll(r.hints)
		return nil
	}
	if r.list == nil {
		r.list = []store.Branch{} // an empty list in JSON, not null
	}
	value := struct {
		Branches []store.Branch `json:"branches"`
	}{r.list}
	return o.viewIn(ctx, env, colorBranch, value, func(p *render.Printer) { render.BranchesText(p, r.list) })
}
