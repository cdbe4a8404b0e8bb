package code

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/git-context/git-context/notes"
	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/prose"
	"github.com/git-context/git-context/refs/store"
)

// The functions for git's hooks. Each is safe in the environment of a hook, beside other
// processes, and if it runs twice: it does not repeat a link. They return an error of the
// kind fail.ErrNoMemory if there is nothing to do in this repository.

// HookLockWait is how long a hook waits for a lock; the user waits for git meanwhile.
const HookLockWait = time.Second

// How long a hook may take in total. What it leaves undone, fsck repairs.
const (
	postCommitLimit   = 5 * time.Second
	PostCheckoutLimit = 5 * time.Second
	postRewriteLimit  = time.Minute // a thousand commits take a second
)

// LinkHead is the hook post-commit: it links HEAD's commit to the newest entry of the
// current branch, if there is one. A cherry-pick also copies the links of the picked
// commit, a squash those of the squashed ones.
//
// Commits that replace others, by an amendment or a rebase, are left to CarryRewritten. git
// does not run this hook for a merge without conflicts, nor for the commits of `git am`.
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
	sources, err := sourcesOf(ctx, s, code)
	if err != nil {
		return err
	}
	some := HasCommits(tip.Commit())
	if !some && len(sources) == 0 {
		return nil
	}
	tx, err := s.Begin(ctx, w, "link: "+code.ID.Short())
	if err != nil {
		return err
	}
	defer tx.Close()
	if some {
		m, err := s.NewestCommit(ctx, tip.Commit())
		if err == nil && m != nil {
			err = WriteLink(ctx, tx, code.ID, m)
		}
		if err != nil {
			return err
		}
	}
	if len(sources) == 0 {
		return nil
	}
	err = UpdateNotes(ctx, tx, "context: carry links over to "+code.ID.Short(), func(u *notes.Update) error {
		for _, old := range sources {
			if _, err := CopyLinks(ctx, u, Rewritten{Old: old, New: code.ID}); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	return dropSquash(s)
}

// sourcesOf returns the commits whose changes a commit repeats: the one that it was picked from, or those
// that `git merge --squash` names in the message.
func sourcesOf(ctx context.Context, s *store.Store, c *git.Commit) ([]git.ID, error) {
	from, err := picked(ctx, s, c)
	if err != nil {
		return nil, err
	}
	if from != "" {
		return []git.ID{from}, nil
	}
	return squashedInto(s, c)
}

// HasCommits reports whether a branch has commits of its own, not only those of the branch
// that it was created from.
func HasCommits(tip *git.Commit) bool {
	n := tip.Trailer(store.TrailerCommits)
	return n != "" && n != "0"
}

// newCode returns HEAD's commit, or nil if it replaces another. The reflog decides: the
// previous HEAD is the parent of an ordinary commit. Its messages do not, because
// GIT_REFLOG_ACTION changes them.
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
	if errors.Is(err, git.ErrNotFound) { // there is no reflog: a link too many is better than none
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

// pickedLine is the line that `git cherry-pick -x` writes into a message.
const pickedLine = "(cherry picked from commit "

// picked returns the commit that another was picked from, "" for none: by git's ref while
// the hook runs or, after a conflict, by the message.
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

// CarryRewritten is the hook post-rewrite: it reads pairs of commits, `<old> <new>` on each
// line of in, and copies the links of the old to the new. It returns how many commits
// gained a link. by is the command that rewrote them; amendments within a rebase are left
// to its end, when git reports all of them.
func CarryRewritten(ctx context.Context, s *store.Store, w store.Writer, by string, in io.Reader) (int, error) {
	ctx, cancel := context.WithTimeout(ctx, postRewriteLimit)
	defer cancel()
	pairs, err := readRewritten(in)
	if len(pairs) == 0 || err != nil {
		return 0, err
	}
	if by == "amend" {
		if midway, err := midRebase(ctx, s); midway || err != nil {
			return 0, err
		}
	}
	if _, err := s.Tip(ctx, ""); err != nil { // without memory there are no links
		return 0, err
	}
	return CarryLinks(ctx, s, w, pairs)
}

// midRebase reports whether the rebase itself amended the commit (squash, fixup). An
// amendment by a person while a rebase is stopped may be reported at no other time.
func midRebase(ctx context.Context, s *store.Store) (bool, error) {
	rebasing, err := s.Repo().Rebasing()
	if !rebasing || err != nil {
		return false, err
	}
	last, err := s.Repo().LastMove(ctx)
	if errors.Is(err, git.ErrNotFound) {
		return false, nil
	}
	return strings.HasPrefix(last.Reason, "rebase (squash)") || strings.HasPrefix(last.Reason, "rebase (fixup)") ||
		strings.HasPrefix(last.Reason, "rebase -i (squash)") || strings.HasPrefix(last.Reason, "rebase -i (fixup)"), err
}

// readRewritten reads the input of the hook. Other words may follow the second name.
func readRewritten(in io.Reader) ([]Rewritten, error) {
	var pairs []Rewritten
	lines := bufio.NewScanner(in)
	for lines.Scan() {
		fields := strings.Fields(lines.Text())
		if len(fields) == 0 {
			continue
		}
		if len(fields) < 2 || !git.IsID(fields[0]) || !git.IsID(fields[1]) {
			return nil, fmt.Errorf("'%s' does not name two commits", prose.OneLine(lines.Text(), 100))
		}
		pairs = append(pairs, Rewritten{Old: git.ID(fields[0]), New: git.ID(fields[1])})
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("cannot read which commits were rewritten: %w", err)
	}
	return pairs, nil
}
