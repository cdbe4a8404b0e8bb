package store

import (
	"context"

	"github.com/git-context/git-context/refs/git"
)

// Incoming is incoming, for tests from outside.
type Incoming struct{ Branches, Tags, Roadmap, Notes []git.Ref }

// CheckIncoming is checkIncoming, for tests from outside.
func (s *Store) CheckIncoming(ctx context.Context, in Incoming) error {
	return s.CheckIncomingX(ctx, IncomingX{Branches: in.Branches, Tags: in.Tags, Roadmap: in.Roadmap, Notes: in.Notes})
}
