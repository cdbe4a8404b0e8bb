package loss

import (
	"context"
	"slices"
	"strings"

	"github.com/git-context/git-context/refs/doc"
	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/store"
)

// keptMetadata is how many metadata.yaml a search keeps; each has at most 64 KiB.
const keptMetadata = 16

// keyKind are the keys of metadata.yaml, by their paths.
type keyKind struct {
	f  *finder
	by map[string]doc.MetadataKey // as they were lost
}

func (k keyKind) document(ctx context.Context, commit git.ID) (git.ID, error) {
	tree, err := k.f.tree(ctx, commit)
	if err != nil {
		return "", err
	}
	root, err := k.f.list(ctx, tree)
	return root[doc.MetadataFile].ID, err
}

func (k keyKind) lost(ctx context.Context, now, before git.ID, birth bool) ([]string, error) {
	have, err := k.f.metadata(ctx, now)
	if err != nil {
		return nil, err
	}
	had, err := k.f.metadata(ctx, before)
	if err != nil {
		return nil, err
	}
	name := had.Branch().Name // a side branch that was merged has facts of its own
	keys, err := have.Lost(had, !birth && (name == k.f.Branch || name == have.Branch().Name))
	paths := make([]string, len(keys))
	for i, key := range keys {
		paths[i], k.by[key.Path] = key.Path, key
	}
	return paths, err
}

func (k keyKind) has(ctx context.Context, document git.ID, path string) (bool, error) {
	keys, err := k.f.keysIn(ctx, document)
	if _, is := keys[path]; is || err != nil {
		return is, err
	}
	m, err := k.f.metadata(ctx, document)
	if err != nil {
		return false, err
	}
	return m.Has(k.by[path])
}

func (k keyKind) same(ctx context.Context, a, b git.ID, path string) (bool, error) {
	x, _, err := k.in(ctx, a, path)
	if err != nil {
		return false, err
	}
	y, _, err := k.in(ctx, b, path)
	return x.Equal(y), err
}

// in returns a key as a document has it.
func (k keyKind) in(ctx context.Context, document git.ID, path string) (doc.MetadataKey, bool, error) {
	keys, err := k.f.keysIn(ctx, document)
	if key, is := keys[path]; is || err != nil {
		return key, is, err
	}
	m, err := k.f.metadata(ctx, document)
	if err != nil {
		return doc.MetadataKey{}, false, err
	}
	return m.In(k.by[path])
}

// inOrder returns lost keys in the order of the documents that have them.
func (k keyKind) inOrder(ctx context.Context, owed map[string]git.ID) (keys []doc.MetadataKey, err error) {
	for _, document := range sources(owed) {
		all, err := k.f.allKeys(ctx, document)
		if err != nil {
			return nil, err
		}
		keys = append(keys, slices.DeleteFunc(all, func(key doc.MetadataKey) bool { return owed[key.Path] != document })...)
	}
	return keys, nil
}

// dropNested takes out of what is owed the keys that cannot stand beside each other, since one is a value and the other is in a map
// in its place: two sides have changed the key, and a merge lost both.
func (b *Branch) dropNested(ctx context.Context, f *finder, k keyKind, owed map[string]git.ID) error {
	for path := range owed {
		above := k.by[path].Above()
		for _, outer := range above[:len(above)-1] {
			if _, both := owed[outer]; !both {
				continue
			}
			if f.Judge {
				delete(owed, path)
				break
			}
			delete(owed, path)
			delete(owed, outer)
			if b.unclear != nil {
				break
			}
			var err error
			if b.unclear, err = f.refuses(ctx, f.Tip); err != nil {
				return err
			}
			break
		}
	}
	return nil
}

func (k keyKind) removal(ctx context.Context, commit git.ID, birth bool) (func(string) bool, error) {
	c, err := k.f.s.Repo().Commit(ctx, commit)
	if err != nil || !birth && !mayRemoveKeys(c) {
		return nil, err
	}
	removes := keyRemovals(c, birth)
	return func(path string) bool { return removes(k.by[path]) }, nil
}

// allKeys lists the keys of a metadata.yaml in its order.
func (f *finder) allKeys(ctx context.Context, blob git.ID) ([]doc.MetadataKey, error) {
	m, err := f.metadata(ctx, blob)
	if err != nil {
		return nil, err
	}
	empty, err := doc.ParseMetadata(nil)
	if err != nil {
		return nil, err
	}
	return empty.Lost(m, true)
}

// keysIn lists the keys of a metadata.yaml by their paths: of thousands, each would be looked for from the beginning.
func (f *finder) keysIn(ctx context.Context, blob git.ID) (map[string]doc.MetadataKey, error) {
	if keys := f.index[blob]; keys != nil {
		return keys, nil
	}
	all, err := f.allKeys(ctx, blob)
	if err != nil {
		return nil, err
	}
	keys := make(map[string]doc.MetadataKey, len(all))
	for _, key := range all {
		keys[key.Path] = key
	}
	if len(f.index) >= keptMetadata {
		clear(f.index)
	}
	f.index[blob] = keys
	return keys, nil
}

