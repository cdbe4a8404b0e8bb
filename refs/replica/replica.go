// Package replica compares and merges what two repositories have of one ref of memory: a branch, or the roadmap.
//
// Both sides make the same tree of the same two commits, whichever side is theirs, so that clones which merge at the same time agree.
// It writes objects through a transaction, queues no ref, and returns conflicts that are not settled instead of a commit.
//
// Errors are those of packages merge and store.
package replica

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/git-context/git-context/refs/doc"
	"github.com/git-context/git-context/refs/expunge"
	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/merge"
	"github.com/git-context/git-context/refs/prose"
	"github.com/git-context/git-context/refs/store"
)

// Relation says how one history relates to another one of the same name.
type Relation int

const (
	Same     Relation = iota
	Ahead             // ours contains all of theirs
	Behind            // theirs contains all of ours
	Diverged          // both have commits of their own
)

// Compare returns how two commits relate, and their merge bases.
func Compare(ctx context.Context, s *store.Store, ours, theirs git.ID) (Relation, []git.ID, error) {
	if ours == theirs {
		return Same, nil, nil
	}
	bases, err := s.Repo().MergeBases(ctx, ours, theirs)
	switch {
	case err != nil:
		return Same, nil, err
	case slices.Contains(bases, theirs):
		return Ahead, bases, nil
	case slices.Contains(bases, ours):
		return Behind, bases, nil
	}
	return Diverged, bases, nil
}

// Branch is one branch in two repositories.
type Branch struct {
	Ours, Theirs *store.Tip
	Bases        []git.ID
	From         string // where theirs comes from
	Settle       merge.Settler
	Roadmap      git.ID // that goes with the merge
	Show         bool   // see [merge.TreeMerge]
}

// Merge merges a replica into a memory commit without an entry, and queues nothing. With
// open conflicts it returns no commit.
func Merge(ctx context.Context, ses *store.Transaction, r Branch) (*git.Commit, *merge.United, error) {
	first, second, err := r.inOrder(ctx)
	if err != nil {
		return nil, nil, err
	}
	c, err := ses.Follow(ctx, first, fmt.Sprintf("Merge branch '%s' of %s", r.Ours.Name(), prose.OneLine(r.From, 100)))
	if err != nil {
		return nil, nil, err
	}
	c.Parents, c.Parent = []git.ID{r.Ours.Commit().ID, r.Theirs.Commit().ID}, r.Ours.Commit()
	c.SetRoadmap(r.Roadmap)
	u, err := mergeTrees(ctx, ses, c, r, first, second)
	if err != nil || merge.Unsettled(u.Conflicts) > 0 {
		return nil, u, err
	}
	if err := ses.Put(ctx, c.Tree, doc.CommitFile, u.Commits); err != nil {
		return nil, nil, err
	}
	newest, err := second.NewestEntry(ctx)
	if err != nil {
		return nil, nil, err
	}
	c.Newest = max(c.Newest, newest)
	if err := merge.SetLast(c, u.Commits, second.Commit()); err != nil {
		return nil, nil, err
	}
	if err := reopen(ctx, ses, c.Meta, r); err != nil {
		return nil, nil, err
	}
	if r.Show {
		// The base is the hidden form, which other clones do not know: for them the kept side has added what was removed since.
		if err := c.RecordRemoved(ctx, r.Theirs); err != nil {
			return nil, nil, err
		}
	}
	commit, err := ses.WriteObjects(ctx, c)
	return commit, u, err
}

// inOrder returns the two sides in an order that does not depend on which one is ours, so that all clones make one tree of them:
// the order of keys and items, what was detected in the code, and the code that was handed over are those of the first.
// It is the side with the newer COMMIT, by its id.
func (r Branch) inOrder(ctx context.Context) (first, second *store.Tip, err error) {
	if r.Show {
		return r.Ours, r.Theirs, nil
	}
	ours, _, err := r.Ours.LiveCommits(ctx)
	if err != nil {
		return nil, nil, err
	}
	theirs, _, err := r.Theirs.LiveCommits(ctx)
	order := cmp.Or(cmp.Compare(newestID(theirs), newestID(ours)), cmp.Compare(r.Ours.Commit().Tree, r.Theirs.Commit().Tree))
	if order > 0 {
		return r.Theirs, r.Ours, err
	}
	return r.Ours, r.Theirs, err
}

// mergeTrees merges the trees of the second side into that of the first. Of a conflict, ours is what is here.
func mergeTrees(ctx context.Context, ses *store.Transaction, c *store.Draft, r Branch, first, second *store.Tip) (*merge.United, error) {
	t := merge.TreeMerge{Ours: first, Theirs: second, Bases: r.Bases, Replica: true, Show: r.Show, Settle: r.Settle}
	if first == r.Ours {
		return merge.MergeTrees(ctx, ses, c, t)
	}
	t.Settle = flipped(r.Settle)
	u, err := merge.MergeTrees(ctx, ses, c, t)
	if u != nil {
		flipAll(u.Conflicts)
	}
	return u, err
}

