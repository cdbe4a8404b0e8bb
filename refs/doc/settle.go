package doc

import (
	"fmt"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"
)

// Settle puts what a conflict of kind "key" was settled with into metadata: a value as
// the conflict's texts have it, or nothing at all for nil.
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
	if !isBranchFact(parts) {
		return m.Set(path, *value)
	}
	n, err := decodeNode(*value)
	if err != nil {
		return fmt.Errorf("value of '%s': %w", path, err)
	}
	if n == nil || n.Kind != yaml.ScalarNode {
		return m.Set(path, *value)
	}
	return m.Set(path, n.Value) // facts of a branch are set by their text
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
