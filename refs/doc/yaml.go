package doc

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"gopkg.in/yaml.v3"
)

// maxDepth is the maximum nesting of maps and lists. Real documents stay below ten.
const maxDepth = 64

// decodeMap parses text as one YAML document that is a map, and checks all of it. An empty
// text is an empty map.
func decodeMap(text string) (*yaml.Node, error) {
	root, err := decodeNode(text)
	switch {
	case err != nil:
		return nil, err
	case root == nil:
		return newMap(), nil
	case root.Kind != yaml.MappingNode:
		return nil, &SyntaxError{root.Line, "not a map of keys and values"}
	}
	return root, nil
}

// decodeNode parses one YAML value and checks it; nil if there is none.
func decodeNode(text string) (value *yaml.Node, err error) {
	// The YAML reader is known to panic on damaged input, and input from a remote is
	// untrusted.
	defer func() {
		if r := recover(); r != nil {
			value, err = nil, fmt.Errorf("not YAML: %v", r)
		}
	}()
	d := yaml.NewDecoder(strings.NewReader(text))
	var doc, next yaml.Node
	if err := d.Decode(&doc); err != nil {
		if errors.Is(err, io.EOF) {
			return nil, nil
		}
		return nil, yamlError(err, text)
	}
	if err := d.Decode(&next); !errors.Is(err, io.EOF) {
		if err != nil {
			return nil, yamlError(err, text)
		}
		return nil, &SyntaxError{next.Line, "a second YAML document"}
	}
	root := doc.Content[0]
	if err := checkNode(root, 0); err != nil {
		return nil, err
	}
	if root.HeadComment == "" {
		root.HeadComment = doc.HeadComment
	}
	if root.FootComment == "" {
		root.FootComment = doc.FootComment
	}
	return root, nil
}

// yamlError adds a line to the reader's errors: the reader omits line 1, and the line of a
// character that YAML forbids.
func yamlError(err error, text string) error {
	message := strings.TrimPrefix(err.Error(), "yaml: ")
	if strings.HasPrefix(message, "line ") {
		return fmt.Errorf("not YAML: %s", message)
	}
	line := 1
	if strings.Contains(message, "control characters") {
		line += strings.Count(text[:max(0, strings.IndexFunc(text, notYAML))], "\n")
	}
	return &SyntaxError{line, "not YAML: " + message}
}

// notYAML reports whether YAML forbids a character outside of escapes.
func notYAML(r rune) bool {
	return r < ' ' && r != '\t' && r != '\n' && r != '\r' ||
		0x7f <= r && r < 0xa0 && r != 0x85 || r == 0xfffe || r == 0xffff
}

// checkNode enforces the restrictions that ParseMetadata documents.
func checkNode(n *yaml.Node, depth int) error {
	switch {
	case n.Kind == yaml.AliasNode || n.Anchor != "":
		return &SyntaxError{n.Line, "anchors and aliases are not allowed"}
	case depth > maxDepth:
		return &SyntaxError{n.Line, fmt.Sprintf("nested deeper than %d", maxDepth)}
	}
	step := 1
	if n.Kind == yaml.MappingNode {
		step = 2
		seen := make(map[string]bool, len(n.Content)/2)
		for i := 0; i < len(n.Content); i += 2 {
			k := n.Content[i]
			if k.Kind != yaml.ScalarNode || k.Anchor != "" {
				return &SyntaxError{k.Line, "a key that is not a plain text"}
			}
			if seen[k.Value] {
				return &SyntaxError{k.Line, fmt.Sprintf("the key '%s' occurs twice", clip(k.Value))}
			}
			seen[k.Value] = true
		}
	}
	for i := step - 1; i < len(n.Content); i += step {
		if err := checkNode(n.Content[i], depth+1); err != nil {
			return err
		}
	}
	return nil
}

// encodeNode formats a value and verifies that it reads back the same, because the emitter
// writes some values (nothing as null, a time in braces, an indented text) in a form that does not. It then
// retries with null in letters, with the value laid out in lines, and with texts in quotes.
func encodeNode(n *yaml.Node) (string, error) {
	text, _, err := encodeBack(n)
	return text, err
}

// encodeBack is encodeNode with the value as it reads back.
func encodeBack(n *yaml.Node) (text string, back *yaml.Node, err error) {
	for _, relayout := range []func(*yaml.Node){nil, spellNulls, clearFlow, quoteStrings} {
		if relayout != nil {
			relayout(n)
		}
		if text, err = emit(n); err != nil {
			return "", nil, err
		}
		if back, err := decodeNode(text); err == nil && back != nil && equalNodes(back, n) {
			return text, back, nil
		}
	}
	return "", nil, errors.New("the value cannot be written as YAML")
}

