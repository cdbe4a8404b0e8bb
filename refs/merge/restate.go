package merge

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/git-context/git-context/refs/doc"
	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/prose"
	"github.com/git-context/git-context/refs/store"
)

// Additions are entries to add to one of the two documents of a branch that are sets of entries.
type Additions struct {
	Entries doc.Entries
	Replace map[string]bool // ids whose entries in the branch are left out
}

// Restate returns a draft on top of a tip whose documents, totals and trailers agree: each entry
// once, and everything counted. It adds entries to log.md and to commit.md. It reads the whole
// branch.
func Restate(ctx context.Context, tx *store.Transaction, tip *store.Tip, subject string, steps, commits Additions) (*store.Draft, error) {
	c, err := tx.Follow(ctx, tip, subject)
	if err != nil {
		return nil, err
	}
	if !doc.ValidID(c.Newest) {
		c.Newest = ""
	}
	r := restatement{tx: tx, c: c, tip: tip, totals: doc.Totals{Origins: map[string]doc.OriginTotals{tip.Name(): {}}}}
	if err := r.document(ctx, store.LogEntries, steps); err != nil {
		return nil, err
	}
	if err := r.document(ctx, store.CommitEntries, commits); err != nil {
		return nil, err
	}
	facts := c.Meta.Branch()
	facts.Name, facts.Status = tip.Name(), cmp.Or(facts.Status, doc.StatusActive)
	if err := c.Meta.SetBranch(facts); err != nil {
		return nil, err
	}
	return c, c.Meta.SetTotals(r.totals)
}

// restatement is one Restate.
type restatement struct {
	tx     *store.Transaction
	c      *store.Draft
	tip    *store.Tip
	totals doc.Totals
}

// document unites one document with what is added to it, and counts its entries.
func (r *restatement) document(ctx context.Context, k store.EntryKind, add Additions) error {
	live, err := r.tip.OptionalDocument(ctx, k.File)
	if err != nil {
		return err
	}
	seg, err := DiffSegments(ctx, r.tx.Store, k.Dir, r.tip, nil, nil, true)
	if err != nil {
		return err
	}
	have := doc.Entries{Live: live, Segments: seg.Ours}
	if have, err = doc.RemoveEntries(k.File, have, add.Replace); err != nil {
		return err
	}
	u, err := k.Union(have, add.Entries)
	if err != nil {
		return err
	}
	if err := r.put(ctx, k, doc.Entries{Live: live, Segments: seg.Ours}, u); err != nil {
		return err
	}
	for _, f := range append(u.Segments, doc.File{Data: u.Live}) {
		if err := r.count(k, f.Data); err != nil {
			return err
		}
	}
	if k.File == doc.CommitFile {
		return SetLast(r.c, u.Live, r.tip.Commit())
	}
	return nil
}

// put writes the files of a union that differ from those of before.
func (r *restatement) put(ctx context.Context, k store.EntryKind, before doc.Entries, u doc.Union) error {
	had := make(map[string][]byte, len(before.Segments))
	for _, f := range before.Segments {
		had[f.Path] = f.Data
	}
	for _, f := range u.Segments {
		data, ok := had[f.Path]
		delete(had, f.Path)
		if ok && bytes.Equal(data, f.Data) {
			continue
		}
		if err := r.tx.Put(ctx, r.c.Tree, f.Path, f.Data); err != nil {
			return err
		}
	}
	for path := range had {
		if err := r.c.Tree.Remove(ctx, path); err != nil {
			return err
		}
	}
	if bytes.Equal(u.Live, before.Live) {
		return nil
	}
	return r.tx.Put(ctx, r.c.Tree, k.File, u.Live)
}

// count counts the entries of a file.
func (r *restatement) count(k store.EntryKind, data []byte) error {
	if k.File == doc.LogFile {
		steps, err := doc.ParseLog(data)
		for _, s := range steps {
			t := r.totals.Origins[s.Origin]
			t.Steps++
			r.totals.Steps++
			r.totals.Origins[s.Origin] = t
			r.c.Newest = max(r.c.Newest, s.ID)
		}
		return err
	}
	list, err := doc.ParseCommits(data)
	for _, m := range list {
		t := r.totals.Origins[m.Origin] // a birth makes the origin known, and counts nothing
		if m.Kind != doc.KindBirth {
			t.Commits++
			r.totals.Commits++
		}
		r.totals.Origins[m.Origin] = t
		r.c.Newest = max(r.c.Newest, m.ID)
	}
	return err
}

// SetLast sets the newest commit's summary of a branch whose commit.md was merged: from the last
// entry in its live file or, if everything is sealed, from either side.
func SetLast(c *store.Draft, live []byte, theirs *git.Commit) error {
	commits, err := doc.ParseCommits(live)
	if err != nil {
		return fmt.Errorf("the merged %s: %w", doc.CommitFile, err)
	}
	for _, m := range slices.Backward(commits) {
		if m.Kind != doc.KindBirth {
			c.Last = prose.OneLine(m.Summary, store.PurposeLimit)
			return nil
		}
	}
	c.Last = cmp.Or(c.Last, store.LastSummary(theirs))
	return nil
}
