package doc

import (
	"fmt"
	"iter"
	"slices"

	"gopkg.in/yaml.v3"
)

// MergeMetadata merges the metadata of two branches; ours is the merge's target, and base
// is nil if there is none. It merges each key path on its own: it descends into maps, and
// treats lists and scalars as values. For a path,
//
//  1. detected keys and totals (see isDetected) are ours, and so is all of `branch`;
//  2. if both sides agree, or one side equals the base: as in simpleMerge;
//  3. if both are maps: key by key; keys that only theirs has come last, in its order;
//  4. if both set different values, or one changed what the other removed: conflict "key".
//
// The comments and the order of ours are kept. A whole segment that only theirs changed
// comes with its comments. In a conflict the result has the value of ours. It fails if a
// document cannot be parsed or the result exceeds MetadataLimit.
func MergeMetadata(base, ours, theirs []byte) ([]byte, []Conflict, error) {
	return mergeMetadata(base, ours, theirs, false)
}

// MergeMetadataReplica merges the metadata of one branch from two machines. It differs from
// MergeMetadata in the facts of the branch: see mergeFacts.
func MergeMetadataReplica(base, ours, theirs []byte) ([]byte, []Conflict, error) {
	return mergeMetadata(base, ours, theirs, true)
}

// metadataMerge is a merge in progress; the result is in ours.
type metadataMerge struct {
	base, ours, theirs *Metadata
	replica            bool // both sides are the same branch
	conflicts          []Conflict
}

func mergeMetadata(base, ours, theirs []byte, replica bool) ([]byte, []Conflict, error) {
	g := metadataMerge{replica: replica}
	for _, side := range []struct {
		name string
		data []byte
		m    **Metadata
	}{{"base", base, &g.base}, {"ours", ours, &g.ours}, {"theirs", theirs, &g.theirs}} {
		m, err := ParseMetadata(side.data)
		if err != nil {
			return nil, nil, fmt.Errorf("%s: metadata.yaml: %w", side.name, err)
		}
		*side.m = m
	}
	keys := g.ours.Keys()
	for _, k := range g.theirs.Keys() {
		if !slices.Contains(keys, k) {
			keys = append(keys, k)
		}
	}
	for _, key := range keys {
		if err := g.segment(key); err != nil {
			return nil, nil, err
		}
	}
	b, err := g.ours.Bytes()
	return b, g.conflicts, err
}

// segment merges one top-level key. Most segments are identical on both sides and are not
// even parsed.
func (g *metadataMerge) segment(key string) error {
	b, o, t := g.base.find(key), g.ours.find(key), g.theirs.find(key)
	if isDetected(key) || key == branchKey && !g.replica {
		return nil
	}
	switch {
	case sameBlock(o, t), sameBlock(b, t):
		return nil
	case !hasDetected(key) && sameBlock(b, o):
		g.takeBlock(key, o, t)
		return nil
	}
	bn, err := blockNode(b)
	if err != nil {
		return fmt.Errorf("base: %w", err)
	}
	on, err := blockNode(o)
	if err != nil {
		return fmt.Errorf("ours: %w", err)
	}
	tn, err := blockNode(t)
	if err != nil {
		return fmt.Errorf("theirs: %w", err)
	}
	before := cloneNode(on)
	if key == branchKey {
		g.alignFacts(on, tn)
	}
	merged, err := g.node([]string{key}, bn, on, tn)
	if err != nil {
		return err
	}
	return g.store(key, before, merged)
}

// store writes a merged value into ours. The text stays if the value did not change.
func (g *metadataMerge) store(key string, before, merged *yaml.Node) error {
	switch {
	case merged == nil:
		g.ours.drop(key)
		return nil
	case before != nil && equalNodes(before, merged):
		return nil
	}
	b := g.ours.find(key)
	if b == nil {
		b = g.ours.add(key)
	}
	b.root.Content[1] = merged
	return g.ours.rewrite(b)
}

// takeBlock replaces our segment by theirs.
func (g *metadataMerge) takeBlock(key string, o, t *block) {
	g.ours.edited = true
	switch {
	case t == nil:
		g.ours.drop(key)
	case o == nil:
		g.ours.blocks = append(g.ours.blocks, *t)
	default:
		lead := o.lead
		if *o = *t; lead != "" {
			o.lead = lead
		}
	}
}

