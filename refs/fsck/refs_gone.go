package fsck

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/git-context/git-context/refs/expunge"
	"github.com/git-context/git-context/refs/git"
)

// goneRefs reports refs of our own that do not exist though their reflogs do, as after a power cut: git deletes the reflog with a ref.
// The repair makes them again.
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
		id, err := expunge.Gone(ctx, c.s, name, c.whole)
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
