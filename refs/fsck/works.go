package fsck

import (
	"context"
	"errors"
	"fmt"

	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/incoming"
)

// checkWorks looks for handed over code whose branch is gone, and for what is no such code. Mending
// deletes the ref: the worktree that handed it over was left as it was.
func checkWorks(ctx context.Context, c *checker) error {
	list, err := c.s.Repo().Refs(ctx, git.WorkPrefix)
	if err != nil {
		return err
	}
	for _, r := range list {
		branch, _ := git.WorkBranch(r.Name)
		kind, what := "", ""
		there, err := c.s.HasBranch(ctx, branch)
		if err != nil {
			return err
		}
		if !there {
			kind, what = "work-left", fmt.Sprintf("ref '%s' keeps the uncommitted code of branch '%s', which does not exist", r.Name, branch)
		} else if err := incoming.CheckWork(ctx, c.s, r); err != nil {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			kind, what = "work-invalid", err.Error()
		}
		if kind == "" {
			continue
		}
		now, err := c.s.Repo().Ref(ctx, r.Name)
		if errors.Is(err, git.ErrNotFound) || err == nil && now != r.ID { // moved, or deleted with its branch, meanwhile
			continue
		}
		if err != nil {
			return err
		}
		c.report(ctx, func(ctx context.Context) error {
			return c.moveRefs(ctx, "drop handed over code", func(tx *git.Tx) { tx.Delete(r.Name, r.ID) })
		}, Problem{Kind: kind, Object: r.Name, Message: what, Repair: FixCommand})
	}
	return nil
}
