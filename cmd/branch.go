package cmd

import (
	"context"
	"errors"

	"github.com/git-context/git-context/refs"
	"github.com/git-context/git-context/refs/fail"
	"github.com/git-context/git-context/refs/store"
	"github.com/urfave/cli/v2"
)

type branchOptions struct {
	*globals
	author
	merged, abandoned, all bool
	purpose, from          string
	noSwitch               bool
	remove, force          bool
	move, restore          bool
}

// branchResult is what one of branch's forms did; one member is set.
type branchResult struct {
	list    []store.Branch
	branch  *store.Branch
	deleted *deletedBranch
	did     string // for people: what happened to branch
}

// deletedBranch is the answer of -d and -D.
type deletedBranch struct {
	Branch string `json:"branch"`
	Moved  string `json:"moved"` // the ref that keeps the tip
}

func newBranch(g *globals) *command {
	o := &branchOptions{globals: g}
	own := []cli.Flag{
		toggle(&o.merged, "--merged", "list only merged branches"),
		toggle(&o.abandoned, "--abandoned", "list only abandoned branches"),
		toggle(&o.all, "--all", "list remote-tracking branches too"),
		text(&o.purpose, "--purpose TEXT", "why the new branch exists"),
		named(&o.from, "--from C", "start from milestone C instead of the current branch"),
		toggle(&o.noSwitch, "--no-switch", "make the branch and stay on the current one"),
		toggle(&o.remove, "-d, --delete", "delete a branch that holds nothing of its own"),
		toggle(&o.force, "-D", "delete a branch whatever it holds"),
		toggle(&o.move, "-m, --move", "rename a branch, with its pending steps"),
		toggle(&o.restore, "--restore", "bring a deleted branch back"),
	}
	return &command{
		name: "branch",
		usage: []string{
			"branch [--merged | --abandoned] [--all]",
			"branch NAME [--purpose TEXT] [--from C] [--no-switch]",
			"branch (-d | -D) NAME",
			"branch -m [OLD] NEW",
			"branch --restore NAME",
		},
		about: "Lists the memory branches, newest first, or makes one and switches to it: BRANCH, for exploring an idea without disturbing the memory of the others. Deleting moves the tip to refs/context/deleted/, from where --restore brings it back; -d refuses where milestones or pending steps stand nowhere else, -D commits what is pending first, and neither deletes a branch that is current in any worktree.",
		exits: []int{exitDone, exitFailed, exitUsage, exitNoMemory, exitNotRepository},
		examples: []string{
			"branch",
			"branch try-mutex --purpose 'Does a plain mutex beat the pool?'",
			"branch -d try-mutex",
		},
		globals: g,
		flags:   join(own, o.author.flags(), g.flags()),
		most:    2,
		action: func(ctx context.Context, env *Env, args []string) error {
			r, err := runBranch(ctx, env, o, args)
			if err != nil {
				return err
			}
			return o.printBranch(ctx, env, r)
		},
	}
}

// runBranch decides between the forms of the command line:
//
//  1. no argument: list
//  2. -d or -D and a name: delete
//  3. -m and a name or two: rename
//  4. --restore and a name: restore
//  5. a name alone: make
func runBranch(ctx context.Context, env *Env, o *branchOptions, args []string) (r branchResult, err error) {
	if err := o.check(args); err != nil {
		return r, err
	}
	s, err := o.open(ctx, env)
	if err != nil {
		return r, err
	}
	defer closing(s, &err)
	switch {
	case len(args) == 0:
		return o.list(ctx, s)
	case o.remove || o.force:
		moved, err := s.DeleteBranch(ctx, args[0], o.force)
		return branchResult{deleted: &deletedBranch{Branch: args[0], Moved: moved}}, err
	case o.move:
		return o.rename(ctx, s, args)
	case o.restore:
		b, err := s.RestoreBranch(ctx, args[0])
		return branchResult{branch: &b, did: "Restored memory branch"}, err
	}
	b, err := s.CreateBranch(ctx, store.BranchOptions{
		Writer: o.writer(env), Name: args[0], Purpose: o.purpose, From: o.from, NoSwitch: o.noSwitch,
	})
	did := "Switched to a new memory branch"
	if o.noSwitch {
		did = "Made memory branch"
	}
	return branchResult{branch: &b, did: did}, err
}

// check refuses what no form of the command line allows.
func (o *branchOptions) check(args []string) error {
	forms := 0
	for _, set := range []bool{
		o.merged || o.abandoned || o.all,
		o.purpose != "" || o.from != "" || o.noSwitch,
		o.remove || o.force, o.move, o.restore,
	} {
		if set {
			forms++
		}
	}
	listing := o.merged || o.abandoned || o.all
	most := 1
	if o.move {
		most = 2
	}
	switch {
	case forms > 1 || o.merged && o.abandoned:
		return usagef("these flags of 'branch' do not go together")
	case listing && len(args) > 0 || len(args) > most:
		return usagef("unexpected argument '%s'", args[len(args)-1])
	case !listing && forms > 0 && len(args) == 0:
		return usagef("which branch?").hint("give its name")
	}
	return nil
}

func (o *branchOptions) list(ctx context.Context, s *refs.Store) (branchResult, error) {
	q := store.BranchQuery{Remotes: o.all}
	switch {
	case o.merged:
		q.Status = "merged"
	case o.abandoned:
		q.Status = "abandoned"
	}
	list, err := s.Branches(ctx, q)
	if err == nil && len(list) == 0 { // none of that kind, or no memory at all
		if _, tipErr := s.Tip(ctx, ""); errors.Is(tipErr, fail.ErrNoMemory) {
			err = tipErr
		}
	}
	return branchResult{list: list}, err
}

func (o *branchOptions) rename(ctx context.Context, s *refs.Store, args []string) (r branchResult, err error) {
	from := args[0]
	if len(args) == 1 { // as with git, the current one
		if from, err = s.Current(ctx); err != nil {
			return r, err
		}
	}
	b, err := s.RenameBranch(ctx, from, args[len(args)-1])
	return branchResult{branch: &b, did: "Renamed memory branch '" + from + "' to"}, err
}
