package doc

import (
	"fmt"
	"strings"
	"unicode"

	"github.com/git-context/git-context/refs/prose"
)

// Redaction replaces a redacted piece of text.
const Redaction = prose.Redaction

// cutPiece splits a line, given without its line feed, into the marks before its piece, the
// piece, and the white space behind it. Marks are white space and Markdown's prefixes:
// quotes, bullets, numbers, boxes and headings. So each line has one piece, whether it is
// bare, quoted or a list item. A line of marks alone has the piece "", which is never
// redacted.
func cutPiece(line string) (marks, piece, space string) {
	body := strings.TrimRight(line, " \t\r\v\f")
	rest := body
	for {
		next := strings.TrimLeft(rest, " \t\r\v\f")
		next = next[markLen(next):]
		if len(next) == len(rest) {
			return body[:len(body)-len(rest)], rest, line[len(body):]
		}
		rest = next
	}
}

// mostDigits is how many digits the number of a list has: a longer one may be a secret.
const mostDigits = 3

// markLen returns the length of the mark at the beginning of s; 0 if there is none.
func markLen(s string) int {
	if s == "" {
		return 0
	}
	switch s[0] {
	case '>':
		return 1
	case '-', '*', '+':
		if n := markEnd(s, 1); n > 0 {
			return n + boxLen(s[n:])
		}
	case '#', '\\': // a heading, or text that main.md escapes as one would be
		slashes := len(s) - len(strings.TrimLeft(s, `\`))
		hashes := len(s) - slashes - len(strings.TrimLeft(s[slashes:], "#"))
		if hashes > 0 {
			return markEnd(s, slashes+hashes)
		}
	}
	digits := len(s) - len(strings.TrimLeft(s, "0123456789"))
	if 0 < digits && digits <= mostDigits && digits < len(s) && (s[digits] == '.' || s[digits] == ')') {
		return markEnd(s, digits+1)
	}
	return 0
}

// boxLen returns the length of a check list's box behind a bullet; 0 if there is none.
func boxLen(s string) int {
	at := len(s) - len(strings.TrimLeft(s, " "))
	for _, box := range []string{"[ ]", "[x]", "[X]"} {
		if strings.HasPrefix(s[at:], box) {
			if n := markEnd(s, at+len(box)); n > 0 {
				return n
			}
		}
	}
	return 0
}

// markEnd returns n if a mark of n bytes is all of s or white space follows it, else 0.
func markEnd(s string, n int) int {
	if n < len(s) && s[n] != ' ' && s[n] != '\t' {
		return 0
	}
	return n
}

// RedactText returns text with "(expunged)" in place of each piece that has a tombstone.
// Marks and everything else stay byte for byte.
func (e Expunged) RedactText(text string) string { return mapLines(text, e.redactLine) }

func (e Expunged) redactLine(line string) string {
	if len(e.turns) == 0 && e.mark == "" {
		return line
	}
	marks, piece, space := cutPiece(line)
	if !e.marks(piece) {
		return line
	}
	return marks + e.markOf(piece) + space
}

// bothShown unites two forms of one text that differ in what reads "(expunged)", line by line: what came back on one side
// is back, because both sides of a merge are rewritten first where a tombstone is in force. It returns false for other texts.
func bothShown(a, b string) (string, bool) {
	left, right := strings.Split(a, "\n"), strings.Split(b, "\n")
	if len(left) != len(right) {
		return "", false
	}
	for i, line := range left {
		marks, piece, _ := cutPiece(line)
		otherMarks, other, _ := cutPiece(right[i])
		switch {
		case line == right[i]:
		case marks != otherMarks, !IsMark(piece) && !IsMark(other):
			return "", false
		case piece == Redaction && other == shortMark: // from either side
		case IsMark(piece):
			left[i] = right[i]
		}
	}
	return strings.Join(left, "\n"), true
}

// Hides reports whether a text is another one of which some lines read "(expunged)".
func Hides(hidden, whole string) bool {
	shown, ok := bothShown(hidden, whole)
	return ok && hidden != whole && shown == whole
}

// mapLines replaces each line of a text. It returns text itself if no line changes.
func mapLines(text string, replace func(line string) string) string {
	var b strings.Builder
	done, at := 0, 0 // bytes of text already written to b; offset of the line
	for line := range strings.SplitSeq(text, "\n") {
		if now := replace(line); now != line {
			b.WriteString(text[done:at])
			b.WriteString(now)
			done = at + len(line)
		}
		at += len(line) + 1
	}
	if done == 0 {
		return text
	}
	b.WriteString(text[done:])
	return b.String()
}

// Span is the part of a text from an offset to another one, which is greater.
type Span struct{ From, To int }

// Finder returns the occurrences in a text of what is searched for, in the order in which they
// begin. They may overlap.
type Finder func(text string) []Span

// TextPieces returns the pieces of all lines that an occurrence touches: with tombstones for
// these, nothing of it remains, except in the marks before a piece, which stay. An occurrence may
// span lines; one in the marks of a line does not count. The pieces are in the order of the text,
// without duplicates.
func TextPieces(text string, find Finder) []string {
	var found pieces
	done := 0                  // the offset of the first line that is not among found
	marked, marksEnd := -1, -1 // what a line begins with: very many occurrences may be in it, and each would read the line again
	for _, at := range find(text) {
		if at.To < done || at.From >= marked && at.To <= marksEnd {
			continue // in a line that is, as most occurrences in one long line, or in such marks
		}
		begin := done
		if at.From >= done {
			begin += strings.LastIndexByte(text[done:at.From+1], '\n') + 1
		}
		end := lineEnd(text, at.To-1)
		if begin > end {
			continue
		}
		marks, _, _ := cutPiece(text[begin:lineEnd(text, begin)])
		marked, marksEnd = begin, begin+len(marks)
		if at.From >= marked && at.To <= marksEnd {
			continue
		}
		for line := range strings.SplitSeq(text[begin:end], "\n") {
			found.add(line)
		}
		done = end + 1
	}
	return found.list
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

// lineEnd returns the offset of the line feed at an offset or behind it, or the end of the text.
func lineEnd(text string, at int) int {
	if n := strings.IndexByte(text[at:], '\n'); n >= 0 {
		return at + n
	}
	return len(text)
}

// pieces is a list of pieces without duplicates.
type pieces struct {
	list []string
	seen map[string]bool
}

func (p *pieces) add(line string) {
	_, piece, _ := cutPiece(line)
	if piece == "" || p.seen[piece] {
		return
	}
	if p.seen == nil {
		p.seen = make(map[string]bool)
	}
	p.seen[piece] = true
	p.list = append(p.list, piece)
}

// Quotes returns the pieces by which later progress summaries quote a commit, see
// NextProgress: its complete lines, its first line shortened, and the lines that result
// when a summary of each given limit (in characters) cuts it. Tombstones for these pieces
// also redact quotations in commits that exist only in other clones. Lines without a letter
// or digit are left out, as they identify nothing. No summary quotes a birth.
func Quotes(m Commit, limits ...int) []string {
	item := progressItem(m)
	if item == "" || m.Kind == KindBirth {
		return nil
	}
	forms := []string{item, shorten(item), m.Summary, prose.Fold(m.Summary)}
	for _, limit := range limits {
		// The summary of a merge leaves half its room for the branch, and an item that
		// others follow gets two thirds.
		for _, room := range []int{limit, limit * 2 / 3, limit / 2, limit / 2 * 2 / 3} {
			forms = append(forms, formatItem(item, room))
		}
	}
	var quotes pieces
	for _, form := range forms {
		for line := range strings.SplitSeq(form, "\n") {
			if hasAlphanumeric(line) {
				quotes.add(line)
			}
		}
	}
	return quotes.list
}

// hasAlphanumeric reports whether a line has a letter or a digit.
func hasAlphanumeric(line string) bool {
	return strings.ContainsFunc(line, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) })
}

// Phrases by which a rollback repeats lines of the commit to which it goes back. [RollbackQuotes] can tell these lines from the commit alone.
const (
	RollbackTo    = "Roll back to "               // begins its summary; the commit's follows in single quotes
	rollbackAfter = RollbackTo + "a state after " // if the commit has no entry; the summary of the one before follows in single quotes
	RolledBackTo  = "Rolled back to "             // begins its contribution; the commit's hash follows
	MetadataBack  = "Metadata that changed back"

	knownThere = "What was known there: " // in those of older versions, before the commit's contribution
	mostNamed  = 100                      // characters of the summary
)

// RollbackSummary is the summary of a rollback to a commit or, if after is set, to a state after it that has no entry of its own. A rollback to a
// rollback has the same one.
func RollbackSummary(m Commit, after bool) string {
	if strings.HasPrefix(m.Summary, RollbackTo) {
		return m.Summary
	}
	begin := RollbackTo
	if after {
		begin = rollbackAfter
	}
	return begin + "'" + prose.OneLine(m.Summary, mostNamed) + "'"
}

// RollbackQuotes returns the pieces by which rollbacks to a commit repeat it, besides [Quotes].
func RollbackQuotes(m Commit) []string {
	if !hasAlphanumeric(m.Summary) || m.Kind == KindBirth {
		return nil
	}
	return []string{RollbackSummary(m, false), RollbackSummary(m, true)}
}
