package loss

import (
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/git-context/git-context/refs/doc"
	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/store"
)

// keptMetadata is how many metadata.yaml a search keeps; each has at most 64 KiB.
const keptMetadata = 16

// fewParents is for how many parents of a merge the others are asked whether they removed a key. Beyond that,
// records take their place, as for [mostBases].
const fewParents = 8

// metadataOf reads metadata.yaml of a commit. One that a commit lacks is empty.
func (f *finder) metadataOf(ctx context.Context, id git.ID) (*doc.Metadata, git.ID, error) {
	tree, err := f.tree(ctx, id)
	if err != nil {
		return nil, "", err
	}
	root, err := f.list(ctx, tree)
	if err != nil {
		return nil, "", err
	}
	blob := root[doc.MetadataFile].ID
	if m := f.metas[blob]; m != nil {
		return m, blob, nil
	}
	var data []byte
	if blob != "" {
		if data, err = f.s.Repo().Blob(ctx, blob); err != nil {
			return nil, "", err
		}
	}
	m, err := doc.ParseMetadata(data)
	if err != nil {
		return nil, "", err
	}
	if len(f.metas) >= keptMetadata {
		clear(f.metas)
	}
	f.metas[blob] = m
	return m, blob, nil
}

// keysOfMetadata returns the keys of metadata.yaml that a commit lacks of a parent without a record, as topics does for
// topics.
func (f *finder) keysOfMetadata(ctx context.Context, id, parent git.ID, birth bool, forgotten map[string]bool) ([]doc.MetadataKey, error) {
	now, blob, err := f.metadataOf(ctx, id)
	if err != nil {
		return nil, err
	}
	before, was, err := f.metadataOf(ctx, parent)
	if err != nil || was == blob {
		return nil, err
	}
	keys, err := now.Lost(before, !birth && before.Branch().Name == f.Branch)
	if err != nil || len(keys) == 0 {
		return nil, err
	}
	c, err := f.s.Repo().Commit(ctx, id)
	if err != nil {
		return nil, err
	}
	var lost []doc.MetadataKey
	for _, key := range keys {
		at := store.KeyRecord(key.Path)
		removed := removesKey(c, key, birth)
		if forgotten[at] = forgotten[at] || removed; forgotten[at] {
			continue
		}
		if removed, err = f.keyRemovedBeside(ctx, c, parent, key); err != nil {
			return nil, err
		}
		if !removed {
			lost = append(lost, key)
		}
	}
	if len(lost) == 0 {
		return nil, nil
	}
	if ours, err := f.isOurs(ctx, parent); !ours || err != nil {
		return lost, err
	}
	return f.keysHere(ctx, lost)
}

// keysHere returns what this repository's branch has in the places of keys that are lost.
func (f *finder) keysHere(ctx context.Context, lost []doc.MetadataKey) (keys []doc.MetadataKey, err error) {
	have, _, err := f.metadataOf(ctx, f.Have)
	if err != nil {
		return nil, err
	}
	for _, key := range lost {
		now, has, err := have.In(key)
		if err != nil {
			return nil, err
		}
		if has {
			keys = append(keys, now)
		}
	}
	return keys, nil
}

// removesKey reports whether a commit says that it removed a key of metadata.yaml. Before there was a record, the
// subject named a key that was unset, or set to a map that lacks others, and the text of a rollback the segments
// that changed; an import removed or replaced what an earlier one had left.
func removesKey(c *git.Commit, key doc.MetadataKey, birth bool) bool {
	above := key.Above()
	records := c.Trailers(store.TrailerRemoves)
	for _, path := range above {
		if slices.Contains(records, store.KeyRecord(path)) {
			return true
		}
	}
	subject := c.Subject()
	if c.Trailer(store.TrailerID) == "" {
		if path, ok := strings.CutPrefix(subject, store.SubjectUnset); ok {
			path, ok = doc.CanonicalPath(path)
			return ok && slices.Contains(above, path)
		}
		if path, ok := strings.CutPrefix(subject, store.SubjectSet); ok {
			path, ok = doc.CanonicalPath(path)
			return ok && slices.Contains(above, path) && strings.HasPrefix(key.Missing(), path+".")
		}
	}
	if above[0] == doc.KeyImported {
		return birth || strings.HasPrefix(subject, "Import ")
	}
	for line := range strings.Lines(c.Message) {
		if list, ok := strings.CutPrefix(strings.TrimSpace(line), doc.MetadataBack+": "); ok {
			list = ", " + strings.TrimSuffix(list, ".") + ","
			return strings.Contains(list, ", "+above[0]+",") || strings.HasSuffix(list, " more,")
		}
	}
	return false
}

