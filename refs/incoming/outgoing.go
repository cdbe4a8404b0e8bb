package incoming

import (
	"context"
	"math"
	"slices"

	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/store"
)

// Outgoing checks refs of this repository by the rules of [Check], as every clone will that fetches them: the commits that they
// reach and those of known, which the others have, do not. It returns the first flaw of each ref that has
// any, by the ref's name. Another program, such as git filter-branch, may have made those commits. A branch must not end
// with a commit that left out its entry, which others would only restore: it can be restored here.
//
// It costs one rev-list, and reads what is new. An error says that history cannot be read here.
func Outgoing(ctx context.Context, s *store.Store, in Refs, known []git.ID) (map[string]Flaw, error) {
	tips := in.tips()
	if len(tips) == 0 {
		return nil, nil
	}
	found, err := flawed(ctx, s, tips, known)
	if err != nil || len(found) == 0 {
		return nil, err
	}
	flaws := map[string]Flaw{}
	for _, t := range tips { // two refs may share a commit, which names one of them
		found, err := flawed(ctx, s, []Tip{t}, known)
		if err != nil {
			return nil, err
		}
		if len(found) > 0 {
			flaws[t.Name] = found[0]
		}
	}
	return flaws, nil
}

// flawed lists what is invalid in the commits that tips reach and known does not, those of the oldest commits first.
func flawed(ctx context.Context, s *store.Store, tips []Tip, known []git.ID) ([]Flaw, error) {
	var ids []git.ID
	for _, t := range tips {
		ids = append(ids, t.ID)
	}
	for _, id := range known {
		if id != "" {
			ids = append(ids, "^"+id)
		}
	}
	latest, err := Latest(s)
	if err != nil {
		return nil, err
	}
	var flaws []Flaw
	c := NewInspection(s.Repo(), math.MaxInt32, latest)
	c.OnFlaw = func(f Flaw) { flaws = append(flaws, f) }
	list, err := s.Repo().History(ctx, ids)
	if err != nil || len(list) == 0 {
		return nil, err
	}
	if c.Absent, err = s.Repo().Absent(ctx, ids); err != nil {
		return nil, err
	}
	slices.Reverse(list)
	commits := c.mark(tips, list)
	meter := s.Repo().Meter("Checking what goes", len(commits))
	defer meter.End()
	for chunk := range slices.Chunk(commits, ChunkSize) {
		if err := c.CheckCommits(ctx, chunk); err != nil || len(flaws) > 0 {
			return flaws, err
		}
		meter.Add(len(chunk))
	}
	for _, t := range tips {
		if _, branch := git.BranchName(t.Name); branch && c.newer[t.ID] != "" {
			flaws = append(flaws, Flaw{c.ByID[t.ID].Spot(), FlawUnlisted, "it has left out the entry that its Context-Id names", nil})
		}
	}
	return flaws, nil
}
