package doc

import (
	"errors"
	"fmt"
	"strings"

	"gopkg.in/yaml.v3"
)

// redactMetadata redacts metadata.yaml. A segment in which nothing changes stays byte for byte.
func (e Expunged) redactMetadata(data []byte) ([]byte, error) {
	w := yamlWalk{text: e.RedactText, key: e.redactKey, metadata: true}
	return w.file(data)
}

// redactTopic redacts a topic. Its text stays behind the front matter that it has.
func (e Expunged) redactTopic(data []byte) ([]byte, error) {
	w := yamlWalk{text: e.RedactText, key: e.redactKey}
	front, text, err := w.front(string(data))
	if err != nil {
		return nil, err
	}
	return unlessSame(data, []byte(front+e.RedactText(text))), nil
}

// redactKey names a key by its tombstone: two keys "(expunged)" could not stand in one map.
func (e Expunged) redactKey(key string) string {
	_, piece, _ := cutPiece(key)
	if !e.HasText(piece) {
		return key
	}
	return strings.TrimSuffix(Redaction, ")") + strings.TrimPrefix(textLine(piece), tombText) + ")"
}

// yamlWalk goes through the texts of a YAML document and puts others in their place.
type yamlWalk struct {
	text     func(text string) string // what a value or a line of a comment reads now
	key      func(key string) string  // likewise; no two keys may become one
	metadata bool                     // else the front matter of a topic
	changed  bool
}

// ownKey reports whether the program itself gives the key at a path its meaning.
func (w *yamlWalk) ownKey(path []string) bool {
	dotted := joinPath(path)
	if !w.metadata {
		return dotted == "paths" || dotted == "supersedes"
	}
	return dotted == "version" || dotted == branchKey || isBranchFact(path) || isDetected(dotted) || hasDetected(dotted)
}

// ownValue reports whether a value is one that the program reads: no text of people's.
func (w *yamlWalk) ownValue(path []string) bool {
	return w.metadata && (joinPath(path) == "version" || isBranchFact(path) && path[1] != "purpose")
}

// file goes through metadata.yaml.
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

// front goes through the front matter of a topic, and returns it with its fences, and the text
// behind it.
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

// block redacts one segment, and writes it anew if anything in it changed.
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

// settledYAML writes a value as it stays when it is read and written again: else two sets of
// tombstones would leave other bytes one after the other than at once.
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

// node redacts what stands at a path.
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

// scalar redacts a value, which may have several lines. What is true, false or null is no text.
func (w *yamlWalk) scalar(path []string, n *yaml.Node) {
	if tag := n.ShortTag(); tag == "!!bool" || tag == "!!null" || w.ownValue(path) {
		return
	}
	if now := w.text(n.Value); now != n.Value {
		replaceNode(n, newString(now))
		w.changed = true
	}
}

// entries redacts the keys and values of a map.
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

// comment redacts the lines of a comment, in which a piece stands behind any number of '#'. What
// else stands before the first key of a document is left alone.
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

// PiecesIn is TextPieces for topics, main.md and metadata.yaml: of YAML it looks at the values,
// keys and comments, as Redact does. Of the other documents the caller looks at the parts,
// for an entry whose own words hold the match goes as a whole.
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
