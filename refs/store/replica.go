package store

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/git-context/git-context/refs/doc"
	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/prose"
)

// standing is how one history stands to another one of the same name.
type standing int

const (
	same     standing = iota
	ahead             // ours holds all of theirs
	behind            // theirs holds all of ours
	diverged          // each has something of its own, or they share nothing at all
)

// compare tells how two commits stand to each other, and what both come from.
func (s *Store) compare(ctx context.Context, ours, theirs git.ID) (standing, []git.ID, error) {
	if ours == theirs {
		return same, nil, nil
	}
	bases, err := s.repo.MergeBases(ctx, ours, theirs)
	switch {
	case err != nil:
		return same, nil, err
	case slices.Contains(bases, theirs):
		return ahead, bases, nil
	case slices.Contains(bases, ours):
		return behind, bases, nil
	}
	return diverged, bases, nil
}

// replica is one branch as it stands in two repositories.
type replica struct {
	ours, theirs *Tip
	bases        []git.ID
	from         string // where theirs comes from
	settle       settler
	roadmap      git.ID // as it stands with the merge
}

// mergeReplica merges them into a memory commit that is no milestone, and queues
// nothing. Where conflicts stay open there is no commit.
func (ses *Transaction) mergeReplica(ctx context.Context, r replica) (*git.Commit, *united, error) {
	c, err := ses.Follow(ctx, r.ours, fmt.Sprintf("Merge branch '%s' of %s", r.ours.branch, prose.OneLine(r.from, 100)))
	if err != nil {
		return nil, nil, err
	}
	c.parents = append(c.parents, r.theirs.commit.ID)
	c.standWith(r.roadmap)
	u, err := ses.mergeTrees(ctx, c, joining{ours: r.ours, theirs: r.theirs, bases: r.bases, replica: true, settle: r.settle})
	if err != nil || unsettled(u.conflicts) > 0 {
		return nil, u, err
	}
	if err := ses.Put(ctx, c.Tree, doc.CommitFile, u.commits); err != nil {
		return nil, nil, err
	}
	newest, err := ses.Store.newest(ctx, r.theirs)
	if err != nil {
		return nil, nil, err
	}
	c.Newest = max(c.Newest, newest)
	if err := c.SetLast(u.commits, r.theirs.commit); err != nil {
		return nil, nil, err
	}
	if err := ses.reopen(ctx, c.Meta, r); err != nil {
		return nil, nil, err
	}
	commit, err := ses.store(ctx, c)
	return commit, u, err
}

// setLast says what the newest milestone of a merged branch is: the last one in its
// live commit.md, or, where all of that is sealed, what either side says.
func (c *Draft) SetLast(live []byte, theirs *git.Commit) error {
	ms, err := doc.ParseCommits(live)
	if err != nil {
		return fmt.Errorf("the merged %s: %w", doc.CommitFile, err)
	}
	for _, m := range slices.Backward(ms) {
		if m.Kind != doc.KindBirth {
			c.last = prose.OneLine(m.Summary, PurposeLimit)
			return nil
		}
	}
	c.last = cmp.Or(c.last, lastSummary(theirs))
	return nil
}

// reopen makes a branch active again that one side closed without knowing all
// milestones that the other made.
func (ses *Transaction) reopen(ctx context.Context, merged *doc.Metadata, r replica) error {
	facts := merged.Branch()
	if facts.Status == doc.StatusActive {
		return nil
	}
	all, closed := merged.Totals().Milestones, 0
	for _, side := range []*Tip{r.ours, r.theirs} {
		meta, err := ses.Store.metadata(ctx, side)
		if err != nil {
			return err
		}
		if meta.Branch().Status == doc.StatusActive {
			continue
		}
		if closed++; closed == 2 || meta.Totals().Milestones == all {
			return nil // whoever closed it knew everything, or each what was its own
		}
	}
	facts.Status, facts.MergedInto, facts.MergedAt = doc.StatusActive, "", time.Time{}
	return merged.SetBranch(facts)
}

// mergeRoadmaps merges two commits of the roadmap into one, and queues nothing.
func (ses *Transaction) mergeRoadmaps(ctx context.Context, ours, theirs git.ID, bases []git.ID, from string, settle settler) (*git.Commit, []Conflict, error) {
	base, err := ses.roadmapBase(ctx, bases)
	if err != nil {
		return nil, nil, err
	}
	o, err := ses.Store.roadmapAt(ctx, ours)
	if err != nil {
		return nil, nil, err
	}
	t, err := ses.Store.roadmapAt(ctx, theirs)
	if err != nil {
		return nil, nil, err
	}
	merged, conflicts, err := ses.mergeRoadmap(ctx, base, o, t, settle)
	if err != nil || unsettled(conflicts) > 0 {
		return nil, conflicts, err
	}
	tree := ses.Store.repo.Edit("")
	if err := ses.Put(ctx, tree, doc.RoadmapFile, merged); err != nil {
		return nil, nil, err
	}
	if err := ses.uniteTombstones(ctx, tree, ours, theirs); err != nil {
		return nil, nil, err
	}
	c, err := ses.roadmapCommit(ctx, tree, []git.ID{ours, theirs}, "Merge the roadmap of "+prose.OneLine(from, 100))
	return c, conflicts, err
}
