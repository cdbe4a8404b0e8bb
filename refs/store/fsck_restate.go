package store

import (
	"bytes"
	"cmp"
	"context"
	"fmt"

	"github.com/git-context/git-context/refs/doc"
)

// restate makes a memory commit on a branch, which is no milestone, that says of it what
// its documents hold: each entry once, counted anew, and trailers that agree. It reads all
// of the branch.
func (s *Store) restate(ctx context.Context, w Writer, branch string) error {
	ses, err := s.begin(ctx, w, "fsck: restate "+branch, branch)
	if err != nil {
		return err
	}
	defer ses.close()
	var p pending
	var made *change
	err = ses.swap(ctx, func(ctx context.Context) error {
		tip, err := s.Tip(ctx, branch)
		if err != nil {
			return err
		}
		if p, err = s.pending(ctx, tip); err != nil {
			return err
		}
		if made, err = ses.recount(ctx, tip); err != nil {
			return err
		}
		commit, err := ses.write(ctx, made, tip.commit.ID)
		if err == nil {
			made.parent = commit
		}
		return err
	})
	if err != nil {
		return err
	}
	return ses.mark(ctx, branch, p.untouched(), made.parent.ID, 0, made.newest)
}

// recount is a change that leaves a branch as it is and says what that is.
func (ses *session) recount(ctx context.Context, tip *Tip) (*change, error) {
	c, err := ses.follow(ctx, tip, fmt.Sprintf("Count what branch %s holds", tip.branch))
	if err != nil {
		return nil, err
	}
	if !doc.ValidID(c.newest) {
		c.newest = ""
	}
	totals := doc.Totals{Origins: map[string]doc.OriginTotals{tip.branch: {}}}
	for _, k := range []entryKind{logEntries, commitEntries} {
		if err := ses.recountKind(ctx, c, tip, k, &totals); err != nil {
			return nil, err
		}
	}
	facts := c.meta.Branch()
	facts.Name, facts.Status = tip.branch, cmp.Or(facts.Status, doc.StatusActive)
	if err := c.meta.SetBranch(facts); err != nil {
		return nil, err
	}
	return c, c.meta.SetTotals(totals)
}

// recountKind counts the entries of one kind, and unites what holds one of them twice.
func (ses *session) recountKind(ctx context.Context, c *change, tip *Tip, k entryKind, totals *doc.Totals) error {
	live, err := ses.s.optional(ctx, tip, k.file)
	if err != nil {
		return err
	}
	seg, err := ses.s.diffSegments(ctx, k.dir, tip, nil, nil, true)
	if err != nil {
		return err
	}
	u, err := k.union(doc.Entries{Live: live, Segments: seg.ours}, doc.Entries{})
	if err != nil {
		return err
	}
	if len(u.Removed) > 0 || !bytes.Equal(u.Live, live) {
		if err := ses.putSegments(ctx, c, seg, u); err != nil {
			return err
		}
		if err := ses.put(ctx, c.tree, k.file, u.Live); err != nil {
			return err
		}
	}
	for _, data := range append(segmentTexts(u.Segments), u.Live) {
		if err := c.tally(k, data, totals); err != nil {
			return err
		}
	}
	if k.file == doc.CommitFile {
		return c.setLast(u.Live, tip.commit)
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
func (c *change) tally(k entryKind, data []byte, totals *doc.Totals) error {
	if k.file == doc.LogFile {
		steps, err := doc.ParseLog(data)
		for _, s := range steps {
			t := totals.Origins[s.Origin]
			t.Steps++
			totals.Steps++
			totals.Origins[s.Origin] = t
			c.newest = max(c.newest, s.ID)
		}
		return err
	}
	list, err := doc.ParseCommits(data)
	for _, m := range list {
		t := totals.Origins[m.Origin] // a birth makes the origin known, and counts nothing
		if m.Kind != doc.KindBirth {
			t.Milestones++
			totals.Milestones++
		}
		totals.Origins[m.Origin] = t
		c.newest = max(c.newest, m.ID)
	}
	return err
}
