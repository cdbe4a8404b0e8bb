package merge

import (
	"context"
	"slices"
	"strings"

	"github.com/git-context/git-context/refs/doc"
	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/store"
)

// restorations are the commits of two histories, ours and theirs, that brought back what a commit below them had lost, the oldest
// first. What they brought back is in no common ancestor, though it is not new: where the other side has it, too, or had it and
// removed that version with a record, it counts as a part of the base. Else what that side removes comes back, and what it changes is a
// conflict.
//
// Of two restorations of one thing on one side the older one counts: what it brought back is what was lost. A newer one
// may have brought back what that side has changed since, which would not count as changed then.
//
// Anybody can write such commits, of any size and number, so that a merge reads [mostRestored] bytes of main.md for the restorations
// of one side, as much for its records, and an eighth of metadata.yaml, which takes longer; the small versions first, each once.
// What it does not read is not in the base: then what one side removed of it comes back, and what both have in different forms is
// a conflict. Nothing is lost, and as the merge has both sides for parents, it is settled for all clones.
type restorations struct {
	tips [2]git.ID
	of   [2][]git.ID
}

// mostRestored is how many bytes of documents are read for one side.
const mostRestored = 4 << 20

// findRestorations asks git for those that changed a document and that one history has and the other one has not.
func findRestorations(ctx context.Context, s *store.Store, ours, theirs git.ID, paths ...string) (restorations, error) {
	r := restorations{tips: [2]git.ID{ours, theirs}}
	args := []string{"rev-list", "--left-right", "--topo-order", "--reverse", "--no-merges", "--full-history", "--extended-regexp",
		"--grep=^" + store.TrailerRestores + ": ", "--end-of-options", string(ours) + "..." + string(theirs), "--"}
	out, err := s.Repo().Run(ctx, append(args, paths...)...)
	if err != nil {
		return r, err
	}
	for line := range strings.Lines(string(out)) {
		side := 0
		if line[0] == '>' {
			side = 1
		}
		r.of[side] = append(r.of[side], git.ID(strings.TrimSpace(line[1:])))
	}
	return r, nil
}

// none reports whether there are none.
func (r *restorations) none() bool { return len(r.of[0])+len(r.of[1]) == 0 }

// removals are what one side has removed with a record and the other side does not know.
type removals struct {
	names  map[string]bool              // of the records
	topics map[change]bool              // versions that the side had, as after
	keys   map[string][]doc.MetadataKey // likewise, by path
}

// removals finds those of one side. Its restorations and the commits with records tell which versions it had: who has
// removed a text of their own has not removed that of another one.
func (r *restorations) removals(ctx context.Context, s *store.Store, side int) (removals, error) {
	g := removals{map[string]bool{}, map[change]bool{}, map[string][]doc.MetadataKey{}}
	news := string(r.tips[1-side]) + ".." + string(r.tips[side])
	out, err := s.Repo().View(ctx, "log", "--format=%(trailers:key="+store.TrailerRemoves+",valueonly)", "--end-of-options", news, "--")
	if err != nil {
		return g, err
	}
	for line := range strings.Lines(string(out)) {
		g.names[strings.TrimSpace(line)] = true
	}
	recorded, err := recording(ctx, s, news, doc.TopicDir, doc.MetadataFile)
	if err != nil {
		return g, err
	}
	list, err := changes(ctx, s, slices.Concat(r.of[side], recorded), func(change) bool { return true }, doc.TopicDir, doc.MetadataFile)
	if err != nil {
		return g, err
	}
	for _, c := range list {
		g.topics[change{path: c.path, after: c.before}], g.topics[change{path: c.path, after: c.after}] = true, true
	}
	list = slices.DeleteFunc(list, func(c change) bool { return c.path != doc.MetadataFile })
	if list, err = affordable(ctx, s, list, mostRestored/8); err != nil {
		return g, err
	}
	read := reader[*doc.Metadata]{s: s, parse: doc.ParseMetadata}
	for _, c := range list {
		now, before, err := read.both(ctx, c)
		if err != nil {
			return g, err
		}
		added, err := before.Lost(now, false)
		if err != nil {
			return g, err
		}
		gone, err := now.Lost(before, false)
		if err != nil {
			return g, err
		}
		for _, key := range append(added, gone...) {
			g.keys[key.Path] = append(g.keys[key.Path], key)
		}
	}
	return g, nil
}