// metadata reads a metadata.yaml; "" is an empty one.
func (f *finder) metadata(ctx context.Context, blob git.ID) (*doc.Metadata, error) {
	if m := f.metas[blob]; m != nil {
		return m, nil
	}
	var data []byte
	if blob != "" {
		var err error
		if data, err = f.s.Repo().Blob(ctx, blob); err != nil {
			return nil, err
		}
	}
	m, err := doc.ParseMetadata(data)
	if err != nil {
		return nil, err
	}
	if len(f.metas) >= keptMetadata {
		clear(f.metas)
	}
	f.metas[blob] = m
	return m, nil
}

// metadataOf reads metadata.yaml of a commit. One that a commit lacks is empty.
func (f *finder) metadataOf(ctx context.Context, id git.ID) (*doc.Metadata, error) {
	blob, err := keyKind{f: f}.document(ctx, id)
	if err != nil {
		return nil, err
	}
	return f.metadata(ctx, blob)
}

// mayRemoveKeys reports whether a commit that is not the first of a branch can have what keyRemovals finds.
func mayRemoveKeys(c *git.Commit) bool {
	subject := c.Subject()
	return c.Trailer(store.TrailerRemoves) != "" || strings.HasPrefix(subject, store.SubjectUnset) || strings.HasPrefix(subject, store.SubjectSet) ||
		strings.HasPrefix(subject, "Import ") || strings.Contains(c.Message, doc.MetadataBack+": ")
}

// keyRemovals returns a function that reports whether a commit says that it removed a key of metadata.yaml. It reads the message once: there may be
// thousands of keys. Before there was a record, the subject named a key that was unset, or set to a map that lacks others, and the text of a
// rollback the segments that changed; an import removed or replaced what an earlier one had left.
func keyRemovals(c *git.Commit, birth bool) func(doc.MetadataKey) bool {
	records := map[string]bool{}
	for _, record := range c.Trailers(store.TrailerRemoves) {
		records[record] = true
	}
	subject := c.Subject()
	named, unsets := strings.CutPrefix(subject, store.SubjectUnset)
	sets := false
	if !unsets {
		named, sets = strings.CutPrefix(subject, store.SubjectSet)
	}
	if c.Trailer(store.TrailerID) != "" {
		unsets, sets = false, false
	}
	named, isPath := doc.CanonicalPath(named)
	imports := birth || strings.HasPrefix(subject, "Import ")
	back, more := changedBack(c.Message)
	return func(key doc.MetadataKey) bool {
		above := key.Above()
		switch {
		case slices.ContainsFunc(above, func(path string) bool { return records[store.KeyRecord(path)] }):
			return true
		case unsets:
			return isPath && slices.Contains(above, named)
		case sets:
			return isPath && slices.Contains(above, named) && strings.HasPrefix(key.Missing(), named+".")
		case above[0] == doc.KeyImported:
			return imports
		}
		return more || back[above[0]]
	}
}

// changedBack lists the segments that the text of a rollback names; more says that it does not name all.
func changedBack(message string) (segments map[string]bool, more bool) {
	segments = map[string]bool{}
	for line := range strings.Lines(message) {
		if list, ok := strings.CutPrefix(strings.TrimSpace(line), doc.MetadataBack+": "); ok {
			list = strings.TrimSuffix(list, ".")
			for name := range strings.SplitSeq(list, ", ") {
				segments[name] = true
			}
			return segments, strings.HasSuffix(list, " more")
		}
	}
	return segments, false
}

// restoreKeys sets the lost keys again. If the document is then too large, or a value cannot be written beside the others, it
// first removes, with a record, the keys that spare lists: whoever adds such keys must not keep others from syncing. It
// fails with doc.ErrOverLimit if that is not enough.
func (b *Branch) restoreKeys(ctx context.Context, c *store.Draft, branch string) error {
	if len(b.keys) == 0 {
		return nil
	}
	now, err := c.Meta.Bytes()
	if err != nil {
		return err
	}
	if err = b.putKeys(c.Meta); err == nil || b.spare == nil {
		return store.NoRoom(branch, err)
	}
	if c.Meta, err = doc.ParseMetadata(now); err != nil {
		return err
	}
	spare, err := b.spare(ctx)
	if err != nil {
		return err
	}
	if err := c.Meta.UnsetAll(spare); err != nil {
		return err
	}
	if err := b.putKeys(c.Meta); err != nil {
		return store.NoRoom(branch, err)
	}
	b.Dropped = len(spare)
	before, err := doc.ParseMetadata(now)
	if err != nil {
		return err
	}
	return c.RecordRemovedKeys(before)
}

func (b *Branch) putKeys(m *doc.Metadata) error {
	if !slices.Contains(m.Keys(), "version") {
		if err := m.SetValue("version", 1); err != nil {
			return err
		}
	}
	if err := m.Restore(b.keys...); err != nil {
		return err
	}
	return m.HasRoom()
}
