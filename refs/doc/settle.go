package doc

import (
	"slices"
	"strings"

	"gopkg.in/yaml.v3"
)

// Settle puts what a conflict of kind "key" was settled with into metadata: a value as
// the conflict's texts have it, one that Set takes, or nothing at all for nil. Where
// a fact of the branch gets a list, as UnionValues makes it, each item is a line.
func (m *Metadata) Settle(c Conflict, value *string) error {
	path := strings.TrimPrefix(c.Path, MetadataFile+"#")
	if value == nil {
		_, err := m.Unset(path)
		return err
	}
	parts, err := parsePath(path)
	if err != nil {
		return err
	}
	ofSide := isText(c.Ours, *value) || isText(c.Theirs, *value)
	n, err := decodeNode(*value)
	if isBranchFact(parts) { // set by its text
		if text, ok := factText(n, ofSide); ok {
			return m.Set(path, text)
		}
		return m.Set(path, strings.TrimSuffix(*value, "\n"))
	}
	if err == nil && n != nil && ofSide { // Set would take a comment for a part of a text
		n.HeadComment, n.LineComment, n.FootComment = "", "", ""
		return m.set(parts, n)
	}
	return m.Set(path, *value)
}

func isText(side *string, text string) bool { return side != nil && *side == text }

// factText is a value's text, or a list's, an item a line. It reports false for what is
// not meant as YAML, such as two lines of prose, unless it surely is.
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

// UnionValues makes a list of what both values hold, each once, ours first.
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

// QuoteValue writes a text as a value of metadata.
func QuoteValue(text string) (string, error) { return encodeNode(newString(text)) }

// UnionTopics joins two versions of a topic: its paths are a set, its text is joined by
// lines. What else stands in the front matter is that of ours, unless it has none.
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
	var err error
	merged.Text, err = lines(topics[0].Text, topics[1].Text, topics[2].Text)
	return string(merged.Bytes()), err
}
