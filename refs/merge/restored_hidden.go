package merge

import (
	"context"
	"strings"

	"github.com/git-context/git-context/refs/doc"
	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/store"
)

// addHidden adds what reads "(expunged)" on one side and is in no base, if the other side has removed the whole text with a record: what it
// was expunged from and what it was removed from are two forms of one history, which a refusal brings together. Else it would be new.
func (r *restorations) addHidden(ctx context.Context, s *store.Store, j TreeMerge, base *store.Tip, all *restored) error {
	tips := [2]*store.Tip{j.Ours, j.Theirs}
	for side, tip := range tips {
		topics, err := hiddenTopics(ctx, s, tip, tips[1-side], base)
		if err != nil {
			return err
		}
		keys, err := hiddenKeys(ctx, tip, tips[1-side], base)
		if err != nil {
			return err
		}
		if len(topics)+len(keys) == 0 {
			continue
		}
		removed, err := r.removals(ctx, s, 1-side)
		if err != nil {
			return err
		}
		if err := all.addHiddenTopics(ctx, s, topics, &removed); err != nil {
			return err
		}
		for _, key := range keys {
			if removed.keyWith(key, func(had doc.MetadataKey) bool { return key.Hides(had) }) {
				all.keys = append(all.keys, key)
			}
		}
	}
	return nil
}

// addHiddenTopics adds those of some topics of which a whole version was removed.
func (r *restored) addHiddenTopics(ctx context.Context, s *store.Store, topics map[string]git.ID, removed *removals) error {
	var list []change
	for version := range removed.topics {
		name := strings.TrimPrefix(version.path, doc.TopicDir+"/")
		if hidden := topics[name]; hidden != "" && r.topics[name] == "" && version.after != "" && removed.names[version.path] {
			list = append(list, change{path: version.path, before: hidden, after: version.after})
		}
	}
	list, err := affordable(ctx, s, list, mostRestored)
	if err != nil {
		return err
	}
	read := texts(s)
	for _, c := range list {
		whole, hidden, err := read.both(ctx, c)
		if err != nil {
			return err
		}
		if doc.Hides(hidden, whole) {
			r.topics[strings.TrimPrefix(c.path, doc.TopicDir+"/")] = c.before
		}
	}
	return nil
}

func texts(s *store.Store) reader[string] {
	return reader[string]{s: s, parse: func(data []byte) (string, error) { return string(data), nil }}
}

// hiddenTopics returns the topics of a tip, by file name, that read "(expunged)" and that another tip and a base lack.
func hiddenTopics(ctx context.Context, s *store.Store, tip, other, base *store.Tip) (map[string]git.ID, error) {
	var sides [3]map[string]git.ID
	for i, t := range []*store.Tip{tip, other, base} {
		var err error
		if sides[i], err = store.TopicIDs(ctx, t); err != nil {
			return nil, err
		}
	}
	var list []change
	for name, blob := range sides[0] {
		if sides[1][name] == "" && sides[2][name] == "" {
			list = append(list, change{path: name, after: blob})
		}
	}
	list, err := affordable(ctx, s, list, mostRestored)
	if err != nil {
		return nil, err
	}
	hidden := map[string]git.ID{}
	read := texts(s)
	for _, c := range list {
		text, err := read.at(ctx, c.after)
		if err != nil {
			return nil, err
		}
		if doc.HasMark(text) {
			hidden[c.path] = c.after
		}
	}
	return hidden, nil
}

// hiddenKeys returns the keys of a tip whose values read "(expunged)" and that another tip and a base lack.
func hiddenKeys(ctx context.Context, tip, other, base *store.Tip) (hidden []doc.MetadataKey, err error) {
	var sides [3]*doc.Metadata
	for i, t := range []*store.Tip{tip, other, base} {
		if sides[i], err = t.Metadata(ctx); err != nil {
			return nil, err
		}
	}
	keys, err := sides[2].Lost(sides[0], false)
	if err != nil {
		return nil, err
	}
	for _, key := range keys {
		has, err := sides[1].Has(key)
		if err != nil {
			return nil, err
		}
		if !has && key.Hidden() {
			hidden = append(hidden, key)
		}
	}
	return hidden, nil
}
