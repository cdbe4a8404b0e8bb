package doc

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"
)

// yamlWalk visits the texts of a YAML document and replaces them.
type yamlWalk struct {
	text     func(text string) string // the replacement of a value or of a comment line
	key      func(key string) string  // the replacement of a key; must map different keys to different ones
	metadata bool                     // metadata.yaml; false for the front matter of a topic
	most     int                      // how large metadata.yaml may become, without its totals
	bare     bool                     // what would grow is left out
	changed  bool
	top      map[string]bool // the keys of metadata.yaml, each of which is a map of its own here
}

// ownKey reports whether the program itself defines the key at a path.
func (w *yamlWalk) ownKey(path []string) bool {
	dotted := JoinPath(path...)
	if !w.metadata {
		switch dotted {
		case "paths", keySupersedes, keyPinned, keyConfirmed, keyEdited:
			return true
		}
		return false
	}
	return dotted == "version" || dotted == branchKey || isBranchFact(path) || isDetected(dotted) || hasDetected(dotted)
}

// ownValue reports whether the program itself makes or interprets the value at a path, so that it is
// no free text.
func (w *yamlWalk) ownValue(path []string, value string) bool {
	dotted := JoinPath(path...)
	if !w.metadata {
		return dotted == keyConfirmed && isHash(value)
	}
	return dotted == "version" || dotted == keyDetectedFrom && isHash(value) || isBranchFact(path) && path[1] != "purpose"
}

// file visits metadata.yaml and returns it with the replacements.
func (w *yamlWalk) file(data []byte) ([]byte, error) {
	m, err := ParseMetadata(data)
	if err != nil {
		return nil, err
	}
	w.top = map[string]bool{}
	touched := map[string]bool{}
	for i := range m.blocks {
		w.top[m.blocks[i].key] = true
	}
	for i := range m.blocks {
		b := &m.blocks[i]
		b.lead = w.comment(b.lead)
		if b.key == totalsKey {
			continue
		}
		before := b.text
		if err := w.block(m, b); err != nil {
			return nil, err
		}
		touched[b.key] = b.text != before
	}
	if w.bare {
		w.shrink(m, touched)
		m.blocks = slices.DeleteFunc(m.blocks, func(b block) bool { return b.lead == "" && b.text == "" })
	}
	m.tail = w.comment(m.tail)
	if !w.changed {
		return data, nil
	}
	if n := m.withoutTotals(); n > w.most {
		return nil, tooLarge(n)
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
		return "", "", frontMatterError(err)
	}
	if w.node(nil, root); !w.changed {
		return fenced, text, nil
	}
	now, err := stableYAML(root)
	if err != nil {
		return "", "", frontMatterError(err)
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
	text, err := stableYAML(b.root)
	switch {
	case w.bare && (err != nil || len(text) > len(b.text) || len(b.root.Content) == 0):
		w.leave(m, b)
	case err != nil:
		return err
	default:
		m.setText(b, text)
	}
	return nil
}

// leave leaves out a segment, but for the facts of the one about the branch.
func (w *yamlWalk) leave(m *Metadata, b *block) {
	b.lead, b.text, m.edited = "", "", true
	facts := m.Branch()
	if only := NewMetadata(); b.key == branchKey && only.SetBranch(facts) == nil {
		b.text = only.find(branchKey).text
	}
}

// shrink leaves out segments until the rest has room: those in which something is redacted first, and of these the largest. A document
// in flow style is larger when it is written again, in block style.
func (w *yamlWalk) shrink(m *Metadata, touched map[string]bool) {
	for m.withoutTotals() > w.most {
		var largest *block
		for i := range m.blocks {
			b := &m.blocks[i]
			switch {
			case b.key == totalsKey, b.key == branchKey, b.text == "":
			case largest == nil, touched[b.key] && !touched[largest.key],
				touched[b.key] == touched[largest.key] && len(b.text) > len(largest.text):
				largest = b
			}
		}
		if largest == nil {
			return
		}
		w.leave(m, largest)
	}
}

// stableYAML writes a value in a form that reading and writing again does not change.
// Otherwise applying two sets of tombstones in turn could give other bytes than applying
// their union.
func stableYAML(root *yaml.Node) (string, error) {
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
	if tag := n.ShortTag(); tag == "!!bool" || tag == "!!null" || w.ownValue(path, n.Value) {
		return
	}
	if now := w.text(n.Value); now != n.Value {
		replaceNode(n, newString(now))
		w.changed = true
	}
}

// rename returns a replacement that no other key of a map has: keys that differ in marks and spaces alone have the same one.
func rename(taken map[string]bool, key, now string) string {
	delete(taken, key)
	free := now
	for n := 2; taken[free]; n++ {
		free = fmt.Sprintf("%s %d)", strings.TrimSuffix(now, ")"), n)
	}
	taken[free] = true
	return free
}

// entries visits the keys and values of a map.
func (w *yamlWalk) entries(path []string, n *yaml.Node) {
	taken := w.top
	if len(path) > 0 || taken == nil {
		taken = map[string]bool{}
	}
	for key := range pairs(n) {
		taken[key.Value] = true
	}
	grown := map[string]bool{}
	for key, value := range pairs(n) {
		at := child(path, key.Value)
		w.comments(key)
		w.node(at, value)
		if w.ownKey(at) {
			continue
		}
		now := w.key(key.Value)
		if now == key.Value {
			continue
		}
		w.changed = true
		if w.bare && len(now) > len(key.Value) {
			grown[key.Value] = true
		} else {
			replaceNode(key, newString(rename(taken, key.Value, now)))
		}
	}
	if len(grown) > 0 {
		var left []*yaml.Node
		for key, value := range pairs(n) {
			if !grown[key.Value] {
				left = append(left, key, value)
			}
		}
		n.Content = left
	}
}

func (w *yamlWalk) comments(n *yaml.Node) {
	n.HeadComment = w.comment(n.HeadComment)
	n.LineComment = w.comment(n.LineComment)
	n.FootComment = w.comment(n.FootComment)
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
