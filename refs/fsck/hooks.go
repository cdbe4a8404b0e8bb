package fsck

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/git-context/git-context/refs/code"
	"github.com/git-context/git-context/refs/fail"
	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/githook"
	"github.com/git-context/git-context/refs/history"
	"github.com/git-context/git-context/refs/prose"
	"github.com/git-context/git-context/refs/remote"
	"github.com/git-context/git-context/refs/store"
)

// checkHookFailures reports what hooks could not do:
//
//  1. the hook's setting is invalid: people must correct it first;
//  2. post-commit: mending links the code commit, see [checker.linkMissed];
//  3. post-rewrite: checkRewritten finds what was left behind;
//  4. pre-push: a sync sends what was not sent, which ends the problem. Mending only drops it if the remote is gone;
//  5. any other: git's command ended long ago, and mending drops the record.
func checkHookFailures(ctx context.Context, c *checker) error {
	list, err := githook.Failures(ctx, c.s)
	if err != nil {
		return err
	}
	remotes, err := c.s.Repo().Remotes(ctx)
	if err != nil {
		return err
	}
	for _, f := range list {
		p := Problem{Kind: "hook-failed", Object: string(f.Code), Repair: FixCommand,
			Message: fmt.Sprintf("hook %s failed on %s in '%s': %s",
				prose.OneLine(f.Event, 40), f.Time.UTC().Format(time.RFC3339), f.Worktree, f.Message)}
		if p.Object == "" {
			p.Object = f.Worktree
		}
		key, err := wrongSetting(ctx, c.s, f.Event)
		if err != nil {
			return err
		}
		if key != "" {
			p.Repair = "git config --show-origin " + key
			c.report(ctx, nil, p)
			continue
		}
		if slices.Contains(remotes, f.Remote) && len(f.Unsent) > 0 {
			p.Repair = remote.SyncCommand(f.Remote)
			c.report(ctx, nil, p)
			continue
		}
		done := ""
		c.report(ctx, func(ctx context.Context) (err error) {
			if done, err = c.madeUp(ctx, f); err != nil {
				return err
			}
			return githook.DropFailures(ctx, c.s, func(g githook.Failure) bool { return !g.Equal(f) })
		}, p)
		if last := &c.found[len(c.found)-1]; last.Fixed {
			last.Message += "; " + done
		}
	}
	return nil
}

// wrongSetting returns the invalid setting that makes the hook of an event fail each time, ""
// for none.
func wrongSetting(ctx context.Context, s *store.Store, event string) (string, error) {
	cfg, err := s.Repo().Config(ctx)
	if err != nil {
		return "", err
	}
	switch event {
	case "post-checkout":
		if _, err := cfg.Bool(store.KeyFollow, false); err != nil {
			return store.KeyFollow, nil
		}
	case "pre-push":
		if _, err := cfg.Bool(store.KeyPush, false); err != nil {
			return store.KeyPush, nil
		}
		if _, err := githook.PushTimeout(ctx, s); err != nil {
			return store.KeyPushTimeout, nil
		}
	}
	return "", nil
}

// madeUp does what a failed hook should have done, and returns what that was.
func (c *checker) madeUp(ctx context.Context, f githook.Failure) (string, error) {
	switch {
	case f.Event == "post-commit":
		linked, err := c.linkMissed(ctx, f)
		if linked {
			return "the link is made", err
		}
		return "dropped: there is no link to make", err
	case f.Event == "post-rewrite":
		return "dropped: fsck reports old links separately", nil
	case f.Remote != "":
		return "dropped: there is nothing to push, or no remote '" + prose.OneLine(f.Remote, 100) +
			"' any more", nil
	case f.Event == "pre-push":
		return "dropped, but nothing was pushed: git context sync", nil
	}
	return "dropped: nothing is left to do", nil
}

// linkMissed links the code commit of a failed hook to the commit that was its branch's newest
// then. It reports false if there is none, or the code commit is gone or linked since.
func (c *checker) linkMissed(ctx context.Context, f githook.Failure) (bool, error) {
	if !git.IsID(string(f.Code)) || git.CheckBranchName(f.Branch) != nil {
		return false, nil
	}
	made, err := c.s.Repo().Commit(ctx, f.Code)
	if errors.Is(err, git.ErrNotFound) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	if known, err := code.LinksOf(ctx, c.s, made.ID); err != nil || len(known) > 0 {
		return false, err
	}
	tip, err := c.s.Tip(ctx, f.Branch)
	if errors.Is(err, fail.ErrNotFound) { // deleted since
		return false, nil
	}
	if err != nil {
		return false, err
	}
	then, err := history.NewestAt(ctx, c.s, tip.Commit(), made.Committer.When)
	if err != nil || then == nil || !code.HasCommits(then) {
		return false, err
	}
	m, err := c.s.NewestCommit(ctx, then)
	if err != nil || m == nil {
		return false, err
	}
	ses, err := c.s.Begin(ctx, c.w, "fsck: link "+made.ID.Short())
	if err != nil {
		return false, err
	}
	defer ses.Close()
	return true, code.WriteLink(ctx, ses, made.ID, m)
}
