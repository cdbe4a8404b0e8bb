package fsck

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/git-context/git-context/refs/expunge"
	"github.com/git-context/git-context/refs/fail"
	"github.com/git-context/git-context/refs/git"
)

// behindRefs reports branches, the roadmap and the notes that fell back to an older value: their file is lost, so that an
// older packed value counts again, or it is the old one, since git flushes the new file and not its name. The reflog has the
// newer value then, as git writes its line first. Who moves a ref back has a newer line.
//
// A process that git was killed in, or whose disk was full, between the line and the move, leaves the same: its commit was not
// acknowledged, and is whole. In a reftable both are in one table, so that there is nothing to find. It costs reading the
// reflog of each ref.
func (c *checker) behindRefs(ctx context.Context, list []git.Ref) error {
	for _, r := range list {
		_, branch := git.BranchName(r.Name)
		file, ok := c.s.Repo().RefFile(r.Name)
		if !ok || !branch && r.Name != git.RoadmapRef && r.Name != git.NotesRef {
			continue
		}
		newest, err := c.newestMove(ctx, r.Name)
		if err != nil {
			return err
		}
		if newest == "" || newest == r.ID || newest.IsZero() {
			continue
		}
		// A process that moves the ref holds its lock from before it writes the line until the ref has moved.
		if exists(file + ".lock") {
			continue
		}
		now, err := c.s.Repo().Ref(ctx, r.Name)
		if errors.Is(err, git.ErrNotFound) {
			continue
		}
		if err != nil {
			return err
		}
		again, err := c.newestMove(ctx, r.Name)
		if err != nil {
			return err
		}
		if now != r.ID || again != newest {
			continue
		}
		if err := c.behindRef(ctx, r, newest); err != nil {
			return err
		}
	}
	return nil
}

// newestMove is the value of a ref by its reflog; "" for none.
func (c *checker) newestMove(ctx context.Context, name string) (git.ID, error) {
	past, err := c.s.Repo().RefPast(ctx, name)
	if err != nil || len(past) == 0 {
		return "", err
	}
	return past[0], nil
}

// behindRef reports a ref if its newest value by the reflog is here and follows what it is.
func (c *checker) behindRef(ctx context.Context, r git.Ref, newest git.ID) error {
	if !c.whole(ctx, newest) {
		return nil
	}
	follows, err := c.s.Repo().IsAncestor(ctx, r.ID, newest)
	if git.ExitCode(err) > 0 { // their history has a hole, which checkDocuments reports
		return nil
	}
	if err == nil && !follows { // what was undone or amended since
		var past []git.ID
		past, err = c.s.Repo().RefPast(ctx, r.Name)
		follows = slices.Contains(past, r.ID)
	}
	if err != nil || !follows {
		return err
	}
	err = expunge.RefuseExpunged(ctx, c.s, newest, newest.Short(), "")
	if errors.Is(err, fail.ErrRefused) { // it must not come back
		return nil
	}
	if err != nil {
		return err
	}
	c.report(ctx, func(ctx context.Context) error {
		return c.moveRefs(ctx, "set it forward again", func(tx *git.Tx) { tx.Update(r.Name, newest, r.ID) })
	}, Problem{Kind: "ref-behind", Object: r.Name, Repair: FixCommand,
		Message: fmt.Sprintf("ref '%s' fell back to %s: by its reflog it is at %s, which is here", r.Name, r.ID.Short(), newest.Short())})
	return nil
}
