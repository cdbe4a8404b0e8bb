package merge

import (
	"context"
	"errors"

	"github.com/git-context/git-context/refs/doc"
	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/store"
)

// TreeMerge is one merge of two trees of memory.
type TreeMerge struct {
	Ours, Theirs *store.Tip
	Bases        []git.ID // the best common ancestors of the two
	Replica      bool     // the two are one branch, in two repositories
	Show         bool     // ours has entries of theirs with less text, which comes back
	Settle       Settler
	Prefer       string // the side whose content an entry gets that both have with two; "" where some are refused, see refuseRewritten
}

// United is the result of a merge of two trees.
type United struct {
	steps     int          // that the source brought
	brought   []doc.Commit // likewise, without births, in the order of their ids
	Commits   []byte       // the merged live commit.md, which the commit of the merge goes into
	Conflicts []store.Conflict

	// By file name, the topics that ours alone changed since the base, and those that theirs changed,
	// also where ours did; "" for a removed one.
	ourTopics, theirTopics map[string]git.ID
}

// Unsettled counts the open conflicts.
func Unsettled(list []store.Conflict) int {
	n := 0
	for _, c := range list {
		if !c.Resolved {
			n++
		}
	}
	return n
}

// MergeTrees merges the documents of theirs into a change on top of ours. Every
// conflict is found before it returns; nothing but objects is written.
func MergeTrees(ctx context.Context, tx *store.Transaction, c *store.Draft, j TreeMerge) (*United, error) {
	base, err := branchBase(ctx, tx, j.Ours.Name(), j.Bases, j.Replica)
	if err != nil {
		return nil, err
	}
	u := &United{}
	added := map[string]doc.OriginTotals{}
	both := sides{ours: j.Ours, theirs: j.Theirs, totals: c.Meta.Totals(), replica: j.Replica, show: j.Show, prefer: j.Prefer}
	if len(j.Bases) == 1 { // a virtual base has no entries
		both.base = base
		meta, err := base.Metadata(ctx)
		if err != nil {
			return nil, err
		}
		both.baseTotals = meta.Totals()
	}
	log, err := mergeEntries(ctx, tx, store.LogEntries, c, both)
	if err != nil {
		return nil, err
	}
	if err := tx.Put(ctx, c.Tree, doc.LogFile, log.Live); err != nil {
		return nil, err
	}
	for origin, n := range log.Origins {
		added[origin] = doc.OriginTotals{Steps: n}
	}
	u.steps = len(log.Added)
	commits, err := mergeEntries(ctx, tx, store.CommitEntries, c, both)
	if err != nil {
		return nil, err
	}
	u.Commits = commits.Live
	if u.brought, err = commitsOf(commits.theirs, commits.Added, added); err != nil {
		return nil, err
	}
	again, base, err := restoredBase(ctx, tx, j, base)
	if err != nil {
		return nil, err
	}
	d := &documents{tx: tx, tree: c.Tree, base: base, ours: j.Ours, theirs: j.Theirs, replica: j.Replica, settle: j.Settle, room: newLineBudget()}
	if c.Meta, err = d.metadata(ctx); err != nil {
		return nil, err
	}
	if err := d.recordKeys(ctx, c); err != nil {
		return nil, err
	}
	if err := addTotals(c.Meta, u, added, log.replaced, commits.replaced); err != nil {
		return nil, err
	}
	if err := d.artifacts(ctx); err != nil {
		return nil, err
	}
	if err = d.topics(ctx); err == nil && Unsettled(d.conflicts) == 0 {
		err = d.put(ctx)
	}
	err = errors.Join(err, d.record(ctx, c, again))
	u.Conflicts, u.ourTopics, u.theirTopics = d.conflicts, d.ourTopics, d.theirTopics
	return u, err
}

// record records which topics answers to conflicts remove, and what one side removed of what both have restored. What one side
// removed of what the base has, has its record there.
func (d *documents) record(ctx context.Context, c *store.Draft, again restored) error {
	for _, key := range d.removed {
		if err := c.RemoveTopic(ctx, key); err != nil {
			return err
		}
	}
	return again.record(ctx, c)
}

// addTotals counts what came, and no longer what it replaced of ours.
func addTotals(meta *doc.Metadata, u *United, added map[string]doc.OriginTotals, replaced ...map[string]doc.OriginTotals) error {
	totals := meta.Totals()
	totals.Steps += u.steps
	totals.Commits += len(u.brought)
	if totals.Origins == nil {
		totals.Origins = map[string]doc.OriginTotals{}
	}
	for origin, n := range added {
		have := totals.Origins[origin]
		have.Steps += n.Steps
		have.Commits += n.Commits
		totals.Origins[origin] = have
	}
	for _, list := range replaced {
		for origin, n := range list {
			have := totals.Origins[origin]
			totals.Steps, totals.Commits = max(0, totals.Steps-n.Steps), max(0, totals.Commits-n.Commits)
			have.Steps, have.Commits = max(0, have.Steps-n.Steps), max(0, have.Commits-n.Commits)
			if totals.Origins[origin] = have; have == (doc.OriginTotals{}) && added[origin] == have {
				delete(totals.Origins, origin)
			}
		}
	}
	return meta.SetTotals(totals)
}
