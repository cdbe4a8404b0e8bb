package refs

import (
	"context"
	"strings"

	"github.com/git-context/git-context/refs/doc"
	"github.com/git-context/git-context/refs/git"
)

// united is what a merge of two trees found.
type united struct {
	steps, milestones int    // that the source brought
	commits           []byte // the merged live commit.md, which the milestone of the merge goes into
	conflicts         []Conflict
}

// mergeTrees merges the source's documents into a change on the target. Every
// conflict is found before it returns; nothing but objects is written.
func (s *Store) mergeTrees(ctx context.Context, ses *session, c *change, target, source *Tip, bases []*Tip) (*united, error) {
	u := &united{}
	added := map[string]doc.OriginTotals{}
	both := sides{ours: target, theirs: source, totals: c.meta.Totals()}
	if len(bases) == 1 {
		both.base = bases[0]
		meta, err := s.metadata(ctx, both.base)
		if err != nil {
			return nil, err
		}
		both.baseTotals = meta.Totals()
	}
	log, _, err := ses.mergeEntries(ctx, logEntries, c, both)
	if err != nil {
		return nil, err
	}
	if err := ses.put(ctx, c.tree, doc.LogFile, log.Live); err != nil {
		return nil, err
	}
	for origin, n := range log.Origins {
		added[origin] = doc.OriginTotals{Steps: n}
	}
	u.steps = len(log.Added)
	commits, read, err := ses.mergeEntries(ctx, commitEntries, c, both)
	if err != nil {
		return nil, err
	}
	u.commits = commits.Live
	if u.milestones, err = countMilestones(read, commits.Added, added); err != nil {
		return nil, err
	}
	if err := ses.mergeMetadata(ctx, c, both.base, target, source, added, u); err != nil {
		return nil, err
	}
	return u, ses.mergeTopics(ctx, c, bases, target, source, u)
}

// mergeMetadata merges metadata.yaml by key path and counts what came.
func (ses *session) mergeMetadata(ctx context.Context, c *change, base, target, source *Tip, added map[string]doc.OriginTotals, u *united) error {
	read := func(t *Tip) ([]byte, error) {
		if t == nil {
			return nil, nil
		}
		return ses.s.optional(ctx, t, doc.MetadataFile)
	}
	b, err := read(base)
	if err != nil {
		return err
	}
	o, err := read(target)
	if err != nil {
		return err
	}
	t, err := read(source)
	if err != nil {
		return err
	}
	merged, conflicts, err := doc.MergeMetadata(b, o, t)
	if err != nil {
		return err
	}
	u.addConflicts(conflicts)
	if c.meta, err = doc.ParseMetadata(merged); err != nil {
		return err
	}
	totals := c.meta.Totals()
	totals.Steps += u.steps
	totals.Milestones += u.milestones
	if totals.Origins == nil {
		totals.Origins = map[string]doc.OriginTotals{}
	}
	for origin, n := range added {
		have := totals.Origins[origin]
		have.Steps += n.Steps
		have.Milestones += n.Milestones
		totals.Origins[origin] = have
	}
	return c.meta.SetTotals(totals)
}

// mergeTopics merges the topics one by one. Where several bases do not agree on a
// topic it counts as having none, so that neither side wins in silence:
//
//  1. the same on both sides, or theirs as in the base: ours stays;
//  2. ours as in the base: theirs is taken, also where that is an absence;
//  3. both differ from the base: the text merge decides, or it is a conflict.
func (ses *session) mergeTopics(ctx context.Context, c *change, bases []*Tip, target, source *Tip, u *united) error {
	var sides []map[string]git.ID // target, source, bases
	names := map[string]bool{}
	for _, t := range append([]*Tip{target, source}, bases...) {
		side, err := topicIDs(ctx, t)
		if err != nil {
			return err
		}
		for name := range side {
			names[name] = true
		}
		sides = append(sides, side)
	}
	for name := range names {
		o, t := sides[0][name], sides[1][name]
		b, agreed := agreed(sides[2:], name)
		if o == t || agreed && t == b {
			continue
		}
		if !agreed && t == "" {
			continue // what is missing on one side is kept where nobody says that it was removed
		}
		if err := ses.mergeTopic(ctx, c, name, b, o, t, u); err != nil {
			return err
		}
	}
	return nil
}

// agreed is what all bases have under a name.
func agreed(bases []map[string]git.ID, name string) (id git.ID, ok bool) {
	for i, b := range bases {
		if i > 0 && b[name] != id {
			return "", false
		}
		id = b[name]
	}
	return id, true
}

func (ses *session) mergeTopic(ctx context.Context, c *change, name string, b, o, t git.ID, u *united) error {
	path := doc.TopicDir + "/" + name
	if o == b {
		if t == "" {
			return c.tree.Remove(ctx, path)
		}
		return c.tree.Put(ctx, path, t)
	}
	texts := make([][]byte, 3)
	for i, id := range []git.ID{b, o, t} {
		if id == "" {
			continue
		}
		data, err := ses.s.repo.Blob(ctx, id)
		if err != nil {
			return err
		}
		texts[i] = append([]byte{}, data...) // never nil: nil is absent
	}
	text := func(base, ours, theirs []byte) ([]byte, bool, error) {
		return ses.s.repo.MergeFile(ctx, base, ours, theirs, [3]string{"base", "ours", "theirs"})
	}
	merged, conflict, err := doc.MergeTopic(strings.TrimSuffix(name, ".md"), texts[0], texts[1], texts[2], text)
	if err != nil {
		return err
	}
	if conflict != nil {
		u.addConflicts([]doc.Conflict{*conflict})
		return nil
	}
	if merged == nil {
		return c.tree.Remove(ctx, path)
	}
	return ses.put(ctx, c.tree, path, merged)
}

func topicIDs(ctx context.Context, t *Tip) (map[string]git.ID, error) {
	ids := map[string]git.ID{}
	if t == nil {
		return ids, nil
	}
	list, err := t.list(ctx, doc.TopicDir)
	for _, e := range list {
		if e.Mode == git.ModeBlob {
			ids[e.Name] = e.ID
		}
	}
	return ids, err
}

func (u *united) addConflicts(list []doc.Conflict) {
	for _, c := range list {
		u.conflicts = append(u.conflicts, Conflict{Path: c.Path, Kind: c.Kind, Base: c.Base, Ours: c.Ours, Theirs: c.Theirs})
	}
}
