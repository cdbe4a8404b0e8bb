package fsck

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/git-context/git-context/refs/fail"
	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/store"
)

// checkHeads checks the CONTEXT_HEAD of every worktree. A missing one is no problem: the
// worktree begins with the main one's branch. Others must name an existing branch, and are
// mended like this:
//
//  1. the branch is gone: to the branch that it was renamed to, else to the default branch;
//  2. it names a commit: to the branch of that commit, else to the default branch;
//  3. it names no memory branch, or cannot be read: to the default branch.
func checkHeads(ctx context.Context, c *checker) error {
	heads, err := c.s.Repo().HeadNames()
	if err != nil {
		return err
	}
	for _, h := range heads {
		if err := c.head(ctx, h); err != nil {
			return err
		}
	}
	return nil
}

func (c *checker) head(ctx context.Context, h git.WorktreeHead) error {
	target, err := c.s.Repo().SymbolicRef(ctx, h.Ref)
	if errors.Is(err, git.ErrBroken) {
		return c.badHead(ctx, h, Problem{Kind: "head-invalid", Message: "cannot be read"}, "", "")
	}
	if errors.Is(err, git.ErrNotFound) {
		return c.detached(ctx, h)
	}
	if err != nil {
		return err
	}
	name, ok := git.BranchName(target)
	if !ok {
		return c.badHead(ctx, h, Problem{Kind: "head-invalid",
			Message: fmt.Sprintf("points to '%s', which is no memory branch", target)}, target, "")
	}
	if gone, err := c.branchGone(ctx, name); err != nil || !gone || c.lost[name] {
		return err
	}
	if now, err := c.s.Repo().SymbolicRef(ctx, h.Ref); err != nil || now != target {
		return nil // a rename has repointed it since
	}
	p := Problem{Kind: "head-dangling", Message: fmt.Sprintf("points to branch '%s', which does not exist", name)}
	to, err := c.s.RenamedTo(ctx, name)
	if to != "" {
		p.Message += fmt.Sprintf(": it was renamed to '%s'", to)
	}
	if err != nil {
		return err
	}
	return c.badHead(ctx, h, p, target, to)
}

// detached reports a CONTEXT_HEAD that names a commit, if it does.
func (c *checker) detached(ctx context.Context, h git.WorktreeHead) error {
	id, err := c.s.Repo().Ref(ctx, h.Ref)
	if errors.Is(err, git.ErrNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	to := ""
	if commit, err := c.s.Repo().Commit(ctx, id); err == nil {
		if to = store.BranchOf(commit); to != "" {
			if gone, err := c.branchGone(ctx, to); err != nil || gone {
				to = ""
			}
		}
	}
	return c.badHead(ctx, h, Problem{Kind: "head-detached",
		Message: fmt.Sprintf("names commit %s and no branch", id.Short())}, "", to)
}

// badHead reports a CONTEXT_HEAD that pointed to was, and points it to a branch.
func (c *checker) badHead(ctx context.Context, h git.WorktreeHead, p Problem, was, to string) error {
	if to == "" {
		var err error
		if to, err = c.homeBranch(ctx); err != nil || to == "" {
			return err // without a branch there is nothing to point to
		}
	}
	p.Object, p.Repair = h.Ref, FixCommand
	p.Message = fmt.Sprintf("%s of '%s' %s; the repair sets it to '%s'", git.HeadName, h.Path, p.Message, to)
	c.report(ctx, func(ctx context.Context) error {
		return c.s.WhileLocked(ctx, func() error {
			now, err := c.s.Repo().SymbolicRef(ctx, h.Ref)
			switch {
			case err == nil && now != was:
				return nil // switched meanwhile
			case err != nil && !errors.Is(err, git.ErrNotFound) && !errors.Is(err, git.ErrBroken):
				return err
			}
			if there, err := c.s.HasBranch(ctx, to); err != nil {
				return err
			} else if !there {
				return fail.New(fail.ErrStale, fail.Busy, fmt.Sprintf("branch '%s' was deleted meanwhile", to),
					FixCommand)
			}
			return c.s.Repo().RestoreSymbolicRef(ctx, h.Ref, git.BranchRef(to), "context fsck: restore")
		}, to)
	}, p)
	return nil
}

// homeBranch returns the branch for a worktree whose branch is unknown: the default branch,
// else the newest.
func (c *checker) homeBranch(ctx context.Context) (string, error) {
	name, err := c.s.DefaultBranch(ctx)
	if err == nil {
		if _, err = c.s.Repo().Ref(ctx, git.BranchRef(name)); err == nil {
			return name, nil
		}
	}
	out, err := c.s.Repo().View(ctx, "for-each-ref", "--sort=-committerdate", "--count=1", "--format=%(refname)",
		git.BranchPrefix)
	if err != nil {
		return "", err
	}
	name, _ = git.BranchName(strings.TrimSpace(string(out)))
	return name, nil
}

// branchGone reports whether a branch does not exist and no process is making, renaming or
// deleting it: those have its lock.
func (c *checker) branchGone(ctx context.Context, name string) (bool, error) {
	missing := func() (bool, error) {
		_, err := c.s.Repo().Ref(ctx, git.BranchRef(name))
		if errors.Is(err, git.ErrNotFound) {
			return true, nil
		}
		return false, err
	}
	if gone, err := missing(); err != nil || !gone {
		return false, err
	}
	if git.CheckBranchName(name) != nil { // which no command of ours could have made
		return true, nil
	}
	lock, free, err := c.s.Repo().TryLock(store.BranchLock(name))
	if err != nil || !free {
		return false, err
	}
	gone, err := missing()
	return gone, errors.Join(err, lock.Unlock())
}
