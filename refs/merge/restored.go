package merge

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"

	"github.com/git-context/git-context/refs/doc"
	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/store"
)

// restorations are the commits of two histories, ours and theirs, that brought back what a commit below them had lost. What
// they brought back is in no common ancestor, though it is not new: where the other side has it, too, or had it and removed it with
// a record, it counts as a part of the base. Else what that side removes comes back, and what it changes is a conflict.
type restorations struct {
	tips [2]git.ID
	of   [2][]*git.Commit
}

// mostRestored is how many restorations of one side are looked into, the newest first.
const mostRestored = 256

// findRestorations asks git for those that changed a document and that one history has and the other one has not.
func findRestorations(ctx context.Context, s *store.Store, ours, theirs git.ID, paths ...string) (restorations, error) {
	r := restorations{tips: [2]git.ID{ours, theirs}}
	args := []string{"rev-list", "--left-right", "--no-merges", "--full-history", "--extended-regexp", "--grep=^" + store.TrailerRestores + ": ",
		"--end-of-options", string(ours) + "..." + string(theirs), "--"}
	out, err := s.Repo().Run(ctx, append(args, paths...)...)
	if err != nil {
		return r, err
	}
	for line := range strings.Lines(string(out)) {
		side := 0
		if line[0] == '>' {
			side = 1
		}
		if len(r.of[side]) >= mostRestored {
			continue
		}
		c, err := s.Repo().Commit(ctx, git.ID(strings.TrimSpace(line[1:])))
		if err != nil {
			return r, err
		}
		if len(c.Parents) == 1 {
			r.of[side] = append(r.of[side], c)
		}
	}
	return r, nil
}

// none reports whether there are none.
func (r *restorations) none() bool { return len(r.of[0])+len(r.of[1]) == 0 }

// records lists what one side removed with a record that the other side does not know.
func (r *restorations) records(ctx context.Context, s *store.Store, side int) (map[string]bool, error) {
	out, err := s.Repo().View(ctx, "log", "--format=%(trailers:key="+store.TrailerRemoves+",valueonly)", "--end-of-options",
		string(r.tips[1-side])+".."+string(r.tips[side]), "--")
	if err != nil {
		return nil, err
	}
	names := map[string]bool{}
	for line := range strings.Lines(string(out)) {
		names[strings.TrimSpace(line)] = true
	}
	return names, nil
}

// restored are topics and keys that came back and that a base lacks.
type restored struct {
	topics map[string]git.ID // by file name
	keys   []doc.MetadataKey
}

// ofBranch finds those that count as a part of the base.
func (r *restorations) ofBranch(ctx context.Context, s *store.Store, j TreeMerge, base *store.Tip) (restored, error) {
	all := restored{topics: map[string]git.ID{}}
	have, err := store.TopicIDs(ctx, base)
	if err != nil {
		return all, err
	}
	meta, err := base.Metadata(ctx)
	if err != nil {
		return all, err
	}
	for side, other := range []*store.Tip{j.Theirs, j.Ours} {
		back := restored{topics: map[string]git.ID{}}
		for _, c := range r.of[side] {
			if err := back.add(ctx, s, j.Ours.Name(), c); err != nil {
				return all, err
			}
		}
		if len(back.topics)+len(back.keys) == 0 {
			continue
		}
		removed, err := r.records(ctx, s, 1-side)
		if err != nil {
			return all, err
		}
		there, err := store.TopicIDs(ctx, other)
		if err != nil {
			return all, err
		}
		for name, blob := range back.topics {
			if have[name] == "" && all.topics[name] == "" && (there[name] != "" || removed[doc.TopicDir+"/"+name]) {
				all.topics[name] = blob
			}
		}
		others, err := other.Metadata(ctx)
		if err != nil {
			return all, err
		}
		if err := all.addKeys(back.keys, meta, others, removed); err != nil {
			return all, err
		}
	}
	return all, nil
}

