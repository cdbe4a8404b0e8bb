package history

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/git-context/git-context/refs/doc"
	"github.com/git-context/git-context/refs/fail"
	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/prose"
	"github.com/git-context/git-context/refs/store"
)

// How a view of the past found its memory commit.
const (
	AtMemory   = "memory"   // the revision names it
	AtLink     = "link"     // it belongs to the code commit that the revision names
	AtAncestor = "ancestor" // it belongs to the nearest first-parent ancestor of that code commit that has any memory
	AtTime     = "time"     // it is the newest that is not younger than the revision
)

// At returns a branch as it was at a revision of memory or of code. An empty rev is the
// present, see [Store.Tip]. The cases:
//
//  1. a memory revision (see [Store.Revision]; a memory branch or tag wins over a
//     code ref of its name), and branch is empty or the branch that recorded it, by
//     its present name: that commit;
//  2. a memory revision and another branch: the newest commit of that branch that
//     is not younger;
//  3. a code revision: see [codeSearch], on the current branch if branch is empty.
//
// It returns an error of the kind fail.ErrNotFound for an unknown name, and for a branch
// that did not exist yet.
func At(ctx context.Context, s *store.Store, branch, rev string) (*store.Tip, error) {
	if rev == "" {
		return s.Tip(ctx, branch)
	}
	c, err := s.ResolveAny(ctx, rev)
	if err != nil {
		return nil, noCommit(ctx, s, rev, err)
	}
	at := &store.At{By: AtMemory, Rev: rev, Asked: c.ID}
	own, err := s.HomeOf(ctx, c)
	if err != nil {
		return nil, err
	}
	if own == "" { // the branch is gone, or the commit is not memory
		own = store.BranchOf(c)
	}
	if own != "" && (branch == "" || branch == own) {
		return past(s, own, c, at), nil
	}
	now, err := s.Tip(ctx, branch)
	if err != nil {
		return nil, err
	}
	if own == "" {
		at.Code = &c.ID
		return atCode(ctx, s, now, c, at)
	}
	at.By = AtTime
	then, err := NewestAt(ctx, s, now.Commit(), c.Committer.When)
	if err != nil {
		return nil, err
	}
	if then == nil || c.Committer.When.Before(createdAt(now.Commit())) {
		return nil, notYet(now, at)
	}
	return past(s, now.Name(), then, at), nil
}

// past returns a branch as it was at a commit.
func past(s *store.Store, branch string, c *git.Commit, at *store.At) *store.Tip {
	at.Commit, at.Time = c.ID, c.Committer.When.UTC()
	return s.PastTip(branch, c, at)
}

// NewestAt returns the newest commit on the first-parent line of c that is not younger than t, or nil. A commit whose date
// is older than its newest entry has it from a wrong clock, and is as old as that.
func NewestAt(ctx context.Context, s *store.Store, c *git.Commit, t time.Time) (*git.Commit, error) {
	out, err := s.Repo().View(ctx, "log", "--first-parent", fmt.Sprint("--max-count=", mostPassed), "--min-age="+strconv.FormatInt(t.Unix(), 10),
		"--format=%H %(trailers:key="+store.TrailerNewest+",valueonly,separator=)", "--end-of-options", string(c.ID), "--")
	if err != nil || len(out) == 0 {
		return nil, err
	}
	found := git.ID("")
	for line := range strings.Lines(string(out)) {
		id, newest, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		if found == "" {
			found = git.ID(id) // if all dates are from another clock than the entries
		}
		if !doc.ValidID(newest) || !doc.IDTime(newest).After(t.Add(time.Minute)) {
			found = git.ID(id)
			break
		}
	}
	return s.Repo().Commit(ctx, found)
}

// mostPassed is how many commits with wrong dates are passed over.
const mostPassed = 200

// createdAt returns when the branch of a memory commit was created; the zero time if the
// commit does not record it.
func createdAt(c *git.Commit) time.Time {
	at, _ := store.ParseCreated(c.Trailer(store.TrailerCreated))
	if at == nil {
		return time.Time{}
	}
	return *at
}

// notYet is the error for a branch without a commit as old as the revision.
func notYet(now *store.Tip, at *store.At) error {
	made := createdAt(now.Commit())
	message := fmt.Sprintf("branch '%s' has no commit as old as '%s'", now.Name(), prose.OneLine(at.Rev, 100))
	hint := fmt.Sprintf("git context --branch %s", now.Name())
	_, from := store.ParseCreated(now.Commit().Trailer(store.TrailerCreated))
	if !made.IsZero() && from != nil {
		hint = fmt.Sprintf("it was made from '%s' on %s", *from, made.Format(time.RFC3339))
	}
	return fail.New(fail.ErrNotFound, fail.NotYet, message, hint)
}

// noCommit is the error for a name of no commit, neither of memory nor of code.
func noCommit(ctx context.Context, s *store.Store, rev string, err error) error {
	err = s.NoSuchCommit(ctx, rev, err)
	var missing *fail.Error
	if errors.As(err, &missing) && missing.Code == fail.MemoryCommitNotFound {
		missing.Code, missing.Message = fail.CommitNotFound,
			fmt.Sprintf("no commit '%s', of memory or of code", prose.OneLine(rev, 100))
	}
	return err
}

// CommitAt returns the commit that rev names, as [Store.FindCommit] does, as it was at a
// tip. It returns an error of the kind fail.ErrNotFound for a commit that the branch did
// not contain then, neither as an entry nor as an ancestor.
func CommitAt(ctx context.Context, s *store.Store, t *store.Tip, rev string) (store.Commit, error) {
	c, err := s.NewestCommitAt(ctx, rev)
	if err != nil {
		return beyondEdge(ctx, s, rev, err, t)
	}
	held, err := t.ContainsEntry(ctx, store.CommitEntries, c.Trailer(store.TrailerID))
	if err == nil && !held {
		held, err = s.Repo().IsAncestor(ctx, c.ID, t.Commit().ID)
	}
	if err == nil && !held {
		err = fail.New(fail.ErrNotFound, fail.NotYet, fmt.Sprintf("commit '%s' was not part of branch '%s' at %s",
			prose.OneLine(rev, 100), t.Name(), t.Commit().ID.Short()), "git context --commit "+c.ID.Short())
	}
	if err != nil {
		return store.Commit{}, err
	}
	return CommitOf(ctx, s, t.At(), c)
}
