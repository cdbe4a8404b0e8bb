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
	look     bool                     // nothing is written
	changed  bool
	keys     int             // the bytes of what has taken the place of keys
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
	for i := range m.blocks {
		w.top[m.blocks[i].key] = true
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
	if w.bare {
		w.shrink(m)
		m.blocks = slices.DeleteFunc(m.blocks, func(b block) bool { return b.lead == "" && b.text == "" })
	}
	m.tail = w.comment(m.tail)
	if !w.changed || w.look {
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
	if w.node(nil, root); !w.changed || w.look {
		return fenced, text, nil
	}
	if w.keys > w.most {
		return "", "", frontMatterError(tooLarge(w.keys))
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
	if w.look {
		return nil
	}
	if w.keys > w.most { // to write it takes far longer than to see that
		return tooLarge(w.keys)
	}
	write := stableYAML
	if w.bare {
		write = flowYAML
	}
	text, err := write(b.root)
	switch {
	case w.bare && (err != nil || len(b.root.Content) == 0):
		w.leave(m, b)
	case err != nil:
		return err
	default:
		m.setText(b, text)
	}
	return nil
}

// flowYAML writes a segment with all that is below its key in flow style, without comments, or as [stableYAML] does where that cannot be written.
func flowYAML(root *yaml.Node) (string, error) {
	n := cloneNode(root)
	dropComments(n)
	var flow func(n *yaml.Node)
	flow = func(n *yaml.Node) {
		if n.Kind != yaml.ScalarNode {
			n.Style = yaml.FlowStyle
		}
		for _, c := range n.Content {
			flow(c)
		}
	}
	for _, value := range pairs(n) {
		flow(value)
	}
	if text, err := stableYAML(n); err == nil {
		return text, nil
	}
	return stableYAML(root)
}

// leave leaves out a segment, but for the facts of the one about the branch.
func (w *yamlWalk) leave(m *Metadata, b *block) {
	b.lead, b.text, m.edited = "", "", true
	facts := m.Branch()
	if only := NewMetadata(); b.key == branchKey && only.SetBranch(facts) == nil {
		b.text = only.find(branchKey).text
	}
}

// shrink leaves out segments, the largest first, until the rest has room. A document in flow style is larger when it is written again, in
// block style.
func (w *yamlWalk) shrink(m *Metadata) {
	for m.withoutTotals() > w.most {
		var largest *block
		for i := range m.blocks {
			b := &m.blocks[i]
			if b.key != totalsKey && b.key != branchKey && b.text != "" && (largest == nil || len(b.text) > len(largest.text)) {
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
	text, again, err := encodeBack(root)
	for range 4 { // comments may move once or twice
		if err != nil {
			return "", err
		}
		now, err := emit(again)
		if err != nil || now == text {
			return text, err
		}
		if now, again, err = encodeBack(again); err != nil || now == text {
			return text, err
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

// keyNames are the keys of a map.
type keyNames struct {
	taken map[string]bool
	from  map[string]int // below which number all forms of a replacement are taken: there may be thousands
}

// rename returns a replacement that no other key of a map has: keys that differ in marks and spaces alone have the same one.
func (k *keyNames) rename(key, now string) string {
	delete(k.taken, key)
	if at := strings.LastIndexByte(key, ' '); at > 0 {
		delete(k.from, key[:at]+")") // a number of it may be free again
	}
	free := now
	if k.taken[now] {
		n := max(2, k.from[now])
		for ; ; n++ {
			if free = fmt.Sprintf("%s %d)", strings.TrimSuffix(now, ")"), n); !k.taken[free] {
				break
			}
		}
		k.from[now] = n + 1
	}
	k.taken[free] = true
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
	names := keyNames{taken, map[string]int{}}
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
			now = names.rename(key.Value, now)
			replaceNode(key, newString(now))
			w.keys += len(now)
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
