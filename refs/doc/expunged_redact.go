package doc

import (
	"bytes"
	"fmt"
	"strings"
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
// longer than a piece, has "␡" instead, and of a key's hash one digit. If that is too large as well, "_" stands for pieces of one or two
// bytes, and what would grow is left out: a redacted key with its value, a segment of metadata.yaml, the front matter of a topic. In
// both cases the order matters if pieces of less than three bytes, keys, or marks that somebody wrote are among what goes.
// Redact fails on an unknown path, and on a document that it cannot parse.
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
	w.most = MetadataLimit
	front, text, err := w.front(string(data))
	if err != nil {
		return nil, err
	}
	if e.bare && len(front) > len(data)-len(text) {
		front = ""
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
