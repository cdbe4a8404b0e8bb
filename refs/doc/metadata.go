package doc

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"
)

// MetadataLimit is the maximum size of metadata.yaml in bytes, for reading and writing, and [MetadataMost] with what the
// totals may add to that: a file that others filled can still be merged by who has commits of his own. The YAML reader's
// cost is quadratic in some inputs.
const (
	MetadataLimit = 64 << 10
	MetadataMost  = MetadataLimit + 4<<10
)

// MetadataRoom is how much of that edits by hand may use. The totals, which grow with each commit, have the rest.
const MetadataRoom = MetadataLimit / 2

// ErrOverLimit: a document, or the result of a merge, would be larger than its limit.
var ErrOverLimit = errors.New("over the limit")

const maxSegmentKey = 100 // bytes

// KeyImported is the segment of what an import finds no other place for.
const KeyImported = "imported"

// Metadata is a metadata.yaml: a map of segments, edited in place. It is not safe for
// concurrent use.
//
// The text is kept as one block per top-level key. A block is parsed as YAML only when its
// value is needed, and rewritten only when it is edited. So the change of every COMMIT,
// that of the totals, parses nothing else, and unedited segments stay byte for byte.
type Metadata struct {
	src    []byte // the file, as long as edited is false
	edited bool
	blocks []block
	tail   string          // comments behind the last block
	later  map[string]bool // segments that are to be formatted, by key, see ResolveAll; nil: at once
	index  map[string]int  // of many blocks, by key; see indexed
	plain  bool            // src is in the subset of YAML that this program writes
}

// block is one top-level key with its value.
type block struct {
	key  string
	lead string     // comment lines before the key
	text string     // the lines of key and value, and the empty lines that follow
	root *yaml.Node // text as a map with the one key; nil until needed
}

// NewMetadata returns the metadata of a new branch, which contains only its version.
func NewMetadata() *Metadata {
	return &Metadata{edited: true, blocks: []block{{key: "version", text: "version: 1\n"}}}
}

// ParseMetadata reads metadata.yaml. It fails, naming the line if it can, if data exceeds
// MetadataLimit, is not clean text, or is not exactly one YAML document that is a map. It
// refuses duplicate keys, keys that are not scalars, and anchors and aliases, which could
// make a small file a huge value. The Metadata keeps data, which must not be modified
// afterwards.
func ParseMetadata(data []byte) (*Metadata, error) {
	if len(data) > MetadataMost {
		return nil, tooLarge(len(data))
	}
	text := string(data)
	if err := checkText(text); err != nil {
		return nil, &SyntaxError{firstBadLine(text), err.Error()}
	}
	m := &Metadata{src: data}
	keys, ok := scanBlocks(text)
	if m.plain = ok; !ok {
		var err error
		if keys, text, err = parseBlocks(text); err != nil {
			return nil, err
		}
	}
	m.splitBlocks(text, keys)
	return m, nil
}

// Plain reports whether the text that was parsed is in the subset of YAML that this program mostly writes, which takes a twentieth of the
// time.
func (m *Metadata) Plain() bool { return m.plain }

func tooLarge(n int) error {
	return fmt.Errorf("metadata of %d bytes is %w of %d", n, ErrOverLimit, MetadataLimit)
}

// keyLine is the place of a top-level key in the text.
type keyLine struct {
	key string
	at  int // offset of its line
}

// parseBlocks handles what scanBlocks does not: the YAML reader finds the keys. It lays out
// a map anew that does not have one key a line (in braces, or closed by "..."); that text
// is written only after an edit.
func parseBlocks(text string) ([]keyLine, string, error) {
	root, err := decodeMap(text)
	if err != nil {
		return nil, "", err
	}
	if len(root.Content) == 0 {
		return nil, onlyComments(text), nil
	}
	for key := range pairs(root) {
		if err := checkSegment(key.Value); err != nil {
			return nil, "", &SyntaxError{key.Line, err.Error()}
		}
	}
	if keys, ok := keyLines(text, root); ok {
		return keys, text, nil
	}
	root.Style = 0
	if text, err = encodeNode(root); err != nil {
		return nil, "", err
	}
	if root, err = decodeMap(text); err != nil {
		return nil, "", err
	}
	keys, ok := keyLines(text, root)
	if !ok {
		return nil, "", errors.New("the map cannot be written with one key a line")
	}
	return keys, text, nil
}

// checkSegment reports why a key cannot name a segment: a top-level key is one line, short
// enough for the plain form "key: value".
func checkSegment(key string) error {
	if !printable(key) || len(key) > maxSegmentKey {
		return fmt.Errorf("the segment name '%s' is not one line of printable text of at most %d bytes",
			clip(key), maxSegmentKey)
	}
	return nil
}

// onlyComments drops the "{}" or "---" of an empty document, after which no key could
// follow.
func onlyComments(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		if line[0] == '#' {
			b.WriteString(line)
		}
	}
	return b.String()
}

// keyLines returns the places of the keys of root if each begins a line.
func keyLines(text string, root *yaml.Node) ([]keyLine, bool) {
	if root.Style&yaml.FlowStyle != 0 || strings.HasPrefix(text, "\ufeff") || !strings.HasSuffix(text, "\n") ||
		strings.HasPrefix(text, "...") || strings.Contains(text, "\n...") {
		return nil, false
	}
	var keys []keyLine
	line, at := 1, 0
	for i := 0; i < len(root.Content); i += 2 {
		k := root.Content[i]
		for ; line < k.Line; line++ {
			n := strings.IndexByte(text[at:], '\n')
			if n < 0 {
				return nil, false // the reader also counts other line breaks
			}
			at += n + 1
		}
		if k.Column != 1 || k.Line != line || !startsKey(text[at:], k) {
			return nil, false
		}
		keys = append(keys, keyLine{k.Value, at})
	}
	return keys, true
}

