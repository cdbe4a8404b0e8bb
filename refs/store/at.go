package store

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/git-context/git-context/refs/fail"
	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/prose"
)

// By what a view of the past found its memory commit.
const (
	AtMemory   = "memory"   // it was named itself
	AtLink     = "link"     // it belongs to the code commit that was named
	AtAncestor = "ancestor" // it belongs to that one's nearest first-parent ancestor to which any belongs
	AtTime     = "time"     // it is the newest that is not younger than what was named
)

// At finds a branch as it stood at a revision of memory or of code; an empty one
// means now, see [Store.Tip]. The cases:
//
//  1. a memory revision (see [Store.Revision]; a memory branch or tag wins over a
//     code ref of its name), and branch is empty or the branch that it was made
//     on, by the name that this has now: that commit;
//  2. a memory revision and another branch: the newest commit of that branch
//     which is not younger;
//  3. a code revision: see [codeSearch], on the current branch if none is named.
//
// It returns fail.ErrNotFound where nothing has that name, and where the branch did not
// exist yet.
func (s *Store) At(ctx context.Context, branch, rev string) (*Tip, error) {
	if rev == "" {
		return s.Tip(ctx, branch)
	}
	c, err := s.resolve(ctx, rev)
	if err != nil {
		return nil, s.noCommit(ctx, rev, err)
	}
	at := &At{By: AtMemory, Rev: rev, Asked: c.ID}
	own, err := s.homeOf(ctx, c)
	if err != nil {
		return nil, err
	}
	if own == "" { // gone, or never one of memory
		own = BranchOf(c)
	}
	if own != "" && (branch == "" || branch == own) {
		return s.past(own, c, at), nil
	}
	now, err := s.Tip(ctx, branch)
	if err != nil {
		return nil, err
	}
	if own == "" {
		at.Code = &c.ID
		return s.atCode(ctx, now, c, at)
	}
	at.By = AtTime
	then, err := s.NewestAt(ctx, now.commit, c.Committer.When)
	if err != nil {
		return nil, err
	}
	if then == nil || c.Committer.When.Before(createdAt(now.commit)) {
		return nil, notYet(now, at)
	}
	return s.past(now.branch, then, at), nil
}

// past is a branch as it stood at a commit.
func (s *Store) past(branch string, c *git.Commit, at *At) *Tip {
	t := s.tipOf(branch, c)
	at.Commit, at.Time = c.ID, c.Committer.When.UTC()
	t.at = at
	return t
}

// newestAt is the newest commit on a commit's first-parent line that is not
// younger than t; nil for none.
func (s *Store) NewestAt(ctx context.Context, c *git.Commit, t time.Time) (*git.Commit, error) {
	if !c.Committer.When.After(t) {
		return c, nil
	}
	out, err := s.repo.View(ctx, "rev-list", "--first-parent", "--max-count=1",
		"--min-age="+strconv.FormatInt(t.Unix(), 10), "--end-of-options", string(c.ID))
	if err != nil || len(out) == 0 {
		return nil, err
	}
	return s.repo.Commit(ctx, git.ID(strings.TrimSpace(string(out))))
}

// createdAt is when the branch of a memory commit was made; zero where it does
// not say.
func createdAt(c *git.Commit) time.Time {
	at, _ := parseCreated(c.Trailer(TrailerCreated))
	if at == nil {
		return time.Time{}
	}
	return *at
}

// notYet says that a branch has nothing as old as what was asked for.
func notYet(now *Tip, at *At) error {
	made := createdAt(now.commit)
	message := fmt.Sprintf("branch '%s' has no milestone as old as '%s'", now.branch, prose.OneLine(at.Rev, 100))
	hint := fmt.Sprintf("git context --branch %s", now.branch)
	_, from := parseCreated(now.commit.Trailer(TrailerCreated))
	if !made.IsZero() && from != nil {
		hint = fmt.Sprintf("it was made from '%s' on %s", *from, made.Format(time.RFC3339))
	}
	return fail.New(fail.ErrNotFound, fail.NotYet, message, hint)
}

// noCommit says that a name means no commit at all.
func (s *Store) noCommit(ctx context.Context, rev string, err error) error {
	err = s.noMilestone(ctx, rev, err)
	var missing *fail.Error
	if errors.As(err, &missing) && missing.Code == fail.MilestoneNotFound {
		missing.Code, missing.Message = fail.CommitNotFound, fmt.Sprintf("no commit '%s', of memory or of code", prose.OneLine(rev, 100))
	}
	return err
}

// MilestoneAt is [Store.Milestone] as it stood at a tip. A milestone that was not
// part of the branch then, by its entries or, as those that a branch is born with,
// by its history, is fail.ErrNotFound.
func (s *Store) MilestoneAt(ctx context.Context, t *Tip, rev string) (Commit, error) {
	c, err := s.milestoneAt(ctx, rev)
	if err != nil {
		return Commit{}, err
	}
	held, err := s.holds(ctx, t, CommitEntries, c.Trailer(TrailerID))
	if err == nil && !held {
		held, err = s.repo.IsAncestor(ctx, c.ID, t.commit.ID)
	}
	if err == nil && !held {
		err = fail.New(fail.ErrNotFound, fail.NotYet, fmt.Sprintf("milestone '%s' was not part of branch '%s' at %s",
			prose.OneLine(rev, 100), t.branch, t.commit.ID.Short()), "git context --commit "+c.ID.Short())
	}
	if err != nil {
		return Commit{}, err
	}
	return s.commitOf(ctx, t.at, c)
}
