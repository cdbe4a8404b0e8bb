package doc

import (
	"slices"
	"strings"

	"gopkg.in/yaml.v3"
)

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

// UnionValues returns a YAML list of the values in both, each once, ours first. It fails if
// one of them is not YAML.
func UnionValues(ours, theirs string) (string, error) {
	list := &yaml.Node{Kind: yaml.SequenceNode, Tag: "!!seq"}
	for _, text := range []string{ours, theirs} {
		n, err := decodeNode(text)
		if err != nil {
			return "", err
		}
		if n == nil {
			n = newNull()
		}
		items := []*yaml.Node{n}
		if n.Kind == yaml.SequenceNode {
			items = n.Content
		}
		for _, item := range items {
			if !slices.ContainsFunc(list.Content, func(have *yaml.Node) bool { return equalNodes(have, item) }) {
				list.Content = append(list.Content, item)
			}
		}
	}
	return encodeNode(list)
}

// QuoteValue formats a text as a YAML value for metadata.
func QuoteValue(text string) (string, error) { return encodeNode(newString(text)) }

// UnionTopics joins two versions of a topic: it unites their paths, and joins their texts
// through lines. A pin of either stays; what was confirmed or edited is dropped. Supersedes and the
// other keys of the front matter are those of ours, or theirs if ours has none. It fails if a version
// is no valid topic.
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
	merged.Text, err = lines(topics[0].Text, topics[1].Text, topics[2].Text)
	return string(merged.Bytes()), err
}
