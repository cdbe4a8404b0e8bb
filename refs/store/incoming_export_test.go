package store

import (
	"context"

	"github.com/git-context/git-context/refs/git"
)

// Incoming is incoming, for tests from outside.
type Incoming struct{ Branches, Tags, Roadmap, Notes []git.Ref }

// CheckIncoming is checkIncoming, for tests from outside.
func (s *Store) CheckIncoming(ctx context.Context, in Incoming) error {
	return s.checkIncoming(ctx, incoming{branches: in.Branches, tags: in.Tags, roadmap: in.Roadmap, notes: in.Notes})
}
