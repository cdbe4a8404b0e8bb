package capture

import (
	"context"
	"fmt"
	"time"

	"github.com/git-context/git-context/refs/doc"
	"github.com/git-context/git-context/refs/expunge"
	"github.com/git-context/git-context/refs/prose"
	"github.com/git-context/git-context/refs/store"
)

// unsureUntil returns before when the steps of a session without a state may have been expunged; the zero time if no entry was.
//
// Hashes of the sources of expunged steps are local, and a user who removes a leaking repository and clones it anew has lost them,
// while the client's transcript still has the steps. A tombstone has no source, but the id in it has the time when the entry
// was written, and no step is newer than its entry. A remote may ask for any id: what is yet to come is never doubted.
func unsureUntil(ctx context.Context, s *store.Store) (until time.Time, err error) {
	gone, err := expunge.Tombstones(ctx, s)
	if err != nil {
		return time.Time{}, err
	}
	ids := gone.Entries()
	if len(ids) == 0 {
		return time.Time{}, nil
	}
	until = doc.IDTime(ids[len(ids)-1]).Add(time.Millisecond) // the time in an id is cut
	if now := s.Clock().UTC(); until.After(now) {
		until = now
	}
	return until, nil
}

// unsure reports whether a record may be of a step that was expunged. One without a time counts as old where the transcript is
// read from its beginning.
func (st *state) unsure(from int64, at time.Time) bool {
	return at.Before(st.Unsure) && (from == 0 || !at.IsZero())
}

// leftOut is the error that tells how many steps were left out because they may have been expunged, and how to get them.
// Those that the branch has are not missing.
func (c *capturing) leftOut(ctx context.Context) error {
	if len(c.doubted) == 0 {
		return nil
	}
	missing := map[string]bool{}
	for _, step := range c.doubted {
		missing[step.Source] = true
	}
	if err := c.s.EachSource(ctx, "", func(source string) { delete(missing, source) }); err != nil {
		return err
	}
	if len(missing) == 0 {
		return nil
	}
	return fmt.Errorf("%s of this session left out, with the words of their turns: all are older than an entry that was expunged, and only "+
		"the repository that recorded them knew which were expunged, too. If they are to be in memory all the same, all of them: "+
		"git context import --from %s %s", prose.Count(len(missing), "step"), c.turn.Client, prose.ShellWord(c.turn.Transcript))
}
