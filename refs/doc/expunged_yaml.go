package doc

import (
	"errors"
	"fmt"
	"strings"

	"gopkg.in/yaml.v3"
)

// redactMetadata redacts metadata.yaml. Segments without a change stay byte for byte.
func (e Expunged) redactMetadata(data []byte) ([]byte, error) {
	w := yamlWalk{text: e.RedactText, key: e.redactKey, metadata: true}
	return w.file(data)
}

// redactTopic redacts the front matter and the text of a topic.
func (e Expunged) redactTopic(data []byte) ([]byte, error) {
	w := yamlWalk{text: e.RedactText, key: e.redactKey}
	front, text, err := w.front(string(data))
	if err != nil {
		return nil, err
	}
	return unlessSame(data, []byte(front+e.RedactText(text))), nil
}

// redactKey returns the key's replacement, which contains its hash: one map cannot contain
// the key "(expunged)" twice.
func (e Expunged) redactKey(key string) string {
	_, piece, _ := cutPiece(key)
	if !e.HasText(piece) {
		return key
	}
	return strings.TrimSuffix(Redaction, ")") + strings.TrimPrefix(textLine(piece), tombText) + ")"
}

// yamlWalk visits the texts of a YAML document and replaces them.
type yamlWalk struct {
	text     func(text string) string // the replacement of a value or of a comment line
	key      func(key string) string  // the replacement of a key; must map different keys to different ones
	metadata bool                     // metadata.yaml; false for the front matter of a topic
	changed  bool
}

// ownKey reports whether the program itself defines the key at a path.
func (w *yamlWalk) ownKey(path []string) bool {
	dotted := joinPath(path)
	if !w.metadata {
		return dotted == "paths" || dotted == "supersedes"
	}
	return dotted == "version" || dotted == branchKey || isBranchFact(path) || isDetected(dotted) || hasDetected(dotted)
}

// ownValue reports whether the program itself interprets the value at a path, so that it is
// no free text.
func (w *yamlWalk) ownValue(path []string) bool {
	return w.metadata && (joinPath(path) == "version" || isBranchFact(path) && path[1] != "purpose")
}

// file visits metadata.yaml and returns it with the replacements.
func (w *yamlWalk) file(data []byte) ([]byte, error) {
	m, err := ParseMetadata(data)
	if err != nil {
		return nil, err
	}
	for i := range m.blocks {
		b := &m.blocks[i]
		b.lead = w.comment(b.lead)
		if b.key == totalsKey {
			continue
		}
		if err := w.block(m, b); err != nil {
			return nil, err
		}
	}
	m.tail = w.comment(m.tail)
	if !w.changed {
		return data, nil
	}
	m.edited = true
	return m.Bytes()
}

// front visits the front matter of a topic. It returns the front matter with its fences,
// and the text that follows.
func (w *yamlWalk) front(topic string) (front, text string, err error) {
	if _, err := ParseTopic([]byte(topic)); err != nil {
		return "", "", err
	}
	front, text, ok := cutFront(topic)
	if !ok {
		return "", topic, nil
	}
	fenced := topic[:len(topic)-len(text)]
	if front == "" {
		return fenced, text, nil
	}
	root, err := decodeMap(front)
	if err != nil {
		return "", "", inFront(err)
	}
	if w.node(nil, root); !w.changed {
		return fenced, text, nil
	}
	now, err := settledYAML(root)
	if err != nil {
		return "", "", inFront(err)
	}
	begin := strings.IndexByte(fenced, '\n') + 1
	return fenced[:begin] + now + fenced[begin+len(front):], text, nil
}

// block visits one segment, and rewrites it only if something in it changed.
func (w *yamlWalk) block(m *Metadata, b *block) error {
	if _, err := b.node(); err != nil {
		return err
	}
	before := w.changed
	w.changed = false
	w.node(nil, b.root)
	changed := w.changed
	if w.changed = before || changed; !changed {
		return nil
	}
	text, err := settledYAML(b.root)
	if err != nil {
		return err
	}
	m.setText(b, text)
	return nil
}

// settledYAML writes a value in a form that reading and writing again does not change.
// Otherwise applying two sets of tombstones in turn could give other bytes than applying
// their union.
func settledYAML(root *yaml.Node) (string, error) {
	text, err := encodeNode(root)
	for range 4 { // comments may move once or twice
		if err != nil {
			return "", err
		}
		again, err := decodeMap(text)
		if err != nil {
			return "", err
		}
		now, err := encodeNode(again)
		if err != nil {
			return "", err
		}
		if now == text {
			return text, nil
		}
		text = now
	}
	return "", errors.New("the value is written otherwise each time")
}

// node visits the value at a path.
func (w *yamlWalk) node(path []string, n *yaml.Node) {
	w.comments(n)
	switch n.Kind {
	case yaml.ScalarNode:
		w.scalar(path, n)
	case yaml.MappingNode:
		w.entries(path, n)
	default:
		for _, item := range n.Content {
			w.node(child(path, "-"), item)
		}
	}
}

// scalar visits a value, which may have several lines. Booleans and null are no text.
func (w *yamlWalk) scalar(path []string, n *yaml.Node) {
	if tag := n.ShortTag(); tag == "!!bool" || tag == "!!null" || w.ownValue(path) {
		return
	}
	if now := w.text(n.Value); now != n.Value {
		replaceNode(n, newString(now))
		w.changed = true
	}
}

// entries visits the keys and values of a map.
func (w *yamlWalk) entries(path []string, n *yaml.Node) {
	for key, value := range pairs(n) {
		at := child(path, key.Value)
		w.comments(key)
		w.node(at, value)
		if w.ownKey(at) {
			continue
		}
		if now := w.key(key.Value); now != key.Value {
			replaceNode(key, newString(now))
			w.changed = true
		}
	}
}

func (w *yamlWalk) comments(n *yaml.Node) {
	n.HeadComment, n.LineComment, n.FootComment = w.comment(n.HeadComment), w.comment(n.LineComment), w.comment(n.FootComment)
}

// comment visits the lines of a comment, whose piece follows any number of '#'. It leaves
// lines without '#' alone: they precede the first key of a document.
func (w *yamlWalk) comment(text string) string {
	now := mapLines(text, func(line string) string {
		if !strings.HasPrefix(strings.TrimLeft(line, " \t"), "#") {
			return line
		}
		body := strings.TrimLeft(line, "# \t")
		return line[:len(line)-len(body)] + w.text(body)
	})
	w.changed = w.changed || now != text
	return now
}

// PiecesIn is TextPieces for topics, main.md and metadata.yaml. Of YAML it searches the
// values, keys and comments, as Redact does. For log.md and commit.md callers must search
// the entries' parts themselves: an entry that contains the match in its own words is
// removed whole.
func PiecesIn(path string, data []byte, match string) ([]string, error) {
	var found pieces
	look := func(text string) string {
		for _, piece := range TextPieces(text, match) {
			found.add(piece)
		}
		return text
	}
	w := yamlWalk{text: look, key: look}
	text, err := string(data), error(nil)
	switch kind := KnownFile(path); {
	case kind == FileMetadata:
		w.metadata = true
		_, err = w.file(data)
	case kind == FileTopic:
		_, text, err = w.front(text)
		look(text)
	default:
		look(text)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return found.list, nil
}
