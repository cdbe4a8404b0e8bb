package fsck

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/git-context/git-context/refs/expunge"
	"github.com/git-context/git-context/refs/fail"
	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/incoming"
	"github.com/git-context/git-context/refs/loss"
	"github.com/git-context/git-context/refs/prose"
	"github.com/git-context/git-context/refs/store"
)

// rewound is what a branch was before another program, such as git filter-branch, rewrote its history into an invalid one.
type rewound struct {
	branch string
	tip    git.ID
	was    *git.Commit
	lost   *loss.Branch // what was written since
	unread error        // why that cannot be read, so that people decide
}

// mostRewound is how many moves of a branch since it was rewritten are looked through.
const mostRewound = 1000

// rewound returns what the reflog of a branch has before the move that brought the bad commits of its history: nil
// if they were added to it, or it cannot be told. What was expunged must not come back.
func (c *checker) rewound(ctx context.Context, v *memory, ref string, bad map[git.ID]bool) (*rewound, error) {
	if c.forgotten == nil {
		return nil, nil
	}
	branch, _ := git.BranchName(ref)
	moves, err := c.s.Repo().Moves(ctx, ref)
	if err != nil {
		return nil, err
	}
	tip := v.tipOf(ref)
	for _, m := range slices.Backward(moves[max(0, len(moves)-mostRewound):]) {
		if m.Old.IsZero() {
			return nil, nil
		}
		if v.leadsTo(m.Old, bad) {
			continue
		}
		sound, err := c.wasSound(ctx, git.Ref{Name: ref, ID: m.Old}, tip)
		if !sound || err != nil {
			return nil, err
		}
		was, err := c.s.Repo().Commit(ctx, m.Old)
		if err != nil {
			return nil, err
		}
		lost, err := loss.Missing(ctx, c.s, m.Old, tip, *c.forgotten)
		return &rewound{branch, tip, was, lost, err}, ctx.Err()
	}
	return nil, nil
}

// wasSound reports whether a commit that a branch once named still exists, is no part of the history of its tip, is valid, and leads
// to nothing that was expunged.
func (c *checker) wasSound(ctx context.Context, was git.Ref, tip git.ID) (bool, error) {
	infos, err := c.s.Repo().Infos(ctx, []git.ID{was.ID})
	if err != nil || infos[0].Type != "commit" {
		return false, err
	}
	if within, err := c.s.Repo().IsAncestor(ctx, was.ID, tip); within || err != nil {
		return false, err
	}
	flaws, err := incoming.Outgoing(ctx, c.s, incoming.Refs{Branches: []git.Ref{was}}, nil)
	if err == nil && len(flaws) == 0 {
		err = expunge.RefuseExpunged(ctx, c.s, was.ID, was.ID.Short(), "")
	}
	if errors.Is(err, fail.ErrRefused) || incoming.Unreadable(err) {
		return false, nil
	}
	return len(flaws) == 0, err
}

// unrewrite sets the branch back, and adds what was written since.
func (c *checker) unrewrite(ctx context.Context, r *rewound) error {
	if r.lost.What() == "" {
		return c.moveRefs(ctx, "set back a branch that was rewritten", func(tx *git.Tx) {
			tx.Update(git.BranchRef(r.branch), r.was.ID, r.tip)
		})
	}
	return mendBranch(ctx, c.s, c.w, r.branch, func(ctx context.Context, tx *store.Transaction, now *store.Tip) (*store.Draft, error) {
		if now.Commit().ID != r.tip {
			return nil, errMoved
		}
		return r.lost.Restore(ctx, tx, c.s.TipOf(r.branch, r.was))
	})
}

// rewrittenBranches reports the own branches that lead to a flaw and that can be set back, each with the flaws that were found by its ref,
// and removes these from flaws.
func (c *checker) rewrittenBranches(ctx context.Context, v *memory, flaws map[string][]Problem) error {
	bad := map[git.ID]bool{}
	for _, f := range v.flaws {
		bad[f.At.ID] = true
	}
	for _, t := range v.tips {
		if branch, ok := git.BranchName(t.Name); !ok || !isOwn(t.Name) || git.CheckBranchName(branch) != nil || !v.leadsTo(t.ID, bad) {
			continue
		}
		r, err := c.rewound(ctx, v, t.Name, bad)
		if err != nil {
			return err
		}
		if r == nil {
			continue
		}
		p := Problem{Kind: "branch-rewritten", Object: t.Name, Repair: FixCommand, Message: fmt.Sprintf(
			"another program rewrote branch '%s' into a history that is not valid; the repair sets it back to %s", r.branch, r.was.ID.Short())}
		if r.unread != nil {
			p.Message += "; what was written since cannot be read: " + r.unread.Error()
			p.Repair = fmt.Sprintf("git update-ref %s %s %s", prose.ShellWord(t.Name), r.was.ID, r.tip)
			c.report(ctx, nil, p)
			continue
		}
		if lost := r.lost.What(); lost != "" {
			p.Message += ", with " + lost + " written since"
		}
		all := append(flaws[t.Name], p)
		for i := range all {
			all[i].Repair = FixCommand
		}
		delete(flaws, t.Name)
		c.report(ctx, func(ctx context.Context) error { return c.unrewrite(ctx, r) }, all...)
	}
	return nil
}

// leadsTo reports whether a commit or one of its ancestors is in a set.
func (v *memory) leadsTo(id git.ID, set map[git.ID]bool) bool {
	seen := map[git.ID]bool{}
	for todo := []git.ID{id}; len(todo) > 0; {
		id, todo = todo[len(todo)-1], todo[:len(todo)-1]
		if set[id] {
			return true
		}
		if n := v.in.ByID[id]; n != nil && !seen[id] {
			seen[id] = true
			todo = append(todo, n.Parents...)
		}
	}
	return false
}