// keyRemovedBeside reports whether another parent of a merge lacks a key that both parents come from.
func (f *finder) keyRemovedBeside(ctx context.Context, c *git.Commit, parent git.ID, key doc.MetadataKey) (bool, error) {
	if len(c.Parents) < 2 {
		return false, nil
	}
	if len(c.Parents) > fewParents || !f.mayAsk() {
		return f.keyRecorded(ctx, key)
	}
	has := func(ctx context.Context, id git.ID) (there, same bool, err error) {
		m, _, err := f.metadataOf(ctx, id)
		if err != nil {
			return false, false, err
		}
		if there, err = m.Has(key); err != nil || !there {
			return false, false, err
		}
		now, _, err := m.In(key)
		return true, now.Equal(key), err
	}
	recorded := func(ctx context.Context) (bool, error) { return f.keyRecorded(ctx, key) }
	return f.absentBeside(ctx, c, parent, has, recorded)
}

// keyRecorded reports whether any commit of the range has a record that it removed a key, see recorded.
func (f *finder) keyRecorded(ctx context.Context, key doc.MetadataKey) (bool, error) {
	for _, path := range key.Above() {
		if there, err := f.recorded(ctx, store.KeyRecord(path)); there || err != nil {
			return there, err
		}
	}
	return false, nil
}

// dropPresentKeys leaves out the keys that the tip has.
func (b *Branch) dropPresentKeys(ctx context.Context, f *finder) error {
	if len(b.keys) == 0 {
		return nil
	}
	now, _, err := f.metadataOf(ctx, f.Tip)
	if err != nil {
		return err
	}
	var left []lostKey
	for _, key := range b.keys {
		has, err := now.Has(key.MetadataKey)
		if err != nil {
			return err
		}
		if !has {
			left = append(left, key)
		}
	}
	b.keys = left
	return nil
}

// restoreKeys sets the lost keys again. If the document is then too large, or a value cannot be written beside the others, it
// first removes, with a record, what the commits that lost them have added: who adds that must not keep others from syncing.
// Nothing else is removed; it fails with doc.ErrOverLimit if that is not enough.
func (b *Branch) restoreKeys(ctx context.Context, c *store.Draft, branch string) error {
	if len(b.keys) == 0 {
		return nil
	}
	now, err := c.Meta.Bytes()
	if err != nil {
		return err
	}
	if err = b.putKeys(c.Meta); err == nil || b.added == nil {
		return store.NoRoom(branch, err)
	}
	if c.Meta, err = doc.ParseMetadata(now); err != nil {
		return err
	}
	asked := map[git.ID]bool{}
	for _, key := range b.keys {
		if asked[key.by] {
			continue
		}
		asked[key.by] = true
		added, err := b.added(ctx, key.by)
		if err != nil {
			return err
		}
		for _, path := range added {
			if _, err := c.Meta.Unset(path); err != nil {
				return err
			}
		}
	}
	if err := b.putKeys(c.Meta); err != nil {
		return store.NoRoom(branch, err)
	}
	before, err := doc.ParseMetadata(now)
	if err != nil {
		return err
	}
	return c.RecordRemovedKeys(before)
}

// addedBy returns the paths of the keys, or of the maps with them, that a commit has and none of its parents.
func (f *finder) addedBy(ctx context.Context, id git.ID, parents []git.ID) ([]string, error) {
	now, blob, err := f.metadataOf(ctx, id)
	if err != nil {
		return nil, err
	}
	var added map[string]string // what is missing in a parent, by the key
	for _, parent := range parents {
		before, was, err := f.metadataOf(ctx, parent)
		if err != nil || was == blob {
			return nil, err
		}
		keys, err := before.Lost(now, false)
		if err != nil {
			return nil, err
		}
		here := map[string]string{}
		for _, key := range keys {
			if path, had := added[key.Path]; added == nil || had {
				here[key.Path] = max(path, key.Missing()) // one begins with the other
			}
		}
		added = here
	}
	return slices.Collect(maps.Values(added)), nil
}

func (b *Branch) putKeys(m *doc.Metadata) error {
	if !slices.Contains(m.Keys(), "version") {
		if err := m.SetValue("version", 1); err != nil {
			return err
		}
	}
	for _, key := range b.keys {
		if err := m.Restore(key.MetadataKey); err != nil {
			return err
		}
	}
	return m.HasRoom()
}
