package incoming

import (
	"context"
	"fmt"
	"slices"

	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/store"
)

// Sound is what is valid below a ref that is refused.
type Sound struct {
	Tips  []git.ID // the newest commits that are valid with their history, and that no other of them leads to
	Ahead bool     // an id is ahead of the clock, which may be the one that is wrong
}

// mostSound limits how many commits SoundBelow compares with each other.
const mostSound = 8

// SoundBelow looks for what is valid below a ref that [Check] refuses. What known reaches counts as valid. The limits
// are those of [Arrived]: what exceeds them is an error, and so is an object that is missing or damaged, because that
// may be a fault of this repository alone. It costs a check of all that the ref brings.
func SoundBelow(ctx context.Context, s *store.Store, t Tip, known []git.ID) (Sound, error) {
	var sound Sound
	limit, err := maxNewEntries(ctx, s)
	if err != nil {
		return sound, err
	}
	latest, err := Latest(s)
	if err != nil {
		return sound, err
	}
	ids := []git.ID{t.ID}
	for _, id := range known {
		ids = append(ids, "^"+id)
	}
	list, err := s.Repo().History(ctx, ids)
	if err != nil {
		return sound, err
	}
	slices.Reverse(list)
	c, bad := NewInspection(s.Repo(), limit, latest), map[git.ID]bool{}
	var lost error
	c.OnFlaw = func(f Flaw) {
		bad[f.At.ID] = true
		sound.Ahead = sound.Ahead || f.Kind == FlawAhead
		if f.Kind == FlawMissing || f.Kind == FlawDamaged {
			lost = f
		}
	}
	commits := c.mark([]Tip{t}, list)
	if c.objects -= len(commits); c.objects < 0 {
		return sound, c.tooMany(t.Name, fmt.Sprintf("more than %d objects", objectsExtra+objectsPerEntry*limit))
	}
	if err := c.checkKnown(ctx, []Tip{t}, commits); err != nil {
		return sound, err
	}
	for chunk := range slices.Chunk(commits, ChunkSize) {
		if err := c.CheckCommits(ctx, chunk); err != nil {
			return sound, err
		}
		if lost != nil {
			return sound, lost
		}
		for _, n := range chunk { // parents first
			bad[n.ID] = bad[n.ID] || slices.ContainsFunc(n.Parents, func(p git.ID) bool { return bad[p] })
		}
	}
	sound.Tips, err = c.newest(ctx, c.below(t.ID, bad))
	return sound, err
}

// below lists the first commits that are not bad on every way down from a commit.
func (c *Inspection) below(tip git.ID, bad map[git.ID]bool) (list []git.ID) {
	seen := map[git.ID]bool{tip: true}
	for queue := []git.ID{tip}; len(queue) > 0; queue = queue[1:] {
		id := queue[0]
		if !bad[id] {
			list = append(list, id)
			continue
		}
		n := c.ByID[id]
		if n == nil {
			continue
		}
		for _, p := range n.Parents {
			if !seen[p] {
				seen[p] = true
				queue = append(queue, p)
			}
		}
	}
	return list
}

// newest leaves out the commits that another of the list leads to. Of a long list it returns all.
func (c *Inspection) newest(ctx context.Context, list []git.ID) ([]git.ID, error) {
	if len(list) > mostSound {
		return list, nil
	}
	var left []git.ID
	for _, id := range list {
		old := false
		for _, other := range list {
			if other == id || old {
				continue
			}
			var err error
			if old, err = c.repo.IsAncestor(ctx, id, other); err != nil {
				return nil, err
			}
		}
		if !old {
			left = append(left, id)
		}
	}
	return left, nil
}
