package code

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/git-context/git-context/notes"
	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/store"
)

// What git's hooks do. Each is safe in the environment of a hook, beside any other
// process, and twice: links that are there are not repeated. fail.ErrNoMemory: there is
// nothing to be done in this repository.

// HookLockWait is how long a hook waits for a lock: somebody waits for git.
const HookLockWait = time.Second

// How long all of a hook may take. What is not done then is for fsck to mend.
const (
	postCommitLimit   = 5 * time.Second
	PostCheckoutLimit = 5 * time.Second
	postRewriteLimit  = time.Minute // a thousand commits take a second
)

// LinkHead is what the hook post-commit does: it links the commit that HEAD names to
// the newest milestone of the current branch, if it has one. A cherry-pick carries
// the links of the commit that was picked besides.
//
// Commits that replace others (an amendment, those of a rebase) are left to
// CarryRewritten. git does not run this hook for a merge without conflicts, nor for
// what `git am` applies.
func LinkHead(ctx context.Context, s *store.Store, w store.Writer) error {
	ctx, cancel := context.WithTimeout(ctx, postCommitLimit)
	defer cancel()
	code, err := newCode(ctx, s)
	if code == nil || err != nil {
		return err
	}
	tip, err := s.Tip(ctx, "")
	if err != nil {
		return err
	}
	picked, err := picked(ctx, s, code)
	if err != nil {
		return err
	}
	some := HasCommits(tip.Commit())
	if !some && picked == "" {
		return nil
	}
	ses, err := s.Begin(ctx, w, "link: "+code.ID.Short())
	if err != nil {
		return err
	}
	defer ses.Close()
	if some {
		m, err := s.NewestCommit(ctx, tip.Commit())
		if err == nil && m != nil {
			err = WriteLink(ctx, ses, code.ID, m)
		}
		if err != nil {
			return err
		}
	}
	if picked == "" {
		return nil
	}
	return UpdateNotes(ctx, ses, "context: carry links over a cherry-pick", func(u *notes.Update) error {
		_, err := CopyLinks(ctx, u, Rewritten{Old: picked, New: code.ID})
		return err
	})
}

// hasMilestones reports whether a branch has milestones of its own: those of the
// branch that it started from stand behind it.
func HasCommits(tip *git.Commit) bool {
	n := tip.Trailer(store.TrailerCommits)
	return n != "" && n != "0"
}

// newCode is the commit that HEAD names, if it stands in no other's place; else nil.
// The reflog tells: what was at HEAD before is the parent of an ordinary commit. Its
// words do not, because GIT_REFLOG_ACTION changes them.
func newCode(ctx context.Context, s *store.Store) (*git.Commit, error) {
	if rebasing, err := s.Repo().Rebasing(); rebasing || err != nil {
		return nil, err
	}
	id, err := s.CodeHead(ctx)
	if id == "" || err != nil {
		return nil, err
	}
	c, err := s.Repo().Commit(ctx, id)
	if err != nil {
		return nil, err
	}
	last, err := s.Repo().LastMove(ctx)
	if errors.Is(err, git.ErrNotFound) { // no reflog is kept: one link too many is better than none
		return c, nil
	}
	if err != nil {
		return nil, err
	}
	if last.New == id && !last.Old.IsZero() && (len(c.Parents) == 0 || c.Parents[0] != last.Old) {
		return nil, nil
	}
	return c, nil
}

// pickedLine is what `git cherry-pick -x` writes into a message.
const pickedLine = "(cherry picked from commit "

// picked is the commit that another one was picked from, "" for none: what git says
// while the hook runs, else, behind a conflict, what the message says.
func picked(ctx context.Context, s *store.Store, c *git.Commit) (git.ID, error) {
	id, err := s.Repo().Ref(ctx, git.PickedHead)
	if err == nil || !errors.Is(err, git.ErrNotFound) {
		return id, err
	}
	at := strings.LastIndex(c.Message, pickedLine)
	if at < 0 {
		return "", nil
	}
	name, _, _ := strings.Cut(c.Message[at+len(pickedLine):], ")")
	if !git.IsID(name) || len(name) != len(c.ID) {
		return "", nil
	}
	return git.ID(name), nil
}
