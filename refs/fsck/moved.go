package fsck

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/git-context/git-context/refs/expunge"
	"github.com/git-context/git-context/refs/fail"
	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/loss"
	"github.com/git-context/git-context/refs/store"
)

// checkMoved reports branches and the roadmap that a fetch or a push moved to a commit without what they had: a fetch
// refspec of the user's writes to them, see [remote.OverwritingRefspecs]. Their reflogs tell it, for as long as git
// keeps them. The repair adds a commit that has both. Of a branch that a fetch with --prune deleted, git keeps
// no reflog: see [checker.lostBranch].
func checkMoved(ctx context.Context, c *checker) error {
	if c.forgotten == nil {
		return nil
	}
	if has, err := c.s.Repo().HasHead(ctx); err != nil || !has {
		return err // a mirror has what the remote has
	}
	refs, err := c.s.Repo().Refs(ctx, git.BranchPrefix)
	if err != nil {
		return err
	}
	roadmap, err := c.s.Repo().Ref(ctx, git.RoadmapRef)
	if err == nil {
		refs = append(refs, git.Ref{Name: git.RoadmapRef, ID: roadmap})
	} else if !errors.Is(err, git.ErrNotFound) {
		return err
	}
	for _, r := range refs {
		moves, err := c.s.Repo().Moves(ctx, r.Name)
		if err != nil {
			return err
		}
		for _, m := range moves {
			if !overwrites(m) {
				continue
			}
			if err := c.moved(ctx, r, m); err != nil {
				return err
			}
		}
	}
	return nil
}

// overwrites reports whether a fetch moved a ref to a commit that does not descend from what it named, or a push
// took it for a tracking ref: git says so in these words.
func overwrites(m git.RefMove) bool {
	if m.Reason == pushReason {
		return !m.Old.IsZero()
	}
	by, what, _ := strings.Cut(m.Reason, ": ")
	return (by == "fetch" || by == "pull" || strings.HasPrefix(by, "fetch ") || strings.HasPrefix(by, "pull ")) &&
		what == "forced-update" && !m.Old.IsZero()
}

// pushReason is git's word in a reflog for a tracking ref that follows a push.
const pushReason = "update by push"

// mover is what moved a ref.
func mover(m git.RefMove) string {
	if m.Reason == pushReason {
		return "a push"
	}
	return "a fetch"
}

// moved reports what a ref lacks since such a move.
func (c *checker) moved(ctx context.Context, r git.Ref, m git.RefMove) error {
	infos, err := c.s.Repo().Infos(ctx, []git.ID{m.Old})
	if err != nil || infos[0].Type != "commit" {
		return err
	}
	if is, err := c.s.Repo().IsAncestor(ctx, m.Old, r.ID); is || err != nil {
		return err
	}
	p := Problem{Kind: "ref-overwritten", Object: r.Name, Repair: FixCommand}
	branch, ok := git.BranchName(r.Name)
	if !ok {
		return c.movedRoadmap(ctx, r, m, p)
	}
	lost, err := loss.Missing(ctx, c.s, r.ID, m.Old, *c.forgotten)
	if err != nil || lost.What() == "" {
		return err
	}
	expunged := expunge.RefuseExpunged(ctx, c.s, m.Old, m.Old.Short(), "")
	if expunged != nil && !errors.Is(expunged, fail.ErrRefused) {
		return expunged
	}
	p.Message = fmt.Sprintf("%s moved branch '%s' from %s to %s: it lacks %s", mover(m), branch, m.Old.Short(), m.New.Short(), lost.What())
	c.report(ctx, func(ctx context.Context) error {
		return mendBranch(ctx, c.s, c.w, branch, func(ctx context.Context, tx *store.Transaction, now *store.Tip) (*store.Draft, error) {
			if now.Commit().ID != r.ID {
				return nil, errMoved
			}
			if expunged != nil { // what was expunged must not come back with the history
				return lost.Restore(ctx, tx, now)
			}
			return lost.Rejoin(ctx, tx, now)
		})
	}, p)
	return nil
}

// movedRoadmap sets the roadmap forward again, if nobody has changed it since.
func (c *checker) movedRoadmap(ctx context.Context, r git.Ref, m git.RefMove, p Problem) error {
	p.Message = fmt.Sprintf("%s moved the roadmap from %s to %s", mover(m), m.Old.Short(), m.New.Short())
	behind, err := c.s.Repo().IsAncestor(ctx, r.ID, m.Old)
	if err != nil {
		return err
	}
	if !behind {
		p.Repair = "git diff " + string(r.ID) + " " + string(m.Old) + " shows what it lacks"
		c.report(ctx, nil, p)
		return nil
	}
	c.report(ctx, func(ctx context.Context) error {
		return c.moveRefs(ctx, "restore what a fetch overwrote", func(tx *git.Tx) { tx.Update(r.Name, m.Old, r.ID) })
	}, p)
	return nil
}
