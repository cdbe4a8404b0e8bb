package doc

import (
	"bytes"
	"errors"
	"fmt"
	"strings"

	"gopkg.in/yaml.v3"
)

// Redacted is a file after Redact.
type Redacted struct {
	Data []byte // the same slice if nothing changed; empty if no entry remains
	// First is the id of the first remaining entry, which names a segment. It is "" for a
	// file without entries and if none remains, in which case a segment must be deleted.
	First string
	// Gone reports that an attachment must be deleted.
	Gone bool
	// The numbers of removed entries, by origin.
	Steps, Commits map[string]int
	// Sources are those of the removed steps, see Step.
	Sources []string
}

// Redact applies the tombstones to a file of a branch's tree, or to main.md of the
// roadmap's tree:
//
//  1. log.md, commit.md and segments lose the entries that have a tombstone, except births. A
//     live file that loses all entries becomes empty. In the remaining entries the pieces of
//     quotes, summaries and attributes are redacted, except those of counts, kinds and attachments. Headings
//     stay, because agents and branches are names.
//  2. main.md is redacted by line, except its title and the headings of the standard sections.
//  3. metadata.yaml is redacted by value, key and comment. A redacted key reads
//     "(expunged HASH)", because keys must differ. The keys and values that the program writes
//     about the branch stay, except its purpose. The totals stay too: a caller that removes
//     entries must update them.
//  4. A topic is redacted by line, its front matter like metadata.yaml, except the keys that the program writes.
//  5. An attachment goes as a whole if its hash has a tombstone. The steps that keep it still name it.
//
// If nothing changes, the result contains data itself. Applying two sets in either order
// equals applying their union. A document that would exceed its limit, as "(expunged)" may be
// longer than a piece, has "␡" instead, and of a key's hash one digit. Redact fails on an
// unknown path, on a document that it cannot parse, and on one that exceeds its limit even so,
// full of texts that are shorter than that.
func (e Expunged) Redact(path string, data []byte) (Redacted, error) {
	r, err := e.fitting(path, data)
	if err != nil {
		return Redacted{}, &RedactError{path, err}
	}
	return r, nil
}

// redact is Redact with one mark.
func (e Expunged) redact(path string, data []byte) (Redacted, error) {
	r := Redacted{Data: data}
	var err error
	switch kind := KindOf(path); {
	case kind == FileLog:
		r, err = e.redactEntries(logHeading, data)
	case kind == FileCommits:
		r, err = e.redactEntries(commitHeading, data)
		r.Steps, r.Commits = nil, r.Steps
	case kind == FileMetadata:
		r.Data, err = e.redactMetadata(data)
	case kind == FileTopic:
		r.Data, err = e.redactTopic(data)
	case kind == FileArtifact:
		if r.Gone = e.HasFile(NewAttachment("", data).Hash); r.Gone {
			r.Data = nil
		}
	case path == RoadmapFile:
		r.Data = e.redactRoadmap(data)
	default:
		err = fmt.Errorf("'%s' is no file of a memory", clip(path))
	}
	return r, err
}

// RedactError says that tombstones cannot be applied to a file: it cannot be read, or would exceed a limit.
type RedactError struct {
	Path string
	Err  error
}

func (e *RedactError) Error() string { return e.Path + ": " + e.Err.Error() }

func (e *RedactError) Unwrap() error { return e.Err }

// redactEntries removes and redacts entries. It counts the removed ones in Steps.
func (e Expunged) redactEntries(heading string, data []byte) (Redacted, error) {
	entries, err := splitEntries(data, heading)
	if err != nil {
		return Redacted{}, err
	}
	var r Redacted
	kept := make([]rawEntry, 0, len(entries))
	for _, entry := range entries {
		if !e.HasEntry(entry.id) || heading == commitHeading && isBirth(entry.text) {
			kept = append(kept, entry)
			continue
		}
		if r.Steps == nil {
			r.Steps = make(map[string]int)
		}
		r.Steps[entry.origin]++
		if heading == logHeading {
			steps, err := ParseLog(joinEntries([]rawEntry{entry}))
			if err != nil {
				return Redacted{}, err
			}
			r.Sources = append(r.Sources, steps[0].Source)
		}
	}
	if len(kept) > 0 {
		r.First = kept[0].id
	}
	if r.Data = data; len(kept) < len(entries) {
		r.Data = joinEntries(kept)
	}
	r.Data = reuseIfEqual(r.Data, []byte(mapLines(string(r.Data), e.entryLines())))
	return r, nil
}

// joinEntries writes entries as one file.
func joinEntries(entries []rawEntry) (data []byte) {
	var t tagWriter
	for _, e := range entries {
		data = append(t.append(data, e.origin), e.text...)
	}
	return data
}

// isBirth reports whether the text of a commit has the attribute "kind: birth".
func isBirth(text []byte) bool {
	_, rest, _ := strings.Cut(string(text), "\n")
	for line := range strings.SplitSeq(rest, "\n") {
		key, value, ok := splitAttribute(line)
		if !ok {
			break
		}
		if key == "kind" {
			return value == KindBirth
		}
	}
	return false
}

