package doc

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"
)

const (
	maxTopicKey   = 100 // bytes
	fence         = "---"
	keyPaths      = "paths"
	keySupersedes = "supersedes"
)

// Topic is a file of keyed memory, topics/<key>.md.
type Topic struct {
	Paths      []string // the files that the topic is about
	Supersedes string   // key of a topic that this one replaces; "" for none
	Pinned     bool     // views show it before others, and in full
	Confirmed  string   // the code commit, a hash, of which it was last said to be true; "" for none
	Edited     []string // those of Paths that had edits without a commit when it was written or confirmed
	Text       string   // exactly as given, with or without a final newline
	Extra      string   // the other keys of the front matter, as lines of YAML
}

// TopicHead is how many bytes at the beginning of a file contain its front matter, if it has one that ParseTopic
// accepts.
const TopicHead = MetadataLimit + 64

// mostFrontNodes bounds the keys and values in the front matter of a topic that is written, or comes in. Each view of topics parses them
// all, and 64 KiB have room for 30,000, which takes a quarter of a second.
const mostFrontNodes = 2000

// CheckTopic reports why a file must not become a topic: [ParseTopic] refuses it, or its front matter has too many keys and values. What is
// a topic already is read whatever it has.
func CheckTopic(data []byte) error {
	if t, ok := PlainTopic(data); ok {
		return checkFront(t.frontValues(data))
	}
	if _, err := ParseTopic(data); err != nil {
		return err
	}
	front, _, _ := cutFront(string(data))
	if len(front) < mostFrontNodes { // a key or value has a byte at least
		return nil
	}
	root, err := decodeMap(front)
	if err != nil {
		return frontMatterError(err)
	}
	return checkFront(countNodes(root))
}

// checkFront reports whether front matter of so many keys and values is too much.
func checkFront(n int) error {
	if n > mostFrontNodes {
		return fmt.Errorf("front matter of %d values is %w of %d", n, ErrOverLimit, mostFrontNodes)
	}
	return nil
}

// CheckTopicKey reports why a key cannot name a topic: it must be 1 to 100 of a-z 0-9 . _ -
// and begin with a letter or digit.
func CheckTopicKey(key string) error {
	for i := 0; i < len(key); i++ {
		c := key[i]
		if !(alnum(c) && (c < 'A' || c > 'Z') || i > 0 && strings.IndexByte("._-", c) >= 0) {
			return badTopicKey(key)
		}
	}
	if key == "" || len(key) > maxTopicKey {
		return badTopicKey(key)
	}
	return nil
}

func badTopicKey(key string) error {
	return fmt.Errorf("'%s' is no topic key: a key has 1 to %d of a-z 0-9 . _ - and begins with a letter or digit",
		clip(key), maxTopicKey)
}

// TopicPath returns the path of a topic's file.
func TopicPath(key string) string { return "topics/" + key + ".md" }

// ParseTopic reads a topic. Front matter is the text between a first line "---" and the
// next such line. A file without it, or without its end, is all text. It fails if data is
// not clean text, or if the front matter is not a YAML map within MetadataLimit.
func ParseTopic(data []byte) (Topic, error) {
	s := string(data)
	if err := checkText(s); err != nil {
		return Topic{}, &SyntaxError{firstBadLine(s), err.Error()}
	}
	front, text, ok := cutFront(s)
	if !ok {
		return Topic{Text: s}, nil
	}
	t := Topic{Text: text}
	if front == "" {
		return t, nil
	}
	if len(front) > MetadataLimit {
		return t, fmt.Errorf("front matter of %d bytes is %w of %d", len(front), ErrOverLimit, MetadataLimit)
	}
	if plain := t; plain.takePlain(front) {
		return plain, nil
	}
	root, err := decodeMap(front)
	if err != nil {
		return t, frontMatterError(err)
	}
	if err := t.takePaths(root); err != nil {
		return t, err
	}
	if n := lookup(root, keySupersedes); n != nil {
		if t.Supersedes = n.Value; n.Kind != yaml.ScalarNode {
			return t, &SyntaxError{n.Line + 1, "'supersedes' is not a text"}
		}
		remove(root, keySupersedes)
	}
	t.takeMarks(root)
	if len(root.Content) > 0 {
		root.Style &^= yaml.FlowStyle // lines of other keys may stand before it
		if t.Extra, err = encodeNode(root); err != nil {
			return t, frontMatterError(err)
		}
	}
	return t, nil
}

