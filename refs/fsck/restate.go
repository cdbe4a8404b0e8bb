package fsck

import (
	"bytes"
	"cmp"
	"context"
	"fmt"

	"github.com/git-context/git-context/refs/doc"
	"github.com/git-context/git-context/refs/merge"
	"github.com/git-context/git-context/refs/share"
	"github.com/git-context/git-context/refs/store"
)

// restate adds a memory commit to a branch that makes documents and trailers agree: each entry
// once, and everything counted. It reads the whole branch.
func restate(ctx context.Context, s *store.Store, w store.Writer, branch string) error {
	ses, err := s.Begin(ctx, w, "fsck: restate "+branch, branch)
	if err != nil {
		return err
	}
	defer ses.Close()
	var p store.Pending
	var made *store.Draft
	err = ses.Swap(ctx, func(ctx context.Context) error {
		tip, err := s.Tip(ctx, branch)
		if err != nil {
			return err
		}
		if p, err = s.Pending(ctx, tip); err != nil {
			return err
		}
		if made, err = recount(ctx, ses, tip); err != nil {
			return err
		}
		commit, err := ses.Write(ctx, made, tip.Commit().ID)
		if err == nil {
			made.Parent = commit
		}
		return err
	})
	if err != nil {
		return err
	}
	return ses.Mark(ctx, branch, p.Untouched(), made.Parent.ID, 0, made.Newest)
}

// recount returns a draft with the counted totals of a branch.
func recount(ctx context.Context, ses *store.Transaction, tip *store.Tip) (*store.Draft, error) {
	c, err := ses.Follow(ctx, tip, fmt.Sprintf("Count what branch %s contains", tip.Name()))
	if err != nil {
		return nil, err
	}
	if !doc.ValidID(c.Newest) {
		c.Newest = ""
	}
	totals := doc.Totals{Origins: map[string]doc.OriginTotals{tip.Name(): {}}}
	for _, k := range []store.EntryKind{store.LogEntries, store.CommitEntries} {
		if err := recountKind(ctx, ses, c, tip, k, &totals); err != nil {
			return nil, err
		}
	}
	facts := c.Meta.Branch()
	facts.Name, facts.Status = tip.Name(), cmp.Or(facts.Status, doc.StatusActive)
	if err := c.Meta.SetBranch(facts); err != nil {
		return nil, err
	}
	return c, c.Meta.SetTotals(totals)
}

// recountKind counts the entries of one kind, and unites documents that contain an entry twice.
func recountKind(ctx context.Context, ses *store.Transaction, c *store.Draft, tip *store.Tip, k store.EntryKind,
	totals *doc.Totals) error {
	live, err := tip.OptionalDocument(ctx, k.File)
	if err != nil {
		return err
	}
	seg, err := merge.DiffSegments(ctx, ses.Store, k.Dir, tip, nil, nil, true)
	if err != nil {
		return err
	}
	u, err := k.Union(doc.Entries{Live: live, Segments: seg.Ours}, doc.Entries{})
	if err != nil {
		return err
	}
	if len(u.Removed) > 0 || !bytes.Equal(u.Live, live) {
		if err := merge.PutSegments(ctx, ses, c, seg, u); err != nil {
			return err
		}
		if err := ses.Put(ctx, c.Tree, k.File, u.Live); err != nil {
			return err
		}
	}
	for _, data := range append(segmentTexts(u.Segments), u.Live) {
		if err := tally(c, k, data, totals); err != nil {
			return err
		}
	}
	if k.File == doc.CommitFile {
		return share.SetLast(c, u.Live, tip.Commit())
	}
	return nil
}

func segmentTexts(files []doc.File) [][]byte {
	var texts [][]byte
	for _, f := range files {
		texts = append(texts, f.Data)
	}
	return texts
}

// tally counts the entries of a file.
func tally(c *store.Draft, k store.EntryKind, data []byte, totals *doc.Totals) error {
	if k.File == doc.LogFile {
		steps, err := doc.ParseLog(data)
		for _, s := range steps {
			t := totals.Origins[s.Origin]
			t.Steps++
			totals.Steps++
			totals.Origins[s.Origin] = t
			c.Newest = max(c.Newest, s.ID)
		}
		return err
	}
	list, err := doc.ParseCommits(data)
	for _, m := range list {
		t := totals.Origins[m.Origin] // a birth makes the origin known, and counts nothing
		if m.Kind != doc.KindBirth {
			t.Commits++
			totals.Commits++
		}
		totals.Origins[m.Origin] = t
		c.Newest = max(c.Newest, m.ID)
	}
	return err
}