// entryLines returns a function that redacts a file of entries line by line. The beginning
// of a line tells whether it contains text; for attributes, its place does.
func (e Expunged) entryLines() func(line string) string {
	attributes, isCommit := false, false // directly below a heading
	return func(line string) string {
		switch {
		case strings.HasPrefix(line, logHeading), strings.HasPrefix(line, commitHeading):
			attributes, isCommit = true, strings.HasPrefix(line, commitHeading)
		case strings.HasPrefix(line, tagPrefix), strings.HasPrefix(line, "**"):
		case line == "":
			attributes = false
		case line[0] == '>':
			return e.redactLine(line)
		case attributes:
			return e.redactAttribute(line, isCommit)
		default:
			return e.redactEscaped(line, true) // a summary
		}
		return line
	}
}

func (e Expunged) redactAttribute(line string, isCommit bool) string {
	key, value, ok := splitAttribute(line)
	if !ok {
		return line
	}
	switch key {
	case "tokens", "kind", "steps":
		if knownAttribute(key, isCommit) != 0 { // else anybody's words
			return line
		}
	}
	if _, ok := parseAttachment(value); ok && key == attachmentKey { // a log.md without it cannot be read
		return line
	}
	return line[:len(line)-len(value)] + e.redactEscaped(value, false)
}

// redactEscaped redacts a text that is escaped to one line; see appendLine.
func (e Expunged) redactEscaped(line string, summary bool) string {
	text, ok := unescapeLine(line, summary)
	if !ok { // not an escaped text of this program: redact the line itself
		return e.redactLine(line)
	}
	now := e.RedactText(text)
	switch {
	case now == text:
		return line
	case summary:
		return string(appendSummary(nil, now))
	}
	return string(appendLine(nil, now))
}

// redactRoadmap redacts main.md except its title and the headings of standard sections.
func (e Expunged) redactRoadmap(data []byte) []byte {
	r := ParseRoadmap(data)
	for i := range r.sections {
		s := &r.sections[i]
		if standardName(s.name) == "" {
			s.heading = e.redactLine(s.heading)
		}
		for j, line := range s.lines {
			if i > 0 || strings.TrimSpace(line) != roadmapTitle {
				s.lines[j] = e.redactLine(line)
			}
		}
	}
	return reuseIfEqual(data, r.Bytes())
}

// reuseIfEqual returns now, or the slice old if both contain the same bytes.
func reuseIfEqual(old, now []byte) []byte {
	if bytes.Equal(old, now) {
		return old
	}
	return now
}

// redactMetadata redacts metadata.yaml. Segments without a change stay byte for byte.
func (e Expunged) redactMetadata(data []byte) ([]byte, error) {
	w, few := e.yamlWalk()
	w.metadata, w.most = true, MetadataLimit
	if e.mark == shortMark {
		w.most = MetadataMost
	}
	now, err := w.file(data)
	if err == nil && w.changed && *few {
		err = tooLarge(len(now))
	}
	return now, err
}

// redactTopic redacts the front matter and the text of a topic.
func (e Expunged) redactTopic(data []byte) ([]byte, error) {
	w, few := e.yamlWalk()
	front, text, err := w.front(string(data))
	if err != nil {
		return nil, err
	}
	now := reuseIfEqual(data, []byte(front+e.RedactText(text)))
	if w.changed { // "(expunged)" may be longer than what it replaces
		_, err = ParseTopic(now)
	}
	if err == nil && w.changed && *few {
		err = tooLarge(len(front))
	}
	return now, err
}

// RedactPath redacts the keys of a dotted path of metadata.yaml as Redact does there.
func (e Expunged) RedactPath(path string) string {
	keys, changed := PathKeys(path), false
	for i, key := range keys {
		keys[i] = e.redactKey(key)
		changed = changed || keys[i] != key
	}
	if !changed {
		return path
	}
	return JoinPath(keys...)
}

// yamlWalk visits the texts of a YAML document and replaces them.
type yamlWalk struct {
	text     func(text string) string // the replacement of a value or of a comment line
	key      func(key string) string  // the replacement of a key; must map different keys to different ones
	metadata bool                     // metadata.yaml; false for the front matter of a topic
	most     int                      // how large metadata.yaml may become, without its totals
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
	if err != nil {
		return err
	}
	m.setText(b, text)
	return nil
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
	for key, value := range pairs(n) {
		at := child(path, key.Value)
		w.comments(key)
		w.node(at, value)
		if w.ownKey(at) {
			continue
		}
		if now := w.key(key.Value); now != key.Value {
			replaceNode(key, newString(rename(taken, key.Value, now)))
			w.changed = true
		}
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

// PiecesIn is TextPieces for topics, main.md and metadata.yaml. Of YAML it searches the
// values, keys and comments, as Redact does. For log.md and commit.md callers must search
// the entries' parts themselves: an entry that contains the match in its own words is
// removed whole.
func PiecesIn(path string, data []byte, find Finder) ([]string, error) {
	var found pieces
	look := func(text string) string {
		for _, piece := range TextPieces(text, find) {
			found.add(piece)
		}
		return text
	}
	w := yamlWalk{text: look, key: look}
	text, err := string(data), error(nil)
	switch kind := KindOf(path); {
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
