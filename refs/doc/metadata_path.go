package doc

import (
	"errors"
	"fmt"
	"reflect"
	"strings"

	"gopkg.in/yaml.v3"
)

// parsePath cuts a path at its dots. A part in double quotes may hold dots; within the
// quotes a backslash stands before a double quote or a backslash.
func parsePath(path string) ([]string, error) {
	var parts []string
	for rest := path; ; {
		var part string
		var err error
		if strings.HasPrefix(rest, `"`) {
			if part, rest, err = quotedPart(rest[1:]); err != nil {
				return nil, fmt.Errorf("path '%s': %w", clip(path), err)
			}
		} else {
			i := strings.IndexByte(rest, '.')
			if i < 0 {
				i = len(rest)
			}
			if part, rest = rest[:i], rest[i:]; part == "" {
				return nil, fmt.Errorf("path '%s' has an empty part", clip(path))
			}
		}
		parts = append(parts, part)
		if rest == "" {
			return parts, nil
		}
		if rest[0] != '.' {
			return nil, fmt.Errorf("path '%s': a '.' is missing after a quoted part", clip(path))
		}
		rest = rest[1:]
	}
}

func quotedPart(s string) (part, rest string, err error) {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		switch {
		case s[i] == '"':
			return b.String(), s[i+1:], nil
		case s[i] == '\\' && i+1 < len(s) && (s[i+1] == '"' || s[i+1] == '\\'):
			i++
		}
		b.WriteByte(s[i])
	}
	return "", "", errors.New("a double quote is missing")
}

// JoinPath returns the path that leads from key to key.
func JoinPath(keys ...string) string { return joinPath(keys) }

// joinPath is the reverse of parsePath.
func joinPath(parts []string) string {
	var b strings.Builder
	for i, p := range parts {
		if i > 0 {
			b.WriteByte('.')
		}
		if p != "" && !strings.ContainsAny(p, ".\"") {
			b.WriteString(p)
			continue
		}
		b.WriteByte('"')
		b.WriteString(strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(p))
		b.WriteByte('"')
	}
	return b.String()
}

// value finds a node; nil if it is not there.
func (m *Metadata) value(parts []string) (*yaml.Node, error) {
	b := m.find(parts[0])
	if b == nil {
		return nil, nil
	}
	n, err := b.node()
	if err != nil {
		return nil, err
	}
	for _, p := range parts[1:] {
		n = lookup(n, p)
	}
	return n, nil
}

// Get returns the value at a dotted path as what encoding/json can write: nil, bool,
// int, uint64, float64, string, []any, map[string]any. Times and numbers that JSON lacks are strings.
// The path "" is the whole document. A list or a scalar has no paths below it.
func (m *Metadata) Get(path string) (any, bool, error) {
	if path == "" {
		all := make(map[string]any, len(m.blocks))
		for i := range m.blocks {
			n, err := m.blocks[i].node()
			if err != nil {
				return nil, false, err
			}
			all[m.blocks[i].key] = toAny(n)
		}
		return all, true, nil
	}
	parts, err := parsePath(path)
	if err != nil {
		return nil, false, err
	}
	n, err := m.value(parts)
	if n == nil || err != nil {
		return nil, false, err
	}
	return toAny(n), true, nil
}

// YAML returns the value at a path as YAML text that ends in a newline; "" is the whole file.
func (m *Metadata) YAML(path string) ([]byte, bool, error) {
	if path == "" {
		b, err := m.Bytes()
		return b, err == nil, err
	}
	parts, err := parsePath(path)
	if err != nil {
		return nil, false, err
	}
	n, err := m.value(parts)
	if n == nil || err != nil {
		return nil, false, err
	}
	text, err := encodeNode(n)
	return []byte(text), err == nil, err
}

// toAny turns a checked node into a value.
func toAny(n *yaml.Node) any {
	switch n.Kind {
	case yaml.MappingNode:
		v := make(map[string]any, len(n.Content)/2)
		for i := 0; i < len(n.Content); i += 2 {
			v[n.Content[i].Value] = toAny(n.Content[i+1])
		}
		return v
	case yaml.SequenceNode:
		v := make([]any, len(n.Content))
		for i := range n.Content {
			v[i] = toAny(n.Content[i])
		}
		return v
	}
	return scalar(n)
}

func scalar(n *yaml.Node) any {
	switch n.ShortTag() {
	case "!!null":
		return nil
	case "!!bool", "!!int", "!!float":
		var v any
		if err := n.Decode(&v); err != nil {
			return n.Value
		}
		if f, ok := v.(float64); ok && (f != f || f-f != 0) { // NaN and the infinities
			return n.Value
		}
		return v
	}
	return n.Value
}

