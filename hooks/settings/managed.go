package settings

import (
	"fmt"
	"strconv"
	"strings"
)

// The markers are lines of their own around a block of ours in a file of Markdown.
const (
	beginMark  = "<!-- git-context:begin"
	endMark    = "<!-- git-context:end"
	markerEnds = "-->"
)

// blockVersion is the version of what is between the markers. A block of a newer version is left alone.
const blockVersion = 1

// managed is a block of ours in a file of Markdown that belongs to others. Its lines end as those of the
// file. What precedes the block says what the file was before, so that removing it restores the bytes:
//
//  1. There was no file: the block begins it.
//  2. The file was empty or ended with a new line: an empty line precedes the block, which ends with a
//     new line.
//  3. The last line had no new line: an empty line precedes the block, which has no new line either.
type managed struct{ text string }

// span is where a block is in a text: from the begin marker to the end marker, without its new line.
type span struct {
	start, end int
	version    int // 0 if it is not readable
}

func (s span) of(text string) string { return text[s.start:s.end] }

// find returns the block of a text; false if there is none. Anything but one begin marker before one end
// marker is an error, because it does not say which lines are ours.
func find(text string) (s span, found bool, err error) {
	begins, ends, at := 0, 0, 0
	for line := range strings.Lines(text) {
		trimmed := strings.TrimSpace(strings.TrimPrefix(line, byteOrderMark))
		switch rest, ours := strings.CutPrefix(trimmed, beginMark); {
		case !strings.HasSuffix(trimmed, markerEnds):
		case ours:
			begins++
			s.start = at + len(line) - len(strings.TrimPrefix(line, byteOrderMark))
			number := strings.TrimSpace(strings.TrimSuffix(rest, markerEnds))
			s.version, _ = strconv.Atoi(strings.TrimPrefix(number, "v")) // another form is as old as none
		case strings.HasPrefix(trimmed, endMark):
			ends++
			s.end = at + len(strings.TrimRight(line, "\r\n"))
		}
		at += len(line)
	}
	switch {
	case begins == 0 && ends == 0:
		return span{}, false, nil
	case begins != 1 || ends != 1:
		return span{}, false, fmt.Errorf("it has %d begin and %d end markers", begins, ends)
	case s.end < s.start:
		return span{}, false, fmt.Errorf("its end marker precedes its begin marker")
	}
	return s, true, nil
}

// block returns the block for a file with these line ends.
func (m managed) block(newline string) string {
	return strings.ReplaceAll(fmt.Sprintf("%s v%d %s\n%s\n%s %s", beginMark, blockVersion, markerEnds,
		strings.TrimSuffix(m.text, "\n"), endMark, markerEnds), "\n", newline)
}

// outdated reports whether add would change a block.
func (m managed) outdated(text string, s span) bool {
	return s.version <= blockVersion && s.of(text) != m.block(newlineOf(s.of(text)))
}

// newlineOf returns how the first line of a text ends.
func newlineOf(text string) string {
	if i := strings.IndexByte(text, '\n'); i > 0 && text[i-1] == '\r' {
		return "\r\n"
	}
	return "\n"
}

// add returns the file with the block of this version.
func (m managed) add(f file) ([]byte, error) {
	text := string(f.data)
	newline := newlineOf(text)
	s, found, err := find(text)
	switch {
	case err != nil:
		return nil, damaged(f.path, err)
	case found && m.outdated(text, s):
		return []byte(text[:s.start] + m.block(newline) + text[s.end:]), nil
	case found:
		return f.data, nil
	}
	return []byte(appendBlock(f, m.block(newline), newline)), nil
}

// appendBlock returns the text of a file with a block at its end.
func appendBlock(f file, block, newline string) string {
	text := string(f.data)
	switch {
	case !f.exists:
		return block + newline
	case emptyOrEnded(text):
		return text + newline + block + newline
	}
	return text + newline + newline + block
}

// emptyOrEnded reports whether a text has no line without an end.
func emptyOrEnded(text string) bool {
	return text == "" || text == byteOrderMark || strings.HasSuffix(text, "\n")
}

// remove returns the file without the block; nil, which removes the file, if it was made for the block
// and nothing else is in it.
func (m managed) remove(f file) ([]byte, error) {
	text := string(f.data)
	s, found, err := find(text)
	switch {
	case err != nil:
		return nil, damaged(f.path, err)
	case !f.exists:
		return nil, nil
	case !found:
		return f.data, nil
	}
	left, nothing := s.cutFrom(text)
	if nothing && !f.linked {
		return nil, nil
	}
	return []byte(left), nil
}

// cutFrom returns a text without a block that appendBlock added. nothing: the file was made for the block and
// nothing else is in it.
func (s span) cutFrom(text string) (left string, nothing bool) {
	before, after := text[:s.start], text[s.end:]
	rest, ended := cutNewline(after)
	nothing = strings.TrimPrefix(before, byteOrderMark) == "" && rest == ""
	newline := newlineOf(s.of(text))
	if shorter, empty := strings.CutSuffix(before, newline); empty && emptyOrEnded(shorter) {
		before = shorter
		if !ended {
			before = strings.TrimSuffix(before, newline)
		}
	}
	return before + rest, nothing
}

// cutNewline removes a new line from the beginning of a text.
func cutNewline(text string) (rest string, found bool) {
	if rest, found = strings.CutPrefix(text, "\r\n"); found {
		return rest, true
	}
	return strings.CutPrefix(text, "\n")
}

// damaged is the refusal of a file whose markers are not a pair.
func damaged(path string, err error) error {
	return refuse(nil, "remove the lines '"+beginMark+" …' and '"+endMark+" …' with what is ours between them",
		"'%s' has a damaged block of git-context: %v", path, err)
}
