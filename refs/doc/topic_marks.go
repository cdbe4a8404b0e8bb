package doc

import (
	"slices"
	"strings"

	"gopkg.in/yaml.v3"
)

// The keys of the front matter that say something about a topic beside its text.
const (
	keyPinned    = "pinned"
	keyConfirmed = "confirmed"
	keyEdited    = "edited"
)

// takeMarks moves the marks out of the front matter. A value of another form stays among the
// other keys: files from before there were marks may use their names.
func (t *Topic) takeMarks(root *yaml.Node) {
	if n := lookup(root, keyPinned); n != nil && n.Kind == yaml.ScalarNode && n.ShortTag() == "!!bool" {
		t.Pinned = strings.EqualFold(n.Value, "true")
		remove(root, keyPinned)
	}
	if n := lookup(root, keyConfirmed); n != nil && n.Kind == yaml.ScalarNode && isHash(n.Value) {
		t.Confirmed = n.Value
		remove(root, keyConfirmed)
	}
	if n := lookup(root, keyEdited); n != nil && n.Kind == yaml.SequenceNode {
		if slices.ContainsFunc(n.Content, func(p *yaml.Node) bool { return p.Kind != yaml.ScalarNode }) {
			return
		}
		for _, p := range n.Content {
			t.Edited = append(t.Edited, p.Value)
		}
		remove(root, keyEdited)
	}
}

// otherKeys returns Extra without the marks that Bytes writes: a key occurs once.
func (t Topic) otherKeys() string {
	if t.Extra == "" || !t.Pinned && t.Confirmed == "" && t.Edited == nil {
		return t.Extra
	}
	root, err := decodeMap(t.Extra)
	if err != nil {
		return t.Extra // ParseTopic refuses the file
	}
	pinned := t.Pinned && remove(root, keyPinned)
	confirmed := t.Confirmed != "" && remove(root, keyConfirmed)
	edited := t.Edited != nil && remove(root, keyEdited)
	if !pinned && !confirmed && !edited {
		return t.Extra
	}
	if len(root.Content) == 0 {
		return ""
	}
	text, err := encodeNode(root)
	if err != nil {
		return t.Extra
	}
	return text
}

// isHash reports whether a text is the hash of a commit, in either of git's lengths.
func isHash(s string) bool {
	return (len(s) == 40 || len(s) == 64) && strings.Trim(s, "0123456789abcdef") == ""
}

// marks are what the front matter says about the present state of a topic.
type marks struct {
	pinned    bool
	confirmed string
	edited    []string
}

func (t Topic) marks() marks { return marks{t.Pinned, t.Confirmed, t.Edited} }

func (m marks) none() bool { return !m.pinned && m.confirmed == "" && len(m.edited) == 0 }

// withoutMarks returns the topic as if it had none.
func (t Topic) withoutMarks() Topic {
	t.Pinned, t.Confirmed, t.Edited = false, "", nil
	return t
}

// markedTopics are the three versions of a topic in a merge, of which at least one has marks.
type markedTopics [3]Topic

// readMarked parses the versions. It returns false if there is nothing to merge beside the lines: no
// version has marks, one side removed the topic, or a version is no valid topic.
func readMarked(base, ours, theirs []byte) (m markedTopics, ok bool) {
	if ours == nil || theirs == nil {
		return m, false
	}
	for i, data := range [][]byte{base, ours, theirs} {
		var err error
		if m[i], err = ParseTopic(data); err != nil {
			return m, false
		}
	}
	return m, slices.ContainsFunc(m[:], func(t Topic) bool { return !t.marks().none() })
}

// bare returns the versions without their marks.
func (m markedTopics) bare(base []byte) (b, o, t []byte) {
	if base != nil {
		b = m[0].withoutMarks().Bytes()
	}
	return b, m[1].withoutMarks().Bytes(), m[2].withoutMarks().Bytes()
}

// merge adds the marks to what the merge of the rest gave. A pin on either side stays, also if the
// other side removed it: a pin too many is seen, one that is lost is not. What was confirmed or edited
// is said of one text, so it is dropped if the text is that of neither side.
func (m markedTopics) merge(merged []byte) ([]byte, error) {
	t, err := ParseTopic(merged)
	if err != nil {
		return nil, err
	}
	t.Pinned = m[1].Pinned || m[2].Pinned
	from := m[2]
	if ours := m[1]; ours.Text == t.Text && (theirsUnchanged(m) || from.Text != t.Text || newerMarks(m)) {
		from = ours
	}
	if from.Text == t.Text {
		t.Confirmed, t.Edited = from.Confirmed, from.Edited
	}
	return t.Bytes(), nil
}

// theirsUnchanged reports whether only ours changed what was confirmed or edited.
func theirsUnchanged(m markedTopics) bool { return m[0].compareMarks(m[2]) == 0 }

// newerMarks chooses between two sides that both changed what was confirmed or edited. Nothing says
// which is newer; the choice must be the same on both sides of a sync.
func newerMarks(m markedTopics) bool {
	return m[0].compareMarks(m[1]) != 0 && m[1].compareMarks(m[2]) >= 0
}

func (t Topic) compareMarks(other Topic) int {
	if c := strings.Compare(t.Confirmed, other.Confirmed); c != 0 {
		return c
	}
	return slices.Compare(t.Edited, other.Edited)
}
