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
	// Steps and Milestones count the removed entries by origin.
	Steps, Milestones map[string]int
}

// Redact applies the tombstones to a file of a branch's tree, or to main.md of the
// roadmap's tree:
//
//  1. log.md, commit.md and segments lose the entries that have a tombstone, except births. A
//     live file that loses all entries becomes empty. In the remaining entries the pieces of
//     quotes, summaries and attributes are redacted, except those of counts and kinds. Headings
//     stay, because agents and branches are names.
//  2. main.md is redacted by line, except its title and the headings of the standard sections.
//  3. metadata.yaml is redacted by value, key and comment. A redacted key reads
//     "(expunged HASH)", because keys must differ. The keys and values that the program writes
//     about the branch stay, except its purpose. The totals stay too: a caller that removes
//     entries must update them.
//  4. A topic is redacted by line, its front matter like metadata.yaml.
//
// If nothing changes, the result contains data itself. Applying two sets in either order
// equals applying their union. Redact fails on an unknown path, on a document that it
// cannot parse, and on a metadata.yaml that would exceed its limit, as "(expunged)" may be
// longer than a piece.
func (e Expunged) Redact(path string, data []byte) (Redacted, error) {
	r := Redacted{Data: data}
	var err error
	switch kind := KnownFile(path); {
	case kind == FileLog:
		r, err = e.redactEntries(logHeading, data)
		r.Milestones = nil
	case kind == FileCommits:
		r, err = e.redactEntries(commitHeading, data)
		r.Steps, r.Milestones = nil, r.Steps
	case kind == FileMetadata:
		r.Data, err = e.redactMetadata(data)
	case kind == FileTopic:
		r.Data, err = e.redactTopic(data)
	case path == RoadmapFile:
		r.Data = e.redactRoadmap(data)
	default:
		return Redacted{}, fmt.Errorf("'%s' is no file of a memory", clip(path))
	}
	if err != nil {
		return Redacted{}, fmt.Errorf("%s: %w", path, err)
	}
	return r, nil
}

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
	}
	if len(kept) > 0 {
		r.First = kept[0].id
	}
	if r.Data = data; len(kept) < len(entries) {
		r.Data = joinEntries(kept)
	}
	r.Data = unlessSame(r.Data, []byte(mapLines(string(r.Data), e.entryLines())))
	return r, nil
}

// joinEntries writes entries as one file.
func joinEntries(entries []rawEntry) (data []byte) {
	var t tagger
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
	attributes := false // directly below a heading
	return func(line string) string {
		switch {
		case strings.HasPrefix(line, logHeading), strings.HasPrefix(line, commitHeading):
			attributes = true
		case strings.HasPrefix(line, tagPrefix), strings.HasPrefix(line, "**"):
		case line == "":
			attributes = false
		case line[0] == '>':
			return e.redactLine(line)
		case attributes:
			return e.redactAttribute(line)
		default:
			return e.redactEscaped(line, true) // a summary
		}
		return line
	}
}

func (e Expunged) redactAttribute(line string) string {
	key, value, ok := splitAttribute(line)
	if !ok || key == "tokens" || key == "kind" || key == "steps" {
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
	return unlessSame(data, r.Bytes())
}

// unlessSame returns now, or the slice old if both contain the same bytes.
func unlessSame(old, now []byte) []byte {
	if bytes.Equal(old, now) {
		return old
	}
	return now
}
