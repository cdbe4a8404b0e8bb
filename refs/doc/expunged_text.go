package doc

import (
	"slices"
	"strings"
	"unicode"

	"github.com/git-context/git-context/refs/prose"
)

// Redaction replaces a redacted piece of text.
const Redaction = "(expunged)"

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
	if 0 < digits && digits < 10 && digits < len(s) && (s[digits] == '.' || s[digits] == ')') {
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
	if !e.HasText(line) {
		return line
	}
	marks, _, space := cutPiece(line)
	return marks + Redaction + space
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

// TextPieces returns the pieces of all lines that an occurrence of match touches: with
// tombstones for these, nothing of the match remains. The match may span lines. The pieces
// are in the order of the text, without duplicates.
func TextPieces(text, match string) []string {
	if match == "" {
		return nil
	}
	var found pieces
	at := 0
	for line := range strings.SplitSeq(text, "\n") {
		end := at + len(line)
		// Every occurrence that touches the line lies between these two.
		from, to := max(0, at-len(match)+1), min(len(text), end+len(match)-1)
		if strings.Contains(text[from:to], match) {
			found.add(line)
		}
		at = end + 1
	}
	return found.list
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

// QuotesIn returns the pieces of text that quote a commit, wherever they are cut: lines of
// the commit, prefixes of such lines that end in "…", and lines that end in its summary, as
// the roadmap's do. It is for texts that are available; Quotes is for those that are not.
func QuotesIn(m Commit, text string) []string {
	known := Quotes(m)
	if len(known) == 0 {
		return nil
	}
	summary := prose.Fold(m.Summary)
	var found pieces
	for line := range strings.SplitSeq(text, "\n") {
		_, piece, _ := cutPiece(line)
		begin, cut := strings.CutSuffix(piece, "…")
		switch {
		case slices.Contains(known, piece),
			summary != "" && strings.HasSuffix(piece, ": "+summary),
			cut && hasAlphanumeric(begin) && slices.ContainsFunc(known, func(q string) bool { return strings.HasPrefix(q, begin) }):
			found.add(piece)
		}
	}
	return found.list
}