// Set puts a value at a dotted path, making the maps on the way. The value is YAML: 8080
// is a number, [a, b] a list; a text that YAML would shorten, for it spans lines or holds
// " #", is taken as it is. What is not YAML is an error, and so is a path
// that leads below a scalar or a list. Paths of the facts of a branch take
// texts, and only what SetBranch takes.
func (m *Metadata) Set(path, yamlValue string) error {
	parts, err := parsePath(path)
	if err != nil {
		return err
	}
	if isBranchFact(parts) {
		return m.setBranchFact(parts[1], yamlValue)
	}
	if len(yamlValue) > MetadataLimit {
		return fmt.Errorf("value of '%s': %w", path, tooLarge(len(yamlValue)))
	}
	if err := checkText(yamlValue); err != nil {
		return fmt.Errorf("value of '%s': %w", path, err)
	}
	n, err := decodeNode(yamlValue)
	if err != nil {
		return fmt.Errorf("value of '%s': %w", path, err)
	}
	switch trimmed := strings.TrimSpace(yamlValue); {
	case n == nil && trimmed == "":
		n = newString(yamlValue)
	case n == nil || n.Kind == yaml.ScalarNode && n.Style == 0 && n.Value != trimmed:
		n = newString(yamlValue) // a comment alone, or a text cut short by one, or folded
	default:
		n.HeadComment, n.LineComment, n.FootComment = "", "", ""
	}
	return m.set(parts, n)
}

// SetValue puts a Go value at a dotted path: what Get returns, and slices and maps with texts
// as keys of whatever type.
func (m *Metadata) SetValue(path string, v any) error {
	parts, err := parsePath(path)
	if err != nil {
		return err
	}
	n, err := toNode(reflect.ValueOf(v))
	if err == nil {
		err = checkNode(n, 0)
	}
	if err != nil {
		return fmt.Errorf("value of '%s': %w", path, err)
	}
	return m.set(parts, n)
}

func (m *Metadata) set(parts []string, value *yaml.Node) error {
	b := m.find(parts[0])
	if b == nil {
		if err := checkSegment(parts[0]); err != nil {
			return err
		}
		b = m.add(parts[0])
	}
	n, err := b.node()
	if err != nil {
		return err
	}
	for i, p := range parts[1:] {
		if err := descend(n, parts[:i+1]); err != nil {
			return err
		}
		next := lookup(n, p)
		if next == nil {
			next = newNull()
			put(n, p, next)
		}
		n = next
	}
	replaceNode(n, value)
	if err := m.rewrite(b); err != nil {
		if b.root = nil; b.text == "" {
			m.blocks = m.blocks[:len(m.blocks)-1]
		}
		return err
	}
	return nil
}

// descend makes sure that a key can be set in n, which stands at path.
func descend(n *yaml.Node, path []string) error {
	switch {
	case n.Kind == yaml.MappingNode:
		return nil
	case n.ShortTag() == "!!null":
		replaceNode(n, newMap())
		return nil
	case n.Kind == yaml.SequenceNode:
		return fmt.Errorf("'%s' is a list: nothing can be set below it", joinPath(path))
	}
	return fmt.Errorf("'%s' is a value, not a map: nothing can be set below it", joinPath(path))
}

// Unset removes the value at a path and reports whether there was one.
func (m *Metadata) Unset(path string) (bool, error) {
	parts, err := parsePath(path)
	if err != nil {
		return false, err
	}
	if len(parts) == 1 {
		return m.drop(parts[0]), nil
	}
	b := m.find(parts[0])
	if b == nil {
		return false, nil
	}
	n, err := m.value(parts[:len(parts)-1])
	if err != nil || !remove(n, parts[len(parts)-1]) {
		return false, err
	}
	return true, m.rewrite(b)
}

// drop removes a segment with the comments before it; those at the head of the file stay.
func (m *Metadata) drop(key string) bool {
	for i := range m.blocks {
		if m.blocks[i].key != key {
			continue
		}
		lead := m.blocks[i].lead
		m.blocks = append(m.blocks[:i], m.blocks[i+1:]...)
		switch {
		case i > 0:
		case len(m.blocks) > 0:
			m.blocks[0].lead = lead + m.blocks[0].lead
		default:
			m.tail = lead + m.tail
		}
		m.edited = true
		return true
	}
	return false
}