// startsKey verifies the offset, and that the key is neither explicit ("? key") nor tagged.
func startsKey(text string, k *yaml.Node) bool {
	if k.Style == 0 {
		return strings.HasPrefix(text, k.Value)
	}
	return k.Style == yaml.DoubleQuotedStyle && text[0] == '"' || k.Style == yaml.SingleQuotedStyle && text[0] == '\''
}

// splitBlocks makes the blocks. Comment lines directly before a key are its lead.
func (m *Metadata) splitBlocks(text string, keys []keyLine) {
	if len(keys) == 0 {
		m.tail = text
		return
	}
	m.blocks = make([]block, len(keys))
	start := 0
	for i, k := range keys {
		lead := start
		if i > 0 {
			lead = leadStart(text, start, k.at)
			m.blocks[i-1].text = text[start:lead]
		}
		m.blocks[i].key, m.blocks[i].lead = k.key, text[lead:k.at]
		start = k.at
	}
	last := leadStart(text, start, len(text))
	m.blocks[len(keys)-1].text, m.tail = text[start:last], text[last:]
}

// leadStart goes back from a key over comments at the left margin and empty lines, to the
// first such comment. Empty lines before it may belong to a block scalar.
func leadStart(text string, from, to int) int {
	lead := to
	for at := to; at > from; {
		i := strings.LastIndexByte(text[from:at-1], '\n') + 1 + from
		line := strings.TrimRight(text[i:at], "\r\n")
		if line != "" && line[0] != '#' || i == from {
			break
		}
		if line != "" {
			lead = i
		}
		at = i
	}
	return lead
}

// Bytes returns the file: the parsed bytes if nothing was edited. It fails if the file
// exceeds MetadataMost.
func (m *Metadata) Bytes() ([]byte, error) {
	if !m.edited {
		return m.src, nil
	}
	n := len(m.tail)
	for i := range m.blocks {
		n += len(m.blocks[i].lead) + len(m.blocks[i].text) + 1
	}
	b := make([]byte, 0, n)
	for i := range m.blocks {
		b = append(endLine(b), m.blocks[i].lead...)
		b = append(b, m.blocks[i].text...)
	}
	if m.tail != "" {
		b = append(endLine(b), m.tail...)
	}
	if len(b) > MetadataMost {
		return nil, tooLarge(len(b))
	}
	return b, nil
}

func endLine(b []byte) []byte {
	if len(b) > 0 && b[len(b)-1] != '\n' {
		b = append(b, '\n')
	}
	return b
}

// Keys returns the names of the segments, in the order of the file.
func (m *Metadata) Keys() []string {
	keys := make([]string, len(m.blocks))
	for i := range m.blocks {
		keys[i] = m.blocks[i].key
	}
	return keys
}

// fewBlocks is how many segments are looked through one by one.
const fewBlocks = 64

func (m *Metadata) find(key string) *block {
	if len(m.blocks) > fewBlocks && !m.edited {
		return m.indexed(key)
	}
	i := slices.IndexFunc(m.blocks, func(b block) bool { return b.key == key })
	if i < 0 {
		return nil
	}
	return &m.blocks[i]
}

// indexed is find for a document with many segments, of which anybody can push thousands: each is looked for once for each parent of each commit.
func (m *Metadata) indexed(key string) *block {
	if len(m.index) != len(m.blocks) {
		m.index = make(map[string]int, len(m.blocks))
		for i := range m.blocks {
			m.index[m.blocks[i].key] = i
		}
	}
	i, has := m.index[key]
	if !has {
		return nil
	}
	return &m.blocks[i]
}

// add appends a segment with a null value.
func (m *Metadata) add(key string) *block {
	if m.index != nil && len(m.index) == len(m.blocks) {
		m.index[key] = len(m.blocks) // to make it anew for each of thousands that Restore adds takes seconds
	} else {
		m.index = nil
	}
	m.blocks = append(m.blocks, block{key: key, root: newMap(newString(key), newNull())})
	return &m.blocks[len(m.blocks)-1]
}

// node returns the value of the block, which it parses on the first call.
func (b *block) node() (*yaml.Node, error) {
	if b.root == nil {
		root, err := decodeMap(b.text)
		if err != nil {
			return nil, fmt.Errorf("segment '%s': %w", b.key, err)
		}
		if len(root.Content) != 2 {
			return nil, fmt.Errorf("segment '%s' is not one key with its value", b.key)
		}
		b.root = root
	}
	return b.root.Content[1], nil
}

// rewrite formats the text of a block from its node. The empty lines behind it stay.
func (m *Metadata) rewrite(b *block) error {
	if m.later != nil {
		m.later[b.key], m.edited = true, true
		return nil
	}
	text, err := encodeNode(b.root)
	if err != nil {
		return fmt.Errorf("segment '%s': %w", b.key, err)
	}
	m.setText(b, text)
	return nil
}

func (m *Metadata) setText(b *block, text string) {
	body := strings.TrimRight(b.text, "\n")
	// Empty lines at the end of the new text belong to a block scalar.
	if gap := len(b.text) - len(body) - 1; gap > 0 && !strings.HasSuffix(text, "\n\n") {
		text += strings.Repeat("\n", gap)
	}
	b.text, m.edited = text, true
}