// recording lists the commits of a range that have records and changed some files.
func recording(ctx context.Context, s *store.Store, news string, paths ...string) ([]git.ID, error) {
	out, err := s.Repo().Run(ctx, append([]string{"rev-list", "--no-merges", "--full-history", "--extended-regexp",
		"--grep=^" + store.TrailerRemoves + ": ", "--end-of-options", news, "--"}, paths...)...)
	var ids []git.ID
	for line := range strings.Lines(string(out)) {
		ids = append(ids, git.ID(strings.TrimSpace(line)))
	}
	return ids, err
}

// topic reports whether a version of a topic was removed.
func (g *removals) topic(c change) bool { return g.names[c.path] && g.topics[c] }

// key reports whether a key with that value was removed.
func (g *removals) key(key doc.MetadataKey) bool { return g.keyWith(key, key.Equal) }

// keyWith reports whether a key with such a value was removed.
func (g *removals) keyWith(key doc.MetadataKey, value func(doc.MetadataKey) bool) bool {
	return slices.ContainsFunc(key.Above(), func(path string) bool { return g.names[store.KeyRecord(path)] }) &&
		slices.ContainsFunc(g.keys[key.Path], value)
}

// restored are topics and keys that came back, or are hidden, and that a base lacks.
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
	tips := [2]*store.Tip{j.Ours, j.Theirs}
	for side := range tips {
		back, err := r.backOf(ctx, s, side)
		if err != nil {
			return all, err
		}
		if len(back.topics)+len(back.keys) == 0 {
			continue
		}
		removed, err := r.removals(ctx, s, 1-side)
		if err != nil {
			return all, err
		}
		there, err := store.TopicIDs(ctx, tips[1-side])
		if err != nil {
			return all, err
		}
		for name, blob := range back.topics {
			if have[name] == "" && all.topics[name] == "" && (there[name] != "" || removed.topic(change{path: doc.TopicDir + "/" + name, after: blob})) {
				all.topics[name] = blob
			}
		}
		if err := all.addKeys(ctx, back.keys, meta, tips[side], tips[1-side], &removed); err != nil {
			return all, err
		}
	}
	return all, nil
}

// addKeys adds the keys of a tip that a base lacks and the other tip has, or has removed.
func (r *restored) addKeys(ctx context.Context, keys []doc.MetadataKey, base *doc.Metadata, tip, other *store.Tip, removed *removals) error {
	mine, err := tip.Metadata(ctx)
	if err != nil {
		return err
	}
	others, err := other.Metadata(ctx)
	if err != nil {
		return err
	}
	for _, key := range keys {
		has, err := others.Has(key)
		if !has && err == nil && removed.key(key) {
			has, err = mine.Has(key)
		}
		if err != nil {
			return err
		}
		if !has {
			continue
		}
		had, err := base.Has(key)
		if err != nil {
			return err
		}
		if !had {
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
	if err != nil {
		return restored{}, nil, err
	}
	again := restored{topics: map[string]git.ID{}}
	if !r.none() {
		if again, err = r.ofBranch(ctx, tx.Store, j, base); err != nil {
			return restored{}, nil, err
		}
	}
	if err := r.addHidden(ctx, tx.Store, j, base, &again); err != nil {
		return restored{}, nil, err
	}
	base, err = again.onto(ctx, tx, base)
	return again, base, err
}

// backOf finds the topics and keys that commits of one side have and their parents have not.
func (r *restorations) backOf(ctx context.Context, s *store.Store, side int) (restored, error) {
	back := restored{topics: map[string]git.ID{}}
	list, err := changes(ctx, s, r.of[side], func(c change) bool { return c.path == doc.MetadataFile || c.before == "" && c.after != "" },
		doc.TopicDir, doc.MetadataFile)
	if err != nil {
		return back, err
	}
	meta := slices.DeleteFunc(list, func(c change) bool {
		if name, ok := strings.CutPrefix(c.path, doc.TopicDir+"/"); ok && back.topics[name] == "" {
			back.topics[name] = c.after
		}
		return c.path != doc.MetadataFile
	})
	if meta, err = affordable(ctx, s, meta, mostRestored/8); err != nil {
		return back, err
	}
	known := map[string]bool{}
	read := reader[*doc.Metadata]{s: s, parse: doc.ParseMetadata}
	for _, c := range meta {
		now, before, err := read.both(ctx, c)
		if err != nil {
			return back, err
		}
		keys, err := before.Lost(now, false)
		if err != nil {
			return back, err
		}
		for _, key := range keys {
			if !known[key.Path] {
				known[key.Path] = true
				back.keys = append(back.keys, key)
			}
		}
	}
	return back, nil
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
