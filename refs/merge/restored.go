package merge

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/git-context/git-context/refs/doc"
	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/store"
)

// restorations are the commits of two histories, ours and theirs, that brought back what a commit below them had lost.
// Where both brought back the same thing apart from each other, it is in no common ancestor, though it is new on neither
// side: what one of them removes or changes then must not count against the other's restoration.
type restorations [2][]*git.Commit

// mostRestored is how many restorations of one side are looked into, the newest first.
const mostRestored = 16

// findRestorations asks git for those that one history has and the other one has not.
func findRestorations(ctx context.Context, s *store.Store, ours, theirs git.ID) (r restorations, err error) {
	out, err := s.Repo().Run(ctx, "rev-list", "--left-right", "--no-merges", "--extended-regexp", "--grep=^"+store.TrailerRestores+": ", "--end-of-options",
		string(ours)+"..."+string(theirs))
	if err != nil {
		return r, err
	}
	var ids [2][]git.ID
	for line := range strings.Lines(string(out)) {
		id := strings.TrimSpace(line)
		side := 0
		if strings.HasPrefix(id, ">") {
			side = 1
		}
		if len(ids[side]) < mostRestored {
			ids[side] = append(ids[side], git.ID(strings.TrimLeft(id, "<>")))
		}
	}
	if len(ids[0]) == 0 || len(ids[1]) == 0 {
		return r, nil
	}
	for side, list := range ids {
		for _, id := range list {
			c, err := s.Repo().Commit(ctx, id)
			if err != nil {
				return r, err
			}
			if len(c.Parents) == 1 {
				r[side] = append(r[side], c)
			}
		}
	}
	return r, nil
}

// apart reports whether both sides have some.
func (r restorations) apart() bool { return len(r[0]) > 0 && len(r[1]) > 0 }

// restored are topics and keys that both sides brought back alike and their base lacks.
type restored struct {
	topics map[string]git.ID // by file name
	keys   []doc.MetadataKey
}

// ofBranch finds them.
func (r restorations) ofBranch(ctx context.Context, s *store.Store, branch string, base *store.Tip) (restored, error) {
	var sides [2]restored
	if !r.apart() {
		return restored{}, nil
	}
	for i, list := range r {
		sides[i].topics = map[string]git.ID{}
		for _, c := range list {
			if err := sides[i].add(ctx, s, branch, c); err != nil {
				return restored{}, err
			}
		}
	}
	have, err := store.TopicIDs(ctx, base)
	if err != nil {
		return restored{}, err
	}
	both := restored{topics: map[string]git.ID{}}
	for name, blob := range sides[0].topics {
		if have[name] == "" && sides[1].topics[name] == blob {
			both.topics[name] = blob
		}
	}
	meta, err := base.Metadata(ctx)
	if err != nil {
		return restored{}, err
	}
	for _, key := range sides[0].keys {
		has, err := meta.Has(key)
		if err != nil {
			return restored{}, err
		}
		if !has && slices.ContainsFunc(sides[1].keys, key.Equal) {
			both.keys = append(both.keys, key)
		}
	}
	return both, nil
}

// restoredBase returns what both replicas of a branch brought back apart from each other, and their base with it.
func restoredBase(ctx context.Context, tx *store.Transaction, j TreeMerge, base *store.Tip) (restored, *store.Tip, error) {
	if !j.Replica || base == nil {
		return restored{}, base, nil
	}
	apart, err := findRestorations(ctx, tx.Store, j.Ours.Commit().ID, j.Theirs.Commit().ID)
	if err != nil {
		return restored{}, nil, err
	}
	again, err := apart.ofBranch(ctx, tx.Store, j.Ours.Name(), base)
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
	for _, key := range r.keys {
		if err := meta.Restore(key); err != nil {
			return nil, err
		}
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
	for _, key := range r.keys {
		if err := before.Restore(key); err != nil {
			return err
		}
	}
	return c.RecordRemovedKeys(before)
}

// RestoredRoadmap returns a base of two commits of the roadmap with the parts that both sides brought back apart from each
// other, and those parts.
func RestoredRoadmap(ctx context.Context, s *store.Store, ours, theirs git.ID, base []byte) ([]byte, []doc.Part, error) {
	r, err := findRestorations(ctx, s, ours, theirs)
	if err != nil || !r.apart() {
		return base, nil, err
	}
	var sides [2]map[doc.Part]*doc.Roadmap
	for i, list := range r {
		if sides[i], err = partsOf(ctx, s, list); err != nil {
			return nil, nil, err
		}
	}
	healed := doc.ParseRoadmap(base)
	var both []doc.Part
	for _, c := range r[0] {
		now, err := s.RoadmapAt(ctx, c.ID)
		if err != nil {
			return nil, nil, err
		}
		with := doc.ParseRoadmap(now)
		var parts []doc.Part
		for _, part := range healed.Lost(with) {
			there := sides[1][part]
			if sides[0][part] != nil && there != nil && (part.Text != "" || with.Same(there)[part.Section]) {
				parts = append(parts, part)
			}
		}
		healed.Restore(parts, with)
		both = append(both, parts...)
	}
	if len(both) == 0 {
		return base, nil, nil
	}
	return healed.Bytes(), both, nil
}

// partsOf returns what commits of the roadmap have and their parents have not, with the newest that has it.
func partsOf(ctx context.Context, s *store.Store, list []*git.Commit) (map[doc.Part]*doc.Roadmap, error) {
	of := map[doc.Part]*doc.Roadmap{}
	for _, c := range list {
		now, err := s.RoadmapAt(ctx, c.ID)
		if err != nil {
			return nil, err
		}
		before, err := s.RoadmapAt(ctx, c.Parents[0])
		if errors.Is(err, git.ErrNotFound) { // beyond the edge of a shallow clone
			continue
		}
		if err != nil {
			return nil, err
		}
		with := doc.ParseRoadmap(now)
		for _, part := range doc.ParseRoadmap(before).Lost(with) {
			if of[part] == nil {
				of[part] = with
			}
		}
	}
	return of, nil
}
