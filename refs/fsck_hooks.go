package refs

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/git-context/git-context/refs/git"
)

// checkHookFailures shows what hooks could not do. Mending makes the link that is missing,
// and forgets the failure:
//
//  1. post-commit: the code commit gets its link, see [checking.linkMissed];
//  2. post-rewrite: what was left behind is found by checkRewritten;
//  3. another one: git's command is long over, and there is nothing to be made up for.
func checkHookFailures(ctx context.Context, c *checking) error {
	list, err := c.s.HookFailures()
	if err != nil {
		return err
	}
	for _, f := range list {
		p := Problem{Kind: "hook-failed", Object: string(f.Code), Repair: FsckFix, Message: fmt.Sprintf("hook %s failed on %s in '%s': %s",
			oneLine(f.Event, 40), f.Time.UTC().Format(time.RFC3339), f.Worktree, f.Message)}
		if p.Object == "" {
			p.Object = f.Worktree
		}
		c.report(ctx, func(ctx context.Context) error {
			if f.Event == "post-commit" {
				if err := c.linkMissed(ctx, f); err != nil {
					return err
				}
			}
			return c.s.DropHookFailures(ctx, func(g HookFailure) bool { return g != f })
		}, p)
	}
	return nil
}

// linkMissed links the code commit of a hook that failed to the milestone that was the
// newest of its branch then. Without any, or where the commit is gone or linked since,
// there is nothing to do.
func (c *checking) linkMissed(ctx context.Context, f HookFailure) error {
	if !git.IsID(string(f.Code)) || git.CheckBranchName(f.Branch) != nil {
		return nil
	}
	code, err := c.s.repo.Commit(ctx, f.Code)
	if errors.Is(err, git.ErrNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	if known, err := c.s.linksOf(ctx, code.ID); err != nil || len(known) > 0 {
		return err
	}
	tip, err := c.s.Tip(ctx, f.Branch)
	if errors.Is(err, ErrNotFound) { // deleted since
		return nil
	}
	if err != nil {
		return err
	}
	then, err := c.s.newestAt(ctx, tip.commit, code.Committer.When)
	if err != nil || then == nil || !hasMilestones(then) {
		return err
	}
	m, err := c.s.newestMilestone(ctx, then)
	if err != nil || m == nil {
		return err
	}
	ses, err := c.s.begin(ctx, c.w, "fsck: link "+code.ID.Short())
	if err != nil {
		return err
	}
	defer ses.close()
	return ses.link(ctx, code.ID, m)
}
