package doc

import (
	"maps"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"
)

// Answer is the resolution of a conflict: a text as Resolve takes it.
type Answer struct {
	Conflict Conflict
	Text     *string
}

// ResolveAll writes several resolutions as Resolve does. It formats each segment once: two sides may differ in thousands of keys of one.
func (m *Metadata) ResolveAll(answers []Answer) error {
	m.later = map[string]bool{}
	var err error
	for _, a := range answers {
		if err = m.Resolve(a.Conflict, a.Text); err != nil {
			break
		}
	}
	later := m.later
	m.later = nil
	for _, key := range slices.Sorted(maps.Keys(later)) {
		if b := m.find(key); b != nil && err == nil {
			err = m.rewrite(b)
		}
	}
	return err
}

// Resolve writes the resolution of a conflict of kind "key" into metadata: a value as in the
// conflict's texts, a value that Set takes, or nil to remove the key. A fact of the branch
// whose value is a list, as from UnionValues, gets one line per item. The errors are those
// of Set.
func (m *Metadata) Resolve(c Conflict, value *string) error {
	path := strings.TrimPrefix(c.Path, MetadataFile+"#")
	if value == nil {
		_, err := m.Unset(path)
		return err
	}
	parts, err := parsePath(path)
	if err != nil {
		return err
	}
	ofSide := sameText(c.Ours, *value) || sameText(c.Theirs, *value)
	n, err := decodeNode(*value)
	if isBranchFact(parts) { // facts are set as plain text
		if text, ok := factText(n, ofSide); ok {
			return m.Set(path, text)
		}
		return m.Set(path, strings.TrimSuffix(*value, "\n"))
	}
	if err == nil && n != nil && ofSide { // Set would keep a comment as part of a text
		n.HeadComment, n.LineComment, n.FootComment = "", "", ""
		return m.set(parts, n)
	}
	return m.Set(path, *value)
}

func sameText(side *string, text string) bool { return side != nil && *side == text }

// factText returns the text of a value; of a list, one line per item. It reports false if
// the value was probably not meant as YAML, such as two lines of prose. surely means that
// the value is known to be YAML.
func factText(n *yaml.Node, surely bool) (string, bool) {
	switch {
	case n == nil:
		return "", false
	case n.Kind == yaml.ScalarNode:
		return n.Value, surely || n.Style != 0
	case n.Kind != yaml.SequenceNode:
		return "", false
	}
	lines := make([]string, len(n.Content))
	for i, item := range n.Content {
		if item.Kind != yaml.ScalarNode {
			return "", false
		}
		lines[i] = item.Value
	}
	return strings.Join(lines, "\n"), true
}

// UnionKey returns what both sides of a conflict of kind "key" say: of a fact of the branch a list of the lines of both, else
// UnionValues.
func UnionKey(path, ours, theirs string) (string, error) {
	parts, err := parsePath(strings.TrimPrefix(path, MetadataFile+"#"))
	if err != nil {
		return "", err
	}
	if !isBranchFact(parts) {
		return UnionValues(ours, theirs)
	}
	return unionValues(ours, theirs, func(n *yaml.Node) []*yaml.Node {
		text, ok := factText(n, true)
		if !ok {
			return []*yaml.Node{n}
		}
		var items []*yaml.Node
		for line := range strings.SplitSeq(strings.TrimSuffix(text, "\n"), "\n") {
			items = append(items, newString(line))
		}
		return items
	})
}

// UnionValues returns a YAML list of the values in both, each once, ours first. If theirs has all values, it returns that or theirs,
// whichever is the bytewise smaller one in YAML, so that clones that made the same union in different orders come to one. It fails if
// one of them is not YAML.
func UnionValues(ours, theirs string) (string, error) {
	return unionValues(ours, theirs, func(n *yaml.Node) []*yaml.Node {
		if n.Kind == yaml.SequenceNode {
			return n.Content
		}
		return []*yaml.Node{n}
	})
}

// IsMap reports whether a value is a YAML map.
func IsMap(value string) bool {
	n, err := decodeNode(value)
	return err == nil && n != nil && n.Kind == yaml.MappingNode
}

func unionValues(ours, theirs string, items func(*yaml.Node) []*yaml.Node) (string, error) {
	var sides [2][]*yaml.Node // each value once
	for i, text := range []string{ours, theirs} {
		n, err := decodeNode(text)
		if err != nil {
			return "", err
		}
		if n == nil {
			n = newNull()
		}
		sides[i] = lackingNodes(items(n), nil)
	}
	news := lackingNodes(sides[1], sides[0])
	first, err := encodeList(append(sides[0], news...))
	if err != nil || len(lackingNodes(sides[0], sides[1])) > 0 || slices.EqualFunc(sides[0], sides[1], equalNodes) {
		return first, err
	}
	second, err := encodeList(sides[1])
	return min(first, second), err
}

// lackingNodes returns the nodes that a list lacks, each once.
func lackingNodes(nodes, list []*yaml.Node) (left []*yaml.Node) {
	has := make(map[string]bool, len(nodes)+len(list))
	for _, n := range list {
		has[nodeKey(n)] = true
	}
	for _, n := range nodes {
		if key := nodeKey(n); !has[key] {
			has[key] = true
			left = append(left, n)
		}
	}
	return left
}

func encodeList(nodes []*yaml.Node) (string, error) {
	return encodeNode(&yaml.Node{Kind: yaml.SequenceNode, Tag: "!!seq", Content: nodes})
}

// QuoteValue formats a text as a YAML value for metadata.
func QuoteValue(text string) (string, error) { return encodeNode(newString(text)) }

// UnionTopics joins two versions of a topic: it unites their paths, and joins their texts
// through lines. A pin of either stays; what was confirmed or edited is dropped. Supersedes and the
// other keys of the front matter are those of ours, or theirs if ours has none; where front matter has no room for the
// paths of both, it has those of ours. It fails if a version is no valid topic, or all of it has no room.
func UnionTopics(base, ours, theirs string, lines func(base, ours, theirs string) (string, error)) (string, error) {
	var topics [3]Topic
	for i, text := range []string{base, ours, theirs} {
		var err error
		if topics[i], err = ParseTopic([]byte(text)); err != nil {
			return "", err
		}
	}
	merged := topics[1]
	for _, p := range topics[2].Paths {
		if !slices.Contains(merged.Paths, p) {
			merged.Paths = append(merged.Paths, p)
		}
	}
	if merged.Supersedes == "" {
		merged.Supersedes = topics[2].Supersedes
	}
	if merged.Extra == "" {
		merged.Extra = topics[2].Extra
	}
	merged.Pinned, merged.Confirmed, merged.Edited = merged.Pinned || topics[2].Pinned, "", nil
	var err error
	if merged.Text, err = lines(topics[0].Text, topics[1].Text, topics[2].Text); err != nil {
		return "", err
	}
	if CheckTopic(merged.Bytes()) != nil {
		merged.Paths = topics[1].Paths
	}
	return string(merged.Bytes()), CheckTopic(merged.Bytes())
}
