package incoming

import (
	"context"
	"slices"

	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/store"
)

// NewestSound returns the commit that a refused ref can be set back to: the first on the line of its first parents
// that is valid, and whose history is; "" if there is none. What known reaches counts as valid. The limits are those of
// [Arrived]. It costs a check of all that the ref brings.
func NewestSound(ctx context.Context, s *store.Store, t Tip, known []git.ID) (git.ID, error) {
	ids := []git.ID{t.ID}
	for _, id := range known {
		ids = append(ids, "^"+id)
	}
	limit, err := maxNewEntries(ctx, s)
	if err != nil {
		return "", err
	}
	latest, err := Latest(s)
	if err != nil {
		return "", err
	}
	bad := map[git.ID]bool{}
	c := NewInspection(s.Repo(), limit, latest)
	c.OnFlaw = func(f Flaw) { bad[f.At.ID] = true }
	list, err := s.Repo().History(ctx, ids)
	if err != nil {
		return "", err
	}
	slices.Reverse(list)
	commits := c.mark([]Tip{t}, list)
	if err := c.checkKnown(ctx, []Tip{t}, commits); err != nil {
		return "", err
	}
	for chunk := range slices.Chunk(commits, ChunkSize) {
		if err := c.CheckCommits(ctx, chunk); err != nil {
			return "", err
		}
		for _, n := range chunk { // parents first
			bad[n.ID] = bad[n.ID] || slices.ContainsFunc(n.Parents, func(p git.ID) bool { return bad[p] })
		}
	}
	return c.firstWithout(t.ID, bad), nil
}

// firstWithout returns the first commit on the line of first parents that is not bad; "" for none.
func (c *Inspection) firstWithout(id git.ID, bad map[git.ID]bool) git.ID {
	for bad[id] {
		n := c.ByID[id]
		if n == nil || len(n.Parents) == 0 {
			return ""
		}
		id = n.Parents[0]
	}
	return id
}