// FrontSize returns the number of bytes of the front matter of a topic, which it does not read; 0 for one that [ParseTopic] refuses as too
// large.
func FrontSize(data []byte) int {
	front, _, _ := cutFront(string(data[:min(len(data), TopicHead)]))
	return len(front)
}

// frontMatterError adds the line "---" to the line of an error.
func frontMatterError(err error) error {
	var syntax *SyntaxError
	if errors.As(err, &syntax) {
		return &SyntaxError{syntax.Line + 1, syntax.Message}
	}
	return fmt.Errorf("front matter: %w", err)
}

// cutFront splits a file into front matter, without its two fences, and text.
func cutFront(s string) (front, text string, ok bool) {
	first, rest, more := strings.Cut(s, "\n")
	if !more || strings.TrimSuffix(first, "\r") != fence {
		return "", "", false
	}
	for at := 0; at < len(rest); {
		line, _, _ := strings.Cut(rest[at:], "\n")
		next := min(at+len(line)+1, len(rest))
		if strings.TrimSuffix(line, "\r") == fence {
			return rest[:at], rest[next:], true
		}
		at = next
	}
	return "", "", false
}

// takePaths moves `paths`, a list of texts or one text, out of the front matter.
func (t *Topic) takePaths(root *yaml.Node) error {
	n := lookup(root, keyPaths)
	if n == nil {
		return nil
	}
	list := n.Content
	if n.Kind == yaml.ScalarNode && n.ShortTag() != "!!null" {
		list = []*yaml.Node{n}
	}
	for _, p := range list {
		if p.Kind != yaml.ScalarNode || n.Kind == yaml.MappingNode {
			return &SyntaxError{p.Line + 1, "'paths' is not a list of texts"}
		}
		t.Paths = append(t.Paths, p.Value)
	}
	remove(root, keyPaths)
	return nil
}

// Bytes returns the file. A text that begins like front matter gets an empty one before it.
// Extra must be YAML, otherwise ParseTopic refuses the file.
func (t Topic) Bytes() []byte {
	var b strings.Builder
	writeTexts(&b, keyPaths, t.Paths)
	if t.Supersedes != "" {
		b.WriteString("supersedes: " + yamlText(t.Supersedes) + "\n")
	}
	if t.Pinned {
		b.WriteString("pinned: true\n")
	}
	if t.Confirmed != "" {
		b.WriteString("confirmed: " + yamlText(t.Confirmed) + "\n")
	}
	writeTexts(&b, "edited", t.Edited)
	b.WriteString(t.otherKeys())
	front := b.String()
	if front == "" && !strings.HasPrefix(t.Text, fence) {
		return []byte(t.Text)
	}
	return []byte(fence + "\n" + front + fence + "\n" + t.Text)
}

// writeTexts writes a key with a list of texts, unless the list is empty.
func writeTexts(b *strings.Builder, key string, texts []string) {
	if len(texts) == 0 {
		return
	}
	b.WriteString(key + ":\n")
	for _, t := range texts {
		b.WriteString("  - " + yamlText(t) + "\n")
	}
}

// yamlText formats a text on one line: plain if it is certainly a string in YAML, otherwise
// in double quotes.
func yamlText(s string) string {
	if s != "" && plainText(s) {
		return s
	}
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case printable(string(r)):
			b.WriteRune(r)
		default:
			fmt.Fprintf(&b, "\\U%08X", r)
		}
	}
	b.WriteByte('"')
	return b.String()
}

// plainText reports whether YAML reads s only as a string, such as cmd/main.go.
func plainText(s string) bool {
	slash := false
	for i := 0; i < len(s); i++ {
		if !alnum(s[i]) && strings.IndexByte("_./-", s[i]) < 0 {
			return false
		}
		slash = slash || s[i] == '/'
	}
	return slash && alnum(s[0])
}

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