// flipped is a settler for conflicts whose sides are exchanged.
func flipped(settle merge.Settler) merge.Settler {
	return func(ctx context.Context, c *store.Conflict) (*string, bool, error) {
		c.Ours, c.Theirs = c.Theirs, c.Ours
		text, ok, err := settle(ctx, c)
		c.Ours, c.Theirs = c.Theirs, c.Ours
		return text, ok, err
	}
}

func flipAll(conflicts []store.Conflict) {
	for i := range conflicts {
		c := &conflicts[i]
		c.Ours, c.Theirs = c.Theirs, c.Ours
	}
}

func newestID(list []doc.Commit) string {
	if len(list) == 0 {
		return ""
	}
	return list[len(list)-1].ID
}

// reopen makes a branch active again that one side closed without knowing all commits of the
// other.
func reopen(ctx context.Context, ses *store.Transaction, merged *doc.Metadata, r Branch) error {
	facts := merged.Branch()
	if facts.Status == doc.StatusActive {
		return nil
	}
	all, closed := merged.Totals().Commits, 0
	for _, side := range []*store.Tip{r.Ours, r.Theirs} {
		meta, err := side.Metadata(ctx)
		if err != nil {
			return err
		}
		if meta.Branch().Status == doc.StatusActive {
			continue
		}
		if closed++; closed == 2 || meta.Totals().Commits == all {
			return nil // the closing side knew everything, or both closed it
		}
	}
	facts.Status, facts.MergedInto, facts.MergedAt = doc.StatusActive, "", time.Time{}
	return merged.SetBranch(facts)
}

// MergeRoadmaps merges two commits of the roadmap into one, and queues nothing.
func MergeRoadmaps(ctx context.Context, ses *store.Transaction, ours, theirs git.ID, bases []git.ID, from string,
	settle merge.Settler, show bool) (*git.Commit, []store.Conflict, error) {
	base, err := merge.RoadmapBase(ctx, ses, bases)
	if err != nil {
		return nil, nil, err
	}
	base, again, err := merge.RestoredRoadmap(ctx, ses.Store, ours, theirs, base)
	if err != nil {
		return nil, nil, err
	}
	o, err := ses.Store.RoadmapAt(ctx, ours)
	if err != nil {
		return nil, nil, err
	}
	t, err := ses.Store.RoadmapAt(ctx, theirs)
	if err != nil {
		return nil, nil, err
	}
	merged, conflicts, err := mergeMain(ctx, ses, base, o, t, settle, show)
	if err != nil || merge.Unsettled(conflicts) > 0 {
		return nil, conflicts, err
	}
	tree := ses.Store.Repo().Edit("")
	if err := ses.PutMerged(ctx, tree, merged); err != nil {
		return nil, nil, err
	}
	if err := uniteTombstones(ctx, ses, tree, ours, theirs); err != nil {
		return nil, nil, err
	}
	record := store.RoadmapRecord{Reason: "Merge the roadmap of " + prose.OneLine(from, 100)}
	now := doc.ParseRoadmap(merged)
	record.Removes = slices.ContainsFunc(now.Lost(doc.ParseRoadmap(base)), func(p doc.Part) bool { return slices.Contains(again, p) })
	if show { // see [Merge]
		record.Removes = record.Removes || len(now.Lost(doc.ParseRoadmap(t))) > 0
	}
	if len(conflicts) > 0 && !record.Removes { // an answer may remove what a side has changed
		record.Removes = len(now.Lost(doc.ParseRoadmap(o)))+len(now.Lost(doc.ParseRoadmap(t))) > 0
	}
	c, err := ses.RoadmapCommit(ctx, tree, []git.ID{ours, theirs}, record)
	return c, conflicts, err
}

// mergeMain merges two main.md in an order that does not depend on which one is ours, see Branch.inOrder.
func mergeMain(ctx context.Context, ses *store.Transaction, base, ours, theirs []byte, settle merge.Settler, show bool) ([]byte, []store.Conflict, error) {
	if show || bytes.Compare(ours, theirs) <= 0 {
		return merge.MergeRoadmap(ctx, ses, base, ours, theirs, settle)
	}
	merged, conflicts, err := merge.MergeRoadmap(ctx, ses, base, theirs, ours, flipped(settle))
	flipAll(conflicts)
	return merged, conflicts, err
}

// uniteTombstones puts the tombstones of some commits of the roadmap into a tree. Both sides'
// tombstones apply, so that they never conflict.
func uniteTombstones(ctx context.Context, ses *store.Transaction, tree *git.Edit, sides ...git.ID) error {
	var all doc.Expunged
	for _, side := range sides {
		e, err := expunge.TombstonesAt(ctx, ses.Store, side)
		if err != nil {
			return err
		}
		all = all.Union(e)
	}
	if all.Empty() {
		return nil
	}
	return expunge.PutTombstones(ctx, ses, tree, all)
}