func emit(n *yaml.Node) (text string, err error) {
	defer func() { // as in decodeNode
		if r := recover(); r != nil {
			err = fmt.Errorf("the value cannot be written as YAML: %v", r)
		}
	}()
	var b bytes.Buffer
	e := yaml.NewEncoder(&b)
	e.SetIndent(2)
	if err := e.Encode(n); err != nil {
		return "", fmt.Errorf("write YAML: %w", err)
	}
	if err := e.Close(); err != nil {
		return "", fmt.Errorf("write YAML: %w", err)
	}
	return b.String(), nil
}

func spellNulls(n *yaml.Node) {
	if n.Kind == yaml.ScalarNode && n.ShortTag() == "!!null" {
		n.Value = "null"
	}
	for _, c := range n.Content {
		spellNulls(c)
	}
}

func clearFlow(n *yaml.Node) {
	n.Style &^= yaml.FlowStyle
	for _, c := range n.Content {
		clearFlow(c)
	}
}

func quoteStrings(n *yaml.Node) {
	if n.Kind == yaml.ScalarNode && n.ShortTag() == "!!str" {
		n.Style = yaml.DoubleQuotedStyle
	}
	for _, c := range n.Content {
		quoteStrings(c)
	}
}

// equalNodes compares values: the order of keys, comments and styles do not count, nor how null is written: with nothing, as null or ~.
func equalNodes(a, b *yaml.Node) bool {
	if a == nil || b == nil {
		return a == b
	}
	if a.Kind != b.Kind || a.ShortTag() != b.ShortTag() || a.Value != b.Value && a.ShortTag() != "!!null" || len(a.Content) != len(b.Content) {
		return false
	}
	if a.Kind != yaml.MappingNode {
		for i := range a.Content {
			if !equalNodes(a.Content[i], b.Content[i]) {
				return false
			}
		}
		return true
	}
	values := make(map[string]*yaml.Node, len(b.Content)/2)
	for i := 0; i < len(b.Content); i += 2 {
		values[b.Content[i].Value] = b.Content[i+1]
	}
	for i := 0; i < len(a.Content); i += 2 {
		if v, ok := values[a.Content[i].Value]; !ok || !equalNodes(a.Content[i+1], v) {
			return false
		}
	}
	return true
}

// nodeKey returns a text that two values share if and only if equalNodes says that they are equal.
func nodeKey(n *yaml.Node) string {
	parts := []string{strconv.Itoa(int(n.Kind)), n.ShortTag()}
	if n.ShortTag() != "!!null" {
		parts = append(parts, n.Value)
	}
	if n.Kind != yaml.MappingNode {
		for _, c := range n.Content {
			parts = append(parts, nodeKey(c))
		}
		return joinParts(parts)
	}
	values := map[string]string{}
	for i := 0; i < len(n.Content); i += 2 {
		values[n.Content[i].Value] = nodeKey(n.Content[i+1])
	}
	for _, key := range slices.Sorted(maps.Keys(values)) {
		parts = append(parts, key, values[key])
	}
	return joinParts(parts)
}

// joinParts makes one text of several, no other of which makes it.
func joinParts(parts []string) string {
	var b strings.Builder
	for _, p := range parts {
		b.WriteString(strconv.Itoa(len(p)) + ":" + p)
	}
	return b.String()
}

func newMap(content ...*yaml.Node) *yaml.Node {
	return &yaml.Node{Kind: yaml.MappingNode, Tag: "!!map", Content: content}
}

func newScalar(tag, value string) *yaml.Node {
	return &yaml.Node{Kind: yaml.ScalarNode, Tag: tag, Value: value}
}

func newNull() *yaml.Node { return newScalar("!!null", "null") }

func newInt(n int) *yaml.Node { return newScalar("!!int", strconv.Itoa(n)) }

func newTime(t time.Time) *yaml.Node { return newScalar("!!timestamp", string(appendTime(nil, t))) }

// newString chooses a readable style where that is safe: several plain lines as a block,
// unusual characters in double quotes, and otherwise the emitter's choice.
func newString(s string) *yaml.Node {
	n := newScalar("!!str", s)
	if !strings.Contains(s, "\n") {
		if !printable(s) {
			n.Style = yaml.DoubleQuotedStyle
		}
		return n
	}
	n.Style = yaml.LiteralStyle
	for line := range strings.SplitSeq(strings.TrimSuffix(s, "\n"), "\n") {
		if !printable(line) || line == "" || line[0] == ' ' || line[len(line)-1] == ' ' {
			n.Style = yaml.DoubleQuotedStyle
		}
	}
	return n
}

func printable(s string) bool {
	for _, r := range s {
		if !unicode.IsPrint(r) {
			return false
		}
	}
	return true
}

// lookup returns the value of a key in a map; nil if there is none.
func lookup(n *yaml.Node, key string) *yaml.Node {
	if n == nil || n.Kind != yaml.MappingNode {
		return nil
	}
	for i := 0; i < len(n.Content); i += 2 {
		if n.Content[i].Value == key {
			return n.Content[i+1]
		}
	}
	return nil
}