// addKeys adds the keys that a base lacks and the other side has, or has removed.
func (r *restored) addKeys(keys []doc.MetadataKey, base, other *doc.Metadata, removed map[string]bool) error {
	for _, key := range keys {
		had, err := base.Has(key)
		if err != nil {
			return err
		}
		has, err := other.Has(key)
		if err != nil {
			return err
		}
		gone := slices.ContainsFunc(key.Above(), func(path string) bool { return removed[store.KeyRecord(path)] })
		if !had && (has || gone) {
			r.keys = append(r.keys, key)
		}
	}
	return nil
}

// restoredBase returns what came back on either side and counts as a part of the base of two replicas, and the base with it.
func restoredBase(ctx context.Context, tx *store.Transaction, j TreeMerge, base *store.Tip) (restored, *store.Tip, error) {
	if !j.Replica || base == nil {
		return restored{}, base, nil
	}
	r, err := findRestorations(ctx, tx.Store, j.Ours.Commit().ID, j.Theirs.Commit().ID, doc.TopicDir, doc.MetadataFile)
	if err != nil || r.none() {
		return restored{}, base, err
	}
	again, err := r.ofBranch(ctx, tx.Store, j, base)
	if err != nil {
		return restored{}, nil, err
	}
	base, err = again.onto(ctx, tx, base)
	return again, base, err
}

// add adds what a commit has and its parent has not. What newer commits brought back is there already.
func (r *restored) add(ctx context.Context, s *store.Store, branch string, c *git.Commit) error {
	now := s.TipOf(branch, c)
	before, err := s.TipAt(ctx, branch, c.Parents[0])
	if errors.Is(err, git.ErrNotFound) { // beyond the edge of a shallow clone
		return nil
	}
	if err != nil {
		return err
	}
	topics, err := store.TopicIDs(ctx, now)
	if err != nil {
		return err
	}
	had, err := store.TopicIDs(ctx, before)
	if err != nil {
		return err
	}
	for name, blob := range topics {
		if had[name] == "" && r.topics[name] == "" {
			r.topics[name] = blob
		}
	}
	meta, err := now.Metadata(ctx)
	if err != nil {
		return err
	}
	old, err := before.Metadata(ctx)
	if err != nil {
		return err
	}
	keys, err := old.Lost(meta, false)
	r.keys = append(r.keys, keys...)
	return err
}

// onto returns the base with what was restored.
func (r restored) onto(ctx context.Context, tx *store.Transaction, base *store.Tip) (*store.Tip, error) {
	if len(r.topics)+len(r.keys) == 0 {
		return base, nil
	}
	tree := tx.Store.Repo().Edit(base.Commit().Tree)
	for name, blob := range r.topics {
		if err := tree.Put(ctx, doc.TopicDir+"/"+name, blob); err != nil {
			return nil, err
		}
	}
	text, err := base.OptionalDocument(ctx, doc.MetadataFile)
	if err != nil {
		return nil, err
	}
	meta, err := doc.ParseMetadata(text)
	if err != nil {
		return nil, err
	}
	if err := meta.Restore(r.keys...); err != nil {
		return nil, err
	}
	data, err := meta.Bytes()
	if err != nil {
		return nil, err
	}
	if err := tree.Put(ctx, doc.MetadataFile, tx.Store.Repo().HoldBlob(data)); err != nil {
		return nil, err
	}
	id, err := tree.Hold(ctx)
	if err != nil {
		return nil, err
	}
	return tx.Store.TipOf(base.Name(), &git.Commit{Tree: id}), nil
}

// record records in the draft of a merge which of it one side has removed since: no common ancestor tells.
func (r restored) record(ctx context.Context, c *store.Draft) error {
	for name := range r.topics {
		if _, there, err := c.Tree.Entry(ctx, doc.TopicDir+"/"+name); err != nil {
			return err
		} else if !there {
			if err := c.RemoveTopic(ctx, strings.TrimSuffix(name, ".md")); err != nil {
				return err
			}
		}
	}
	if len(r.keys) == 0 {
		return nil
	}
	before, err := doc.ParseMetadata(nil)
	if err != nil {
		return err
	}
	if err := before.Restore(r.keys...); err != nil {
		return err
	}
	return c.RecordRemovedKeys(before)
}

