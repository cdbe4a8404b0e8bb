package fsck

import (
	"context"
	"fmt"

	"github.com/git-context/git-context/refs/expunge"
	"github.com/git-context/git-context/refs/git"
)

// behindRefs reports branches, the roadmap and the notes that fell back to an older value, see [expunge.Behind]. It costs reading the
// reflog of each ref.
func (c *checker) behindRefs(ctx context.Context, list []git.Ref) error {
	for _, r := range list {
		if _, branch := git.BranchName(r.Name); !branch && r.Name != git.RoadmapRef && r.Name != git.NotesRef {
			continue
		}
		newest, err := expunge.Behind(ctx, c.s, r, c.whole)
		if err != nil {
			return err
		}
		if newest == "" {
			continue
		}
		c.report(ctx, func(ctx context.Context) error {
			return c.moveRefs(ctx, "set it forward again", func(tx *git.Tx) { tx.Update(r.Name, newest, r.ID) })
		}, Problem{Kind: "ref-behind", Object: r.Name, Repair: FixCommand,
			Message: fmt.Sprintf("ref '%s' fell back to %s: by its reflog it is at %s, which is here", r.Name, r.ID.Short(), newest.Short())})
	}
	return nil
}