func sameBlock(a, b *block) bool {
	if a == nil || b == nil {
		return a == b
	}
	return a.text == b.text
}

func blockNode(b *block) (*yaml.Node, error) {
	if b == nil {
		return nil, nil
	}
	return b.node()
}

// node merges the value at a path; nil means none.
func (g *metadataMerge) node(path []string, b, o, t *yaml.Node) (*yaml.Node, error) {
	dotted := joinPath(path)
	if isDetected(dotted) {
		return o, nil
	}
	if hasDetected(dotted) && (o == nil || isMap(o)) && (t == nil || isMap(t)) {
		return g.descend(path, b, o, t) // even if one side removed it: detected keys stay ours
	}
	if merged, ok := simpleMerge(b, o, t, equalNodes); ok {
		return merged, nil
	}
	if isMap(o) && isMap(t) {
		return g.descend(path, b, o, t)
	}
	c := Conflict{Path: "metadata.yaml#" + dotted, Kind: ConflictKey}
	for _, side := range []struct {
		n    *yaml.Node
		text **string
	}{{b, &c.Base}, {o, &c.Ours}, {t, &c.Theirs}} {
		if side.n == nil {
			continue
		}
		text, err := encodeNode(side.n)
		if err != nil {
			return nil, fmt.Errorf("metadata '%s': %w", dotted, err)
		}
		*side.text = &text
	}
	g.conflicts = append(g.conflicts, c)
	return o, nil
}

func isMap(n *yaml.Node) bool { return n != nil && n.Kind == yaml.MappingNode }

// descend merges two maps key by key, into the nodes of ours; nil means an empty map.
func (g *metadataMerge) descend(path []string, b, o, t *yaml.Node) (*yaml.Node, error) {
	merged := newMap()
	if o != nil {
		*merged = *o
		merged.Content = nil
	}
	add := func(key, v *yaml.Node) {
		if v != nil {
			merged.Content = append(merged.Content, key, v)
		}
	}
	for key, value := range pairs(o) {
		v, err := g.node(child(path, key.Value), lookup(b, key.Value), value, lookup(t, key.Value))
		if err != nil {
			return nil, err
		}
		add(key, v)
	}
	for key, value := range pairs(t) {
		if lookup(o, key.Value) != nil {
			continue
		}
		v, err := g.node(child(path, key.Value), lookup(b, key.Value), nil, value)
		if err != nil {
			return nil, err
		}
		add(key, v)
	}
	if len(merged.Content) == 0 && (o == nil || t == nil) {
		return nil, nil
	}
	if o == nil || len(o.Content) == 0 {
		merged.Style = 0 // no braces around entries that were merged in
	}
	return merged, nil
}

// pairs yields the keys and values of a map.
func pairs(n *yaml.Node) iter.Seq2[*yaml.Node, *yaml.Node] {
	return func(yield func(key, value *yaml.Node) bool) {
		if n == nil {
			return
		}
		for i := 0; i+1 < len(n.Content); i += 2 {
			if !yield(n.Content[i], n.Content[i+1]) {
				return
			}
		}
	}
}

func child(path []string, key string) []string { return append(slices.Clone(path), key) }

// isDetected reports whether the program itself detects the value at a path. Such a value
// never conflicts: the target's is kept, and the next COMMIT refreshes it.
func isDetected(path string) bool {
	switch path {
	case "file_structure.tree", "env_config.detected", "dependencies.detected", "detected_from", totalsKey:
		return true
	}
	return false
}

// hasDetected reports whether the map at a path may contain a detected key.
func hasDetected(path string) bool {
	return path == "file_structure" || path == "env_config" || path == "dependencies"
}

func cloneNode(n *yaml.Node) *yaml.Node {
	if n == nil {
		return nil
	}
	c := *n
	c.Content = make([]*yaml.Node, len(n.Content))
	for i := range n.Content {
		c.Content[i] = cloneNode(n.Content[i])
	}
	return &c
}
