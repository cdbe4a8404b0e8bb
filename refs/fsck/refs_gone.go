package fsck

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/git-context/git-context/refs/expunge"
	"github.com/git-context/git-context/refs/fail"
	"github.com/git-context/git-context/refs/git"
)

// goneRefs reports refs of our own that do not exist though their reflogs do, as after a power cut: git deletes the reflog with a ref.
// The repair makes them again. git writes the first line of a reflog before it makes the ref, and may be killed in between; so one with
// that line alone counts only where nothing else leads to the commit.
func (c *checker) goneRefs(ctx context.Context) error {
	l, err := c.s.Repo().ListRefs(ctx, memoryPrefixes()...)
	if err != nil {
		return err
	}
	exists := map[string]bool{}
	for _, r := range l.Refs {
		exists[r.Name] = true
	}
	for _, name := range slices.Concat(l.Broken, l.Misfit) {
		exists[name] = true
	}
	names, err := c.s.Repo().LoggedRefs(strings.TrimSuffix(git.Root, "/"), git.NotesRef)
	if err != nil {
		return err
	}
	for _, name := range names {
		if exists[name] || tracking(name) || isWork(name) {
			continue
		}
		id, err := c.namedLast(ctx, name)
		if err != nil {
			return err
		}
		if _, err := c.s.Repo().Ref(ctx, name); id == "" || !errors.Is(err, git.ErrNotFound) { // it was made meanwhile
			continue
		}
		c.report(ctx, func(ctx context.Context) error {
			return c.moveRefs(ctx, "make a ref again", func(tx *git.Tx) { tx.Update(name, id, "") })
		}, Problem{Kind: "ref-gone", Object: name, Repair: FixCommand,
			Message: fmt.Sprintf("ref '%s' does not exist, and its reflog says that it named %s", name, id.Short())})
	}
	return nil
}

// namedLast returns the commit that a ref named last by its reflog; "" if nothing would be lost with it, or if it may have been meant.
func (c *checker) namedLast(ctx context.Context, name string) (git.ID, error) {
	moves, err := c.s.Repo().Moves(ctx, name)
	if len(moves) == 0 || err != nil {
		return "", err
	}
	id := moves[len(moves)-1].New
	if id.IsZero() || !c.whole(ctx, id) {
		return "", nil
	}
	if len(moves) == 1 {
		out, err := c.s.Repo().View(ctx, "for-each-ref", "--contains="+string(id), "--format=%(refname)", git.BranchPrefix, git.TagPrefix,
			git.DeletedPrefix, git.NotesRef, git.RoadmapRef)
		if len(out) > 0 || git.ExitCode(err) > 0 { // else another ref has a hole, which comes first
			return "", nil
		}
		if err != nil {
			return "", err
		}
	}
	branch, ok := git.BranchName(name)
	if !ok {
		return id, nil
	}
	err = expunge.RefuseExpunged(ctx, c.s, id, branch, "")
	if errors.Is(err, fail.ErrRefused) || errors.Is(err, git.ErrNotFound) { // the roadmap is lost, too
		return "", nil
	}
	return id, err
}