// countNodes counts a value and all values and keys in it.
func countNodes(n *yaml.Node) int {
	count := 1
	for _, c := range n.Content {
		count += countNodes(c)
	}
	return count
}

// finding is lookup for many keys of one map.
func finding(n *yaml.Node) func(key string) *yaml.Node {
	const few = 32
	if n == nil || n.Kind != yaml.MappingNode || len(n.Content) <= few {
		return func(key string) *yaml.Node { return lookup(n, key) }
	}
	values := make(map[string]*yaml.Node, len(n.Content)/2)
	for key, value := range pairs(n) {
		values[key.Value] = value
	}
	return func(key string) *yaml.Node { return values[key] }
}

// put sets the value of a key in a map, in place or at the end. An empty map in braces is
// then laid out in lines.
func put(n *yaml.Node, key string, value *yaml.Node) {
	for i := 0; i < len(n.Content); i += 2 {
		if n.Content[i].Value == key {
			replaceNode(n.Content[i+1], value)
			return
		}
	}
	if len(n.Content) == 0 {
		n.Style &^= yaml.FlowStyle
	}
	n.Content = append(n.Content, newString(key), value)
}

// replaceNode replaces a value and keeps the comments of the old one.
func replaceNode(old, value *yaml.Node) {
	head, line, foot := old.HeadComment, old.LineComment, old.FootComment
	*old = *value
	old.HeadComment, old.FootComment = head, foot
	if old.Kind == yaml.ScalarNode {
		old.LineComment = line
	}
}

// remove removes a key from a map and reports whether it existed.
func remove(n *yaml.Node, key string) bool {
	if n == nil || n.Kind != yaml.MappingNode {
		return false
	}
	for i := 0; i < len(n.Content); i += 2 {
		if n.Content[i].Value == key {
			n.Content = append(n.Content[:i:i], n.Content[i+2:]...)
			return true
		}
	}
	return false
}

// toNode converts a Go value to a YAML node: nil, booleans, numbers, strings, times, and
// slices and maps of these (with string keys, which it sorts). The YAML library's own
// conversion goes through its text form, which loses a text that consists of line breaks.
func toNode(v reflect.Value) (*yaml.Node, error) {
	if v.IsValid() && v.Type() == reflect.TypeFor[time.Time]() {
		return newTime(v.Interface().(time.Time)), nil
	}
	switch v.Kind() {
	case reflect.Invalid:
		return newNull(), nil
	case reflect.Pointer, reflect.Interface:
		return toNode(v.Elem())
	case reflect.String:
		return newString(v.String()), checkText(v.String())
	case reflect.Bool:
		return newScalar("!!bool", strconv.FormatBool(v.Bool())), nil
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return newScalar("!!int", strconv.FormatInt(v.Int(), 10)), nil
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return newScalar("!!int", strconv.FormatUint(v.Uint(), 10)), nil
	case reflect.Float32, reflect.Float64:
		return floatNode(v.Float()), nil
	case reflect.Slice, reflect.Array:
		return listNode(v)
	case reflect.Map:
		return mapNode(v)
	}
	return nil, fmt.Errorf("a %s cannot be written", v.Type())
}

func floatNode(f float64) *yaml.Node {
	switch {
	case math.IsNaN(f):
		return newScalar("!!float", ".nan")
	case math.IsInf(f, 1):
		return newScalar("!!float", ".inf")
	case math.IsInf(f, -1):
		return newScalar("!!float", "-.inf")
	}
	s := strconv.FormatFloat(f, 'g', -1, 64)
	if !strings.ContainsAny(s, ".e") {
		s += ".0" // otherwise it would be read as an integer
	}
	return newScalar("!!float", s)
}

func listNode(v reflect.Value) (*yaml.Node, error) {
	n := &yaml.Node{Kind: yaml.SequenceNode, Tag: "!!seq"}
	for i := range v.Len() {
		item, err := toNode(v.Index(i))
		if err != nil {
			return nil, err
		}
		n.Content = append(n.Content, item)
	}
	return n, nil
}

func mapNode(v reflect.Value) (*yaml.Node, error) {
	if v.Type().Key().Kind() != reflect.String {
		return nil, fmt.Errorf("a %s cannot be written", v.Type())
	}
	n := newMap()
	keys := v.MapKeys()
	slices.SortFunc(keys, func(a, b reflect.Value) int { return strings.Compare(a.String(), b.String()) })
	for _, key := range keys {
		if err := checkText(key.String()); err != nil {
			return nil, err
		}
		item, err := toNode(v.MapIndex(key))
		if err != nil {
			return nil, err
		}
		n.Content = append(n.Content, newString(key.String()), item)
	}
	return n, nil
}
