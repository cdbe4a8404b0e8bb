package doc

import (
	"bytes"
	"fmt"
	"strings"
)

// Redacted is a file as the tombstones leave it.
type Redacted struct {
	Data []byte // the bytes given, where nothing changed; empty where no entry is left
	// First is the id of the first entry that is left, by which a segment is named; "" where
	// none is left (a segment is then gone) and of files without entries.
	First string
	// Steps and Milestones are how many entries went, by their origin.
	Steps, Milestones map[string]int
}

// Redact applies the tombstones to a file of a branch's tree, or to main.md of the roadmap's:
//
//  1. log.md, commit.md and segments lose the entries with a tombstone, but for births. A live
//     file that loses all is empty. The pieces of the others are redacted: quotes, summaries, and
//     attributes but for counts and kinds. Headings stay: agents and branches are names.
//  2. main.md is redacted by line, but for its title and the headings of the standard sections.
//  3. metadata.yaml is redacted by value, by key and by comment; a key reads "(expunged HASH)", as
//     keys must differ. What the program itself says of the branch stays, but for its purpose; and so
//     do the totals, which whoever removes entries counts anew.
//  4. A topic is redacted by line, and its front matter as metadata.yaml.
//
// What changes nothing gives data itself. Applying two sets one after the other, in
// either order, is applying their union. An unknown path, and a document that cannot be read, are errors;
// so is a metadata.yaml that would pass its limit, as "(expunged)" may be longer than a piece.
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

// redactEntries removes and redacts entries. What was removed stands under Steps.
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

// joinEntries writes a file of entries.
func joinEntries(entries []rawEntry) (data []byte) {
	var t tagger
	for _, e := range entries {
		data = append(t.append(data, e.origin), e.text...)
	}
	return data
}

// isBirth reads the attributes of a milestone.
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

// entryLines returns what redacts a file of entries, line by line: all that a text of the file
// may stand on is known by how the line begins and, for attributes, by its place.
func (e Expunged) entryLines() func(line string) string {
	attributes := false // right under a heading
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

// redactEscaped redacts a text that stands on one line, see appendLine.
func (e Expunged) redactEscaped(line string, summary bool) string {
	text, ok := unescapeLine(line, summary)
	if !ok { // no spelling of ours: the line is what there is
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

// redactRoadmap redacts main.md. Its title and standard sections are known by their lines.
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

// unlessSame returns what a file is now, and its old bytes where that is the same.
func unlessSame(old, now []byte) []byte {
	if bytes.Equal(old, now) {
		return old
	}
	return now
}
