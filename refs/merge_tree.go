package refs

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/git-context/git-context/refs/doc"
	"github.com/git-context/git-context/refs/git"
)

// united is what a merge of two trees found.
type united struct {
	steps, milestones int    // that the source brought
	commits           []byte // the merged live commit.md, which the milestone of the merge goes into
	newest            string // the newest entry id of the merged log
	conflicts         []Conflict
}

// mergeTrees merges the source's documents into a change on the target. Every
// conflict is found before it returns; nothing but objects is written.
func (s *Store) mergeTrees(ctx context.Context, ses *session, c *change, target, source *Tip, bases []*Tip) (*united, error) {
	u := &united{}
	added := map[string]doc.OriginTotals{}
	log, _, err := ses.mergeEntries(ctx, logEntries, c, target, source, bases)
	if err != nil {
		return nil, err
	}
	if err := ses.put(ctx, c.tree, doc.LogFile, log.Live); err != nil {
		return nil, err
	}
	steps, err := doc.ParseLog(log.Live)
	if err != nil {
		return nil, err
	}
	u.newest = newestID(nil, steps)
	for origin, n := range log.Origins {
		added[origin] = doc.OriginTotals{Steps: n}
	}
	u.steps = len(log.Added)
	commits, read, err := ses.mergeEntries(ctx, commitEntries, c, target, source, bases)
	if err != nil {
		return nil, err
	}
	u.commits = commits.Live
	if u.milestones, err = countMilestones(read, commits.Added, added); err != nil {
		return nil, err
	}
	var base *Tip
	if len(bases) > 0 {
		base = bases[0]
	}
	if err := ses.mergeMetadata(ctx, c, base, target, source, added, u); err != nil {
		return nil, err
	}
	return u, ses.mergeTopics(ctx, c, base, target, source, u)
}

// countMilestones counts by origin the entries that the source brought, without
// births, which are entries of commit.md and no milestones.
func countMilestones(read doc.Entries, ids []string, added map[string]doc.OriginTotals) (int, error) {
	files := [][]byte{read.Live}
	for _, f := range read.Segments {
		files = append(files, f.Data)
	}
	n := 0
	counted := map[string]bool{}
	for _, data := range files {
		ms, err := doc.ParseCommits(data)
		if err != nil {
			return 0, err
		}
		for _, m := range ms {
			if _, ok := slices.BinarySearch(ids, m.ID); !ok || m.Kind == doc.KindBirth || counted[m.ID] {
				continue
			}
			counted[m.ID] = true
			t := added[m.Origin]
			t.Milestones++
			added[m.Origin] = t
			n++
		}
	}
	return n, nil
}

// entryKind is one of the two documents that are sets of entries.
type entryKind struct {
	file, dir string
	union     func(ours, theirs doc.Entries) (doc.Union, error)
}

var (
	logEntries    = entryKind{doc.LogFile, doc.LogDir, doc.UnionLog}
	commitEntries = entryKind{doc.CommitFile, doc.CommitDir, doc.UnionCommits}
)

// mergeEntries unites the entries of both sides, and returns what it read of the
// source. The target's segments that stand in a base are left unread: their
// entries are older than the base and can stand a second time only where an
// entry older than the base, and not in its live file, turns up elsewhere. Then
// everything is read.
func (ses *session) mergeEntries(ctx context.Context, k entryKind, c *change, target, source *Tip, bases []*Tip) (doc.Union, doc.Entries, error) {
	var none doc.Union
	var read doc.Entries
	ours, err := ses.s.optional(ctx, target, k.file)
	if err != nil {
		return none, read, err
	}
	theirs, err := ses.s.optional(ctx, source, k.file)
	if err != nil {
		return none, read, err
	}
	seg, err := ses.s.diffSegments(ctx, k.dir, target, source, bases)
	if err != nil {
		return none, read, err
	}
	old, err := ses.s.reappears(ctx, k, seg, ours, theirs, bases)
	if err != nil {
		return none, read, err
	}
	if old {
		if seg, err = ses.s.diffSegments(ctx, k.dir, target, source, nil); err != nil {
			return none, read, err
		}
	}
	read = doc.Entries{Live: theirs, Segments: seg.theirs}
	u, err := k.union(doc.Entries{Live: ours, Segments: seg.ours}, read)
	if err != nil {
		return none, read, fmt.Errorf("merge %s of '%s': %w", k.file, source.branch, err)
	}
	return u, read, ses.putSegments(ctx, c, seg, u)
}

// putSegments writes a union's segments into the change's tree; its live file is
// left to the caller.
func (ses *session) putSegments(ctx context.Context, c *change, seg *segments, u doc.Union) error {
	for _, path := range u.Removed {
		if err := c.tree.Remove(ctx, path); err != nil {
			return err
		}
	}
	given := map[string][]byte{}
	for _, f := range seg.theirs {
		given[f.Path] = f.Data
	}
	for _, f := range u.Segments {
		if data, ok := given[f.Path]; ok && bytes.Equal(data, f.Data) { // taken as it is
			if err := c.tree.Put(ctx, f.Path, seg.ids[f.Path]); err != nil {
				return err
			}
			continue
		}
		if err := ses.put(ctx, c.tree, f.Path, f.Data); err != nil {
			return err
		}
	}
	return nil
}

// reappears reports whether a side holds, outside of the base's segments, an
// entry that is older than the base and that the base's live file does not hold.
func (s *Store) reappears(ctx context.Context, k entryKind, seg *segments, ours, theirs []byte, bases []*Tip) (bool, error) {
	if len(bases) == 0 {
		return false, nil // nothing was left unread
	}
	known := map[string]bool{}
	newest := ""
	for _, b := range bases {
		live, err := s.optional(ctx, b, k.file)
		if err != nil {
			return false, err
		}
		ids, err := doc.EntryIDs(k.file, live)
		if err != nil {
			return false, fmt.Errorf("%s of %s: %w", k.file, b.commit.ID, err)
		}
		for _, id := range ids {
			known[id] = true
			newest = max(newest, id)
		}
	}
	files := [][]byte{ours, theirs}
	for _, f := range append(seg.ours, seg.theirs...) {
		files = append(files, f.Data)
	}
	for _, data := range files {
		ids, err := doc.EntryIDs(k.file, data)
		if err != nil {
			return false, err
		}
		for _, id := range ids {
			if id <= newest && !known[id] {
				return true, nil
			}
		}
	}
	return false, nil
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

// mergeTopics merges the topics one by one:
//
//  1. the same on both sides, or theirs as in the base: ours stays;
//  2. ours as in the base: theirs is taken, also where that is an absence;
//  3. both differ from the base: the text merge decides, or it is a conflict.
func (ses *session) mergeTopics(ctx context.Context, c *change, base, target, source *Tip, u *united) error {
	sides := make([]map[string]git.ID, 3)
	for i, t := range []*Tip{base, target, source} {
		var err error
		if sides[i], err = topicIDs(ctx, t); err != nil {
			return err
		}
	}
	names := map[string]bool{}
	for _, side := range sides {
		for name := range side {
			names[name] = true
		}
	}
	for name := range names {
		b, o, t := sides[0][name], sides[1][name], sides[2][name]
		if o == t || t == b {
			continue
		}
		if err := ses.mergeTopic(ctx, c, name, b, o, t, u); err != nil {
			return err
		}
	}
	return nil
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
