package fsck

import (
	"context"

	"github.com/git-context/git-context/refs/merge"
	"github.com/git-context/git-context/refs/store"
)

// restate adds a memory commit to a branch that makes documents and trailers agree: each entry
// once, and everything counted. It reads the whole branch.
func restate(ctx context.Context, s *store.Store, w store.Writer, branch string) error {
	return mendBranch(ctx, s, w, branch, func(ctx context.Context, ses *store.Transaction, tip *store.Tip) (*store.Draft, error) {
		return merge.Restate(ctx, ses, tip, "Count what branch "+branch+" contains", merge.Additions{}, merge.Additions{})
	})
}

// mendBranch adds a memory commit without an entry to a branch. What the next command mends by
// itself is no failure.
func mendBranch(ctx context.Context, s *store.Store, w store.Writer, branch string,
	build func(context.Context, *store.Transaction, *store.Tip) (*store.Draft, error)) error {
	_, err := s.ChangeBranch(ctx, branch, w, "fsck "+branch, build)
	return err
}
