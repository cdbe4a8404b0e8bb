package doc

import (
	"bytes"
	"cmp"
	"slices"
	"strings"
)

// rawEntry is an entry as it is in a file, from its heading to its last newline. Merging
// and growing use raw entries and so preserve what this version does not understand.
type rawEntry struct {
	id, origin string
	text       []byte
}

// size is an upper bound of the entry's bytes in a file, with its tag.
func (e *rawEntry) size() int {
	return len(e.text) + len(e.origin) + len(tagPrefix) + len(tagSuffix) + 3
}

func compareEntries(a, b rawEntry) int { return strings.Compare(a.id, b.id) }

// same reports whether two entries of one id have the same content.
func (e *rawEntry) same(o *rawEntry) bool { return e.compareContent(o) == 0 }

// compareContent orders two entries of one id; a union keeps the smaller one. What was expunged on one side and is
// back on the other one is back: where it must go, both sides were rewritten before.
func (e *rawEntry) compareContent(o *rawEntry) int {
	if !bytes.Equal(e.text, o.text) {
		if n := CountMarks(e.text) - CountMarks(o.text); n != 0 {
			return n
		}
	}
	return cmp.Or(bytes.Compare(e.text, o.text), strings.Compare(e.origin, o.origin))
}

// splitEntries splits a document at its headings. Only the first line of an entry begins
// like a heading or a tag, whatever its texts contain, so that nothing else needs parsing.
func splitEntries(data []byte, heading string) ([]rawEntry, error) {
	sc, err := newScanner(data)
	if err != nil {
		return nil, err
	}
	var entries []rawEntry
	origin := ""
	start, end := -1, 0 // of the open entry; end is the offset after its last non-empty line
	for sc.more() {
		at := sc.pos
		line := sc.next()
		isHeading := strings.HasPrefix(line, heading)
		isTag := strings.HasPrefix(line, tagPrefix)
		if start >= 0 && (isHeading || isTag) {
			entries[len(entries)-1].text, start = data[start:end:end], -1
		}
		switch {
		case isTag:
			sc.pos, sc.line = at, sc.line-1
			if origin, err = sc.tag(); err != nil {
				return nil, err
			}
		case isHeading:
			h, ok := parseHeading(line, heading)
			if !ok || origin == "" {
				return nil, sc.fail("'%s' is no heading under the tag of a branch", clip(line))
			}
			entries = append(entries, rawEntry{id: h.ID, origin: origin})
			start, end = at, sc.pos
		case line == "":
		case start < 0:
			return nil, sc.fail("'%s' where an entry must begin", clip(line))
		default:
			end = sc.pos
		}
	}
	if start >= 0 {
		entries[len(entries)-1].text = data[start:end:end]
	}
	return entries, nil
}

// ascending reports whether the ids are strictly ascending.
func ascending(entries []rawEntry) bool {
	for i := 1; i < len(entries); i++ {
		if entries[i-1].id >= entries[i].id {
			return false
		}
	}
	return true
}

// dedupe sorts entries by id and keeps one of each id, the smaller if they differ. It
// returns the ids that had two contents.
func dedupe(entries []rawEntry) (kept []rawEntry, twoContents []string) {
	slices.SortFunc(entries, func(a, b rawEntry) int {
		return cmp.Or(compareEntries(a, b), a.compareContent(&b))
	})
	for _, e := range entries {
		n := len(kept)
		if n == 0 || kept[n-1].id != e.id {
			kept = append(kept, e)
		} else if !kept[n-1].same(&e) && (len(twoContents) == 0 || twoContents[len(twoContents)-1] != e.id) {
			twoContents = append(twoContents, e.id)
		}
	}
	return kept, twoContents
}

// EntryHead identifies an entry.
type EntryHead struct{ ID, Origin string }

// EntryHeads lists the entries of LogFile, CommitFile or a segment of either (file selects
// the format), in the order of the document. It reads only their headings.
func EntryHeads(file string, data []byte) ([]EntryHead, error) {
	entries, err := splitEntries(data, headingOf(file))
	if err != nil {
		return nil, err
	}
	heads := make([]EntryHead, len(entries))
	for i, e := range entries {
		heads[i] = EntryHead{e.id, e.origin}
	}
	return heads, nil
}

// EachEntry calls each for the entries of such a document in order, with the text from the
// heading to the end of the last line. The text is only valid during the call.
func EachEntry(file string, data []byte, each func(h EntryHead, text []byte)) error {
	entries, err := splitEntries(data, headingOf(file))
	for _, e := range entries {
		each(EntryHead{e.id, e.origin}, e.text)
	}
	return err
}

func headingOf(file string) string {
	if file == CommitFile {
		return commitHeading
	}
	return logHeading
}

// RemoveEntries returns a side of a union without the entries whose ids are in drop. A
// segment that loses its first entry gets a new name; one that loses all entries is left
// out. Files that lose nothing stay byte for byte.
func RemoveEntries(file string, e Entries, drop map[string]bool) (Entries, error) {
	live, _, err := withoutEntries(file, e.Live, drop)
	if err != nil {
		return Entries{}, err
	}
	out := Entries{Live: live}
	for _, f := range e.Segments {
		data, first, err := withoutEntries(file, f.Data, drop)
		if err != nil {
			return Entries{}, err
		}
		if first != "" {
			out.Segments = append(out.Segments, File{SegmentPath(dirOf(file), first), data})
		}
	}
	return out, nil
}

func dirOf(file string) string {
	if file == CommitFile {
		return CommitDir
	}
	return LogDir
}

// withoutEntries returns the rest of a document and its first id.
func withoutEntries(file string, data []byte, drop map[string]bool) (left []byte, first string, err error) {
	entries, err := splitEntries(data, headingOf(file))
	if err != nil {
		return nil, "", err
	}
	kept := slices.DeleteFunc(slices.Clone(entries), func(e rawEntry) bool { return drop[e.id] })
	if len(kept) == 0 {
		return nil, "", nil
	}
	if len(kept) == len(entries) {
		return data, kept[0].id, nil
	}
	var t tagWriter
	for _, e := range kept {
		left = append(t.append(left, e.origin), e.text...)
	}
	return left, kept[0].id, nil
}
