package cmd

import (
	"context"
	"errors"

	"github.com/git-context/git-context/refs"
	"github.com/git-context/git-context/refs/fail"
	"github.com/git-context/git-context/refs/store"
	"github.com/git-context/git-context/render"
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

// branchResult is the result of one form of the command line; one member is set.
type branchResult struct {
	list    []store.Branch
	branch  *store.Branch
	deleted *deletedBranch
	did     string // what happened to branch, for people
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
		named(&o.from, "--from C", "start from commit C instead of the current branch"),
		toggle(&o.noSwitch, "--no-switch", "make the branch and stay on the current one"),
		toggle(&o.remove, "-d, --delete", "delete a branch that contains nothing of its own"),
		toggle(&o.force, "-D", "delete a branch whatever it contains"),
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
		about: "Lists the memory branches, newest first, or makes one and switches to it: BRANCH, for exploring " +
			"an idea without disturbing the memory of the others. Deleting moves the tip to " +
			"refs/context/deleted/, from where --restore brings it back; -d refuses where commits or pending " +
			"steps exist nowhere else, -D commits what is pending first, and neither deletes a branch that is " +
			"current in any worktree.",
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

// runBranch chooses between the forms of the command line:
//
//  1. no argument: list
//  2. -d or -D and a name: delete
//  3. -m and a name or two: rename
//  4. --restore and a name: restore
//  5. a name alone: create
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

// check refuses flags and arguments that no form of the command line allows.
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
			line(p, "Deleted memory branch '%s'", r.deleted.Branch)
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
		if o.made() && r.branch.Purpose == "" {
			env.hint("say why it exists: git context -b %s metadata set branch.purpose TEXT", r.branch.Name)
		}
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

// made reports whether the command line asked for a new branch.
func (o *branchOptions) made() bool { return !o.move && !o.restore }

func newSwitch(g *globals) *command {
	return &command{
		name:  "switch",
		usage: []string{"switch NAME"},
		about: "Makes a memory branch the current one of this worktree. Pending steps stay with the branch that " +
			"they were recorded on. The code's branches, index and files are not touched.",
		exits: []int{exitDone, exitFailed, exitUsage, exitNoMemory, exitNotRepository},
		examples: []string{
			"switch main",
		},
		globals: g,
		flags:   g.flags(),
		least:   1, most: 1, needs: "the name of a branch",
		action: func(ctx context.Context, env *Env, args []string) error {
			b, err := runSwitch(ctx, env, g, args[0])
			if err != nil {
				return err
			}
			return g.show(env, b, func(p *render.Printer) {
				line(p, "Switched to memory branch '%s'", b.Name)
			})
		},
	}
}

func runSwitch(ctx context.Context, env *Env, g *globals, name string) (b store.Branch, err error) {
	s, err := g.open(ctx, env)
	if err != nil {
		return b, err
	}
	defer closing(s, &err)
	return s.Switch(ctx, name)
}
