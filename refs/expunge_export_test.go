package refs

import (
	"context"

	"github.com/git-context/git-context/refs/doc"
	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/git/pack"
)

// Rewrite is rewriter.rewrite, for tests from outside.
func (s *Store) Rewrite(ctx context.Context, e doc.Expunged, tips []git.ID) (map[git.ID]git.ID, error) {
	return s.newRewriter(e).rewrite(ctx, tips)
}

// ExpungeAll is expungeAll, for tests from outside.
func (s *Store) ExpungeAll(ctx context.Context, e doc.Expunged) (ExpungeResult, error) {
	return s.expungeAll(ctx, Writer{}, e)
}

// KeptBy is keptBy, for tests from outside.
func KeptBy(k pack.Kept) string { return keptBy(k) }
