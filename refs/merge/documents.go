package merge

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/git-context/git-context/refs/doc"
	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/store"
)

// documents merges what of two trees is no set of entries: topics and metadata.
type documents struct {
	tx           *store.Transaction
	tree         *git.Edit  // what the result is put into; it begins as ours
	base         *store.Tip // nil for none
	ours, theirs *store.Tip
	replica      bool // the two are one branch, in two repositories
	settle       Settler
	room         *lineBudget
	conflicts    []store.Conflict // all that were found, settled or not

	ourTopics, theirTopics map[string]git.ID // see United
	merged                 map[string][]byte // topics that are neither side's, by path; see put
	removed                []string          // topics that an answer to a conflict removes
}

// conflict asks for the text where the sides differ.
func (d *documents) conflict(ctx context.Context, found doc.Conflict) (*string, bool, error) {
	c := conflictOf(found)
	text, ok, err := d.settle(ctx, &c)
	if err != nil {
		return nil, false, fmt.Errorf("%s: %w", c.Path, err)
	}
	c.Resolved = ok
	d.conflicts = append(d.conflicts, c)
	return text, ok, nil
}

func conflictOf(c doc.Conflict) store.Conflict {
	return store.Conflict{Path: c.Path, Kind: c.Kind, Base: c.Base, Ours: c.Ours, Theirs: c.Theirs}
}

// metadata merges metadata.yaml by key path. The result is not put into the tree:
// a change writes its own.
func (d *documents) metadata(ctx context.Context) (*doc.Metadata, error) {
	var texts [3][]byte
	for i, t := range []*store.Tip{d.base, d.ours, d.theirs} {
		if t == nil {
			continue
		}
		var err error
		if texts[i], err = t.OptionalDocument(ctx, doc.MetadataFile); err != nil {
			return nil, err
		}
	}
	merge := doc.MergeMetadata
	if d.replica {
		merge = doc.MergeMetadataReplica
	}
	merged, conflicts, err := merge(texts[0], texts[1], texts[2])
	if err != nil {
		return nil, err
	}
	m, err := doc.ParseMetadata(merged)
	if err != nil {
		return nil, err
	}
	var answers []doc.Answer
	for _, c := range conflicts {
		text, ok, err := d.conflict(ctx, c)
		if err != nil {
			return nil, err
		}
		if ok {
			answers = append(answers, doc.Answer{Conflict: c, Text: text})
		}
	}
	return m, m.ResolveAll(answers)
}

// recordKeys records which keys the answers to conflicts remove. What one side removed since the base needs no
// other record.
func (d *documents) recordKeys(ctx context.Context, c *store.Draft) error {
	if len(d.conflicts) == 0 {
		return nil
	}
	for _, side := range []*store.Tip{d.ours, d.theirs} {
		before, err := side.Metadata(ctx)
		if err != nil {
			return err
		}
		if err := c.RecordRemovedKeys(before); err != nil {
			return err
		}
	}
	return nil
}

// topics merges the topics one by one:
//
//  1. the same on both sides, or theirs as in the base: ours stays;
//  2. ours as in the base: theirs is taken, also where that is an absence;
//  3. both differ from the base: the text merge decides, or it is a conflict.
//
// Without a base nothing was removed: what is missing on one side is new on the
// other.
func (d *documents) topics(ctx context.Context) error {
	d.ourTopics, d.theirTopics, d.merged = map[string]git.ID{}, map[string]git.ID{}, map[string][]byte{}
	var sides [3]map[string]git.ID // base, ours, theirs
	all := map[string]bool{}
	for i, t := range []*store.Tip{d.base, d.ours, d.theirs} {
		var err error
		if sides[i], err = store.TopicIDs(ctx, t); err != nil {
			return err
		}
		for name := range sides[i] {
			all[name] = true
		}
	}
	for _, name := range slices.Sorted(maps.Keys(all)) { // see lineBudget
		b, o, t := sides[0][name], sides[1][name], sides[2][name]
		if o != t && t == b {
			d.ourTopics[name] = o
		}
		if o == t || t == b {
			continue
		}
		d.theirTopics[name] = t
		if err := d.topic(ctx, name, b, o, t); err != nil {
			return err
		}
	}
	return nil
}

func (d *documents) topic(ctx context.Context, name string, b, o, t git.ID) error {
	path := doc.TopicDir + "/" + name
	if o == b {
		if t == "" {
			return d.tree.Remove(ctx, path)
		}
		return d.tree.Put(ctx, path, t)
	}
	var texts [3][]byte
	for i, id := range []git.ID{b, o, t} {
		if id == "" {
			continue
		}
		data, err := d.tx.Store.Repo().Blob(ctx, id)
		if err != nil {
			return err
		}
		texts[i] = append([]byte{}, data...) // never nil: nil is absent
	}
	merged, conflict, err := doc.MergeTopic(strings.TrimSuffix(name, ".md"), texts[0], texts[1], texts[2], textMerge(ctx, d.tx, d.room))
	if err != nil {
		return err
	}
	if conflict != nil {
		text, ok, err := d.conflict(ctx, *conflict)
		switch {
		case err != nil || !ok:
			return err
		case text == nil:
			merged = nil
		default:
			merged = []byte(*text)
		}
	}
	if merged == nil {
		if conflict != nil {
			d.removed = append(d.removed, strings.TrimSuffix(name, ".md"))
		}
		return d.tree.Remove(ctx, path)
	}
	d.merged[path] = merged
	return nil
}

// put stores the topics that are neither side's. A merge with open conflicts must not: no ref would ever lead to them, and
// an expunge cannot tell such a text from the user's.
func (d *documents) put(ctx context.Context) error {
	for path, data := range d.merged {
		if err := d.tx.Put(ctx, d.tree, path, data); err != nil {
			return err
		}
	}
	return nil
}

// artifacts adds the files that theirs has and ours lacks. A path has one content on all sides, and what is missing
// on one was never removed there.
func (d *documents) artifacts(ctx context.Context) error {
	theirs, err := store.ArtifactIDs(ctx, d.theirs, d.ours)
	if err != nil {
		return err
	}
	for path, id := range theirs {
		if err := d.tree.Put(ctx, path, id); err != nil {
			return err
		}
	}
	return nil
}

// virtual merges two bases into one that no commit has. Nothing of it is stored, for the same reason as in put.
func (d *documents) virtual(ctx context.Context) (*store.Tip, error) {
	if err := d.topics(ctx); err != nil {
		return nil, err
	}
	meta, err := d.metadata(ctx)
	if err != nil {
		return nil, err
	}
	data, err := meta.Bytes()
	if err != nil {
		return nil, err
	}
	d.merged[doc.MetadataFile] = data
	for path, data := range d.merged {
		if err := d.tree.Put(ctx, path, d.tx.Store.Repo().HoldBlob(data)); err != nil {
			return nil, err
		}
	}
	tree, err := d.tree.Hold(ctx)
	if err != nil {
		return nil, err
	}
	return d.tx.Store.TipOf(d.ours.Name(), &git.Commit{Tree: tree}), nil
}
