package doc

import (
	"errors"
	"fmt"
	"reflect"
	"strings"

	"gopkg.in/yaml.v3"
)

// PathKeys are the keys of a dotted path; what is no path is one key.
func PathKeys(path string) []string {
	keys, err := parsePath(path)
	if err != nil {
		return []string{path}
	}
	return keys
}

// parsePath splits a path at its dots. A part in double quotes may contain dots; in it a
// backslash escapes a double quote or a backslash.
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

// JoinPath returns the path of the given keys, and quotes those that need it; see
// Metadata.Set.
func JoinPath(keys ...string) string {
	var b strings.Builder
	for i, p := range keys {
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

// value returns the node at a path; nil if there is none.
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

// at returns the node at a path in text form; nil if there is none.
func (m *Metadata) at(path string) (*yaml.Node, error) {
	parts, err := parsePath(path)
	if err != nil {
		return nil, err
	}
	return m.value(parts)
}

// Get returns the value at a dotted path, of a type that encoding/json can write: nil,
// bool, int, uint64, float64, string, []any, map[string]any. Times and the numbers that
// JSON lacks are strings. The path "" means the whole document. Lists and scalars have no
// paths below them.
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
	n, err := m.at(path)
	if n == nil || err != nil {
		return nil, false, err
	}
	return toAny(n), true, nil
}

// YAML returns the value at a path as YAML text that ends in a newline. The path "" means
// the whole file.
func (m *Metadata) YAML(path string) ([]byte, bool, error) {
	if path == "" {
		b, err := m.Bytes()
		return b, err == nil, err
	}
	n, err := m.at(path)
	if n == nil || err != nil {
		return nil, false, err
	}
	text, err := encodeNode(n)
	return []byte(text), err == nil, err
}

// toAny converts a node that checkNode accepted.
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
		if f, ok := v.(float64); ok && (f != f || f-f != 0) { // NaN and infinities
			return n.Value
		}
		return v
	}
	return n.Value
}

// Set sets the value at a dotted path, and creates the maps on the way. A path such as
// env_config.port has its keys between dots; a key that contains a dot is in double quotes,
// in which a backslash escapes a double quote or a backslash. The value is YAML: 8080 is a
// number, [a, b] a list. A text that YAML would shorten, because it spans lines or contains
// " #", is set unchanged. Set fails if the value is not YAML, or if the path leads below a
// scalar or list. The facts of a branch take texts, and only those that SetBranch accepts.
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
		n = newString(yamlValue) // a comment alone, or a text that YAML shortened at a comment or folded
	default:
		n.HeadComment, n.LineComment, n.FootComment = "", "", ""
	}
	return m.set(parts, n)
}

// SetValue sets the value at a dotted path to a Go value: what Get returns, and slices and
// maps with string keys of any type.
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
	b, err := m.place(parts, value)
	if err != nil {
		return err
	}
	if err := m.rewrite(b); err != nil {
		if b.root = nil; b.text == "" {
			m.index = nil
			m.blocks = m.blocks[:len(m.blocks)-1]
		}
		return err
	}
	return nil
}

// place puts a value into the nodes of its block, which has to be written then.
func (m *Metadata) place(parts []string, value *yaml.Node) (*block, error) {
	b := m.find(parts[0])
	if b == nil {
		if err := checkSegment(parts[0]); err != nil {
			return nil, err
		}
		b = m.add(parts[0])
	}
	n, err := b.node()
	if err != nil {
		return nil, err
	}
	for i, p := range parts[1:] {
		if err := ensureMap(n, parts[:i+1]); err != nil {
			return nil, err
		}
		next := lookup(n, p)
		if next == nil {
			next = newNull()
			put(n, p, next)
		}
		n = next
	}
	replaceNode(n, value)
	return b, nil
}

// ensureMap makes n, the value at path, a map if it is null. It fails if n cannot contain
// keys.
func ensureMap(n *yaml.Node, path []string) error {
	switch {
	case n.Kind == yaml.MappingNode:
		return nil
	case n.ShortTag() == "!!null":
		replaceNode(n, newMap())
		return nil
	case n.Kind == yaml.SequenceNode:
		return fmt.Errorf("'%s' is a list: nothing can be set below it", JoinPath(path...))
	}
	return fmt.Errorf("'%s' is a value, not a map: nothing can be set below it", JoinPath(path...))
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

// drop removes a segment with the comments before it. Comments at the beginning of the file
// stay.
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
