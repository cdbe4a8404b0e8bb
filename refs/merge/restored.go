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
// removed it with a record, it counts as a part of the base. Else what that side removes comes back, and what it changes is a
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
		back, err := r.backOf(ctx, s, side)
		if err != nil {
			return all, err
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