// RestoredRoadmap returns a base of two commits of the roadmap with the parts that came back on either side and count as a part
// of it, and those parts.
func RestoredRoadmap(ctx context.Context, s *store.Store, ours, theirs git.ID, base []byte) ([]byte, []doc.Part, error) {
	r, err := findRestorations(ctx, s, ours, theirs, doc.RoadmapFile)
	if err != nil || r.none() {
		return base, nil, err
	}
	healed := doc.ParseRoadmap(base)
	var all []doc.Part
	for side, list := range r.of {
		back, err := partsOf(ctx, s, list)
		if err != nil {
			return nil, nil, err
		}
		removed, err := r.removedParts(ctx, s, 1-side)
		if err != nil {
			return nil, nil, err
		}
		other, err := s.RoadmapAt(ctx, r.tips[1-side])
		if err != nil {
			return nil, nil, err
		}
		absent := map[doc.Part]bool{}
		for part := range back.of {
			absent[part] = true
		}
		for _, part := range doc.ParseRoadmap(nil).Lost(doc.ParseRoadmap(other)) {
			delete(absent, part)
		}
		for _, c := range list {
			with := back.at[c.ID]
			if with == nil {
				continue
			}
			parts := slices.DeleteFunc(healed.Lost(with), func(part doc.Part) bool {
				return back.of[part] != c.ID || absent[part] && !removed[part]
			})
			healed.Restore(parts, with)
			all = append(all, parts...)
		}
	}
	if len(all) == 0 {
		return base, nil, nil
	}
	return healed.Bytes(), all, nil
}

// removedParts lists what commits of one side have removed from the roadmap with a record, which does not name it, and the other
// side does not know.
func (r *restorations) removedParts(ctx context.Context, s *store.Store, side int) (map[doc.Part]bool, error) {
	out, err := s.Repo().Run(ctx, "rev-list", "--no-merges", "--full-history", "--max-count="+strconv.Itoa(mostRestored), "--extended-regexp",
		"--grep=^"+store.TrailerRemoves+": ", "--end-of-options", string(r.tips[1-side])+".."+string(r.tips[side]), "--", doc.RoadmapFile)
	if err != nil {
		return nil, err
	}
	removed := map[doc.Part]bool{}
	for line := range strings.Lines(string(out)) {
		c, err := s.Repo().Commit(ctx, git.ID(strings.TrimSpace(line)))
		if err != nil {
			return nil, err
		}
		now, before, err := versions(ctx, s, c)
		if err != nil {
			return nil, err
		}
		if before == nil {
			continue
		}
		for _, part := range now.Lost(before) {
			removed[part] = true
		}
	}
	return removed, nil
}

// versions reads the roadmap of a commit of one parent and of that parent; nil for another commit, and at the edge of a
// shallow clone.
func versions(ctx context.Context, s *store.Store, c *git.Commit) (now, before *doc.Roadmap, err error) {
	if len(c.Parents) != 1 {
		return nil, nil, nil
	}
	old, err := s.RoadmapAt(ctx, c.Parents[0])
	if errors.Is(err, git.ErrNotFound) {
		return nil, nil, nil
	}
	if err != nil {
		return nil, nil, err
	}
	data, err := s.RoadmapAt(ctx, c.ID)
	if err != nil {
		return nil, nil, err
	}
	return doc.ParseRoadmap(data), doc.ParseRoadmap(old), nil
}

// broughtBack are parts of the roadmap by the commit that has them and whose parent has not, the newest one.
type broughtBack struct {
	of map[doc.Part]git.ID
	at map[git.ID]*doc.Roadmap
}

func partsOf(ctx context.Context, s *store.Store, list []*git.Commit) (broughtBack, error) {
	b := broughtBack{map[doc.Part]git.ID{}, map[git.ID]*doc.Roadmap{}}
	for _, c := range list {
		now, before, err := versions(ctx, s, c)
		if err != nil {
			return b, err
		}
		if before == nil {
			continue
		}
		for _, part := range before.Lost(now) {
			if b.of[part] == "" {
				b.of[part], b.at[c.ID] = c.ID, now
			}
		}
	}
	return b, nil
}
