package doc

import (
	"maps"
	"slices"

	"gopkg.in/yaml.v3"
)

// MetadataKey is the path of a scalar or a list in metadata.yaml, with its value.
type MetadataKey struct {
	Path string // as Metadata.Set takes it

	parts   []string
	missing int // how many of the parts lead to what is missing: a segment or a map may be, with all in it
	value   *yaml.Node
}

// Missing returns the path of what is missing, which is the key or a map that contained it.
func (k MetadataKey) Missing() string { return JoinPath(k.parts[:k.missing]...) }

// Above returns the paths of the maps that contain the key, and at last its own.
func (k MetadataKey) Above() []string {
	paths := make([]string, len(k.parts))
	for i := range paths {
		paths[i] = JoinPath(k.parts[:i+1]...)
	}
	return paths
}

// Lost returns the keys of other metadata of the same branch, mostly of an earlier one, that m lacks. A key
// that has another value is not lacking, nor one in a map in whose place m has a scalar or a list other than
// null. Not looked at are the detected keys, the totals and the version; of the segment `branch`, what closing
// and renaming change; and keys whose name was expunged. facts includes the rest of `branch`. It fails if a
// value of either cannot be parsed.
func (m *Metadata) Lost(before *Metadata, facts bool) ([]MetadataKey, error) {
	var lost []MetadataKey
	for i := range before.blocks {
		b := &before.blocks[i]
		if b.key == "version" || isDetected(b.key) || b.key == branchKey && !facts {
			continue
		}
		now := m.find(b.key)
		if sameBlock(b, now) {
			continue
		}
		n, err := b.node()
		if err != nil {
			return nil, err
		}
		have, err := blockNode(now)
		if err != nil {
			return nil, err
		}
		lost = appendLost(lost, []string{b.key}, 0, n, have)
	}
	return lost, nil
}

// appendLost adds the keys of a value that the value in its place lacks. missing is the length of the path that
// is known to be missing; 0 for none.
func appendLost(lost []MetadataKey, path []string, missing int, before, now *yaml.Node) []MetadataKey {
	dotted := JoinPath(path...)
	if isDetected(dotted) || isExpungedKey(path[len(path)-1]) {
		return lost
	}
	if missing == 0 && now == nil {
		missing = len(path)
	}
	if !isMap(before) {
		if missing > 0 {
			lost = append(lost, MetadataKey{Path: dotted, parts: path, missing: missing, value: before})
		}
		return lost
	}
	if now != nil && !isMap(now) && now.ShortTag() != "!!null" { // that value was changed
		return lost
	}
	find := finding(now)
	for key, value := range pairs(before) {
		if dotted == branchKey && changes(key.Value, now) {
			continue
		}
		lost = appendLost(lost, child(path, key.Value), missing, value, find(key.Value))
	}
	return lost
}

// changes reports whether an act takes a fact away from the segment `branch`, given as it is now, without a
// record: renaming, closing and reopening, and a merge of two that were created apart.
func changes(fact string, branch *yaml.Node) bool {
	switch fact {
	case "name", "status", "merged_into", "merged_at":
		return true
	case "created_from":
		return lookup(branch, "created_at") != nil
	}
	return false
}

// Has reports whether there is a value at the place of a key, also one that leaves no room for it: a scalar or a
// list where it had a map.
func (m *Metadata) Has(k MetadataKey) (bool, error) {
	n, full, err := m.in(k)
	return n != nil || full, err
}

// In returns what there is in the place of a key; false if there is nothing, or no room for it.
func (m *Metadata) In(k MetadataKey) (MetadataKey, bool, error) {
	n, _, err := m.in(k)
	k.value = n
	return k, n != nil, err
}

// in returns the value in the place of a key; nil for none. full says that there is no room for one.
func (m *Metadata) in(k MetadataKey) (n *yaml.Node, full bool, err error) {
	b := m.find(k.parts[0])
	if b == nil {
		return nil, false, nil
	}
	if n, err = b.node(); err != nil {
		return nil, false, err
	}
	for _, p := range k.parts[1:] {
		switch {
		case n.ShortTag() == "!!null":
			return nil, false, nil
		case n.Kind != yaml.MappingNode:
			return nil, true, nil
		}
		if n = lookup(n, p); n == nil {
			return nil, false, nil
		}
	}
	return n, false, nil
}

// Equal reports whether two keys have the same path and value.
func (k MetadataKey) Equal(other MetadataKey) bool {
	return k.Path == other.Path && equalNodes(k.value, other.value)
}

// Hidden reports whether a value, or a part of it, reads "(expunged)".
func (k MetadataKey) Hidden() bool {
	text, err := encodeNode(cloneNode(k.value))
	return err == nil && HasMark(text)
}

// Hides reports whether a key is another one of whose value some lines read "(expunged)".
func (k MetadataKey) Hides(whole MetadataKey) bool {
	text, err := encodeNode(cloneNode(k.value))
	if err != nil || k.Path != whole.Path {
		return false
	}
	other, err := encodeNode(cloneNode(whole.value))
	return err == nil && Hides(text, other)
}

// Restore sets keys to the values that they had. Where Has is true, it changes nothing. Each segment is written once. After an
// error the metadata is of no use.
func (m *Metadata) Restore(keys ...MetadataKey) error {
	changed := map[string]bool{}
	for _, k := range keys {
		has, err := m.Has(k)
		if err != nil {
			return err
		}
		if !has {
			if _, err := m.place(k.parts, cloneNode(k.value)); err != nil {
				return err
			}
			changed[k.parts[0]] = true
		}
	}
	for segment := range changed {
		if err := m.rewrite(m.find(segment)); err != nil {
			return err
		}
	}
	return nil
}

// UnsetAll removes the values at some paths, and the maps that are empty then. Each segment is written once. After an error the metadata is
// of no use.
func (m *Metadata) UnsetAll(paths []string) error {
	gone := map[*yaml.Node]map[string]bool{}
	segments := map[string]bool{}
	for _, path := range paths {
		parts, err := parsePath(path)
		if err != nil {
			return err
		}
		if segments[parts[0]] = true; len(parts) == 1 {
			m.drop(parts[0])
			continue
		}
		parent, err := m.value(parts[:len(parts)-1])
		if err != nil {
			return err
		}
		if gone[parent] == nil {
			gone[parent] = map[string]bool{}
		}
		gone[parent][parts[len(parts)-1]] = true
	}
	for _, key := range slices.Sorted(maps.Keys(segments)) {
		b := m.find(key)
		if b == nil {
			continue
		}
		n, err := b.node()
		if err != nil {
			return err
		}
		if emptied(n, gone) {
			m.drop(key)
		} else if err := m.rewrite(b); err != nil {
			return err
		}
	}
	return nil
}

// emptied removes keys from a map and the maps below it, and reports whether that left nothing.
func emptied(n *yaml.Node, gone map[*yaml.Node]map[string]bool) bool {
	if n.Kind != yaml.MappingNode || len(n.Content) == 0 {
		return false
	}
	var left []*yaml.Node
	for key, value := range pairs(n) {
		if !gone[n][key.Value] && !emptied(value, gone) {
			left = append(left, key, value)
		}
	}
	n.Content = left
	return len(left) == 0
}

// CanonicalPath returns a path as JoinPath writes it; false if it is none.
func CanonicalPath(path string) (string, bool) {
	parts, err := parsePath(path)
	return JoinPath(parts...), err == nil
}
