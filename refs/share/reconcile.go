package share

import (
	"context"

	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/remote"
	"github.com/git-context/git-context/refs/replica"
)

// reconcile returns what to do with two histories that diverged. Two that are the same memory, merged differently (see
// [remote.Alike]), are not merged again: with two remotes, each clone would make one more such merge in each sync, for ever.
func (ex *exchanger) reconcile(ctx context.Context, ours, theirs git.ID) (replica.Relation, error) {
	alike, err := remote.Alike(ctx, ex.s, ours, theirs)
	if err != nil || !alike {
		return replica.Diverged, err
	}
	keep, err := ex.keeps(ctx, ours, theirs)
	if err != nil || keep {
		return replica.Same, err
	}
	return replica.Behind, nil
}

// keeps reports whether of two histories of the same memory the one that is here stays: if another remote has it, and it is
// the larger one in an order on which all clones agree. So clones which know both remotes have the same in the end,
// and do not go to and fro between them. The next commit brings one history to both remotes.
func (ex *exchanger) keeps(ctx context.Context, ours, theirs git.ID) (bool, error) {
	if larger, err := remote.Larger(ctx, ex.s, ours, theirs); err != nil || !larger {
		return false, err
	}
	return remote.Elsewhere(ctx, ex.s, ex.peer, ours)
}

// keepsNotes is keeps for notes that may have the same lines.
func (ex *exchanger) keepsNotes(ctx context.Context, ours, theirs git.ID) (bool, error) {
	if ours == "" {
		return false, nil
	}
	a, err := ex.s.Repo().Commit(ctx, ours)
	if err != nil {
		return false, err
	}
	b, err := ex.s.Repo().Commit(ctx, theirs)
	if err != nil || a.Tree != b.Tree {
		return false, err
	}
	if how, _, err := replica.Compare(ctx, ex.s, ours, theirs); err != nil || how != replica.Diverged {
		return false, err
	}
	return ex.keeps(ctx, ours, theirs)
}
