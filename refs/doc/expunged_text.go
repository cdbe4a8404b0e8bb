package doc

import "strings"

// Redaction stands where a piece of text stood.
const Redaction = "(expunged)"

// cutPiece splits a line, without its line feed, into the marks before the piece that it holds, the
// piece, and white space behind it. Marks are white space and what Markdown puts before a text:
// quotes, bullets, numbers, boxes and headings. So a line has one piece, be it bare, quoted or an
// item of a list. A line of marks alone has the piece "", which is never redacted.
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

// markLen is how long the mark is that a text begins with; 0 if it begins with none.
func markLen(s string) int {
	if s == "" {
		return 0
	}
	switch s[0] {
	case '>':
		return 1
	case '-', '*', '+':
		if n := ended(s, 1); n > 0 {
			return n + boxLen(s[n:])
		}
	case '#', '\\': // a heading, or one that main.md holds as text
		slashes := len(s) - len(strings.TrimLeft(s, `\`))
		hashes := len(s) - slashes - len(strings.TrimLeft(s[slashes:], "#"))
		if hashes > 0 {
			return ended(s, slashes+hashes)
		}
	}
	digits := len(s) - len(strings.TrimLeft(s, "0123456789"))
	if 0 < digits && digits < 10 && digits < len(s) && (s[digits] == '.' || s[digits] == ')') {
		return ended(s, digits+1)
	}
	return 0
}

// boxLen is the length of the box of a check list that follows a bullet.
func boxLen(s string) int {
	at := len(s) - len(strings.TrimLeft(s, " "))
	for _, box := range []string{"[ ]", "[x]", "[X]"} {
		if strings.HasPrefix(s[at:], box) {
			if n := ended(s, at+len(box)); n > 0 {
				return n
			}
		}
	}
	return 0
}

// ended returns n where a mark of n bytes is all of s or has a space behind it, else 0.
func ended(s string, n int) int {
	if n < len(s) && s[n] != ' ' && s[n] != '\t' {
		return 0
	}
	return n
}

// RedactText returns a text in which each line that is a piece reads "(expunged)" behind its
// marks; all else stands byte for byte.
func (e Expunged) RedactText(text string) string { return mapLines(text, e.redactLine) }

func (e Expunged) redactLine(line string) string {
	if !e.HasText(line) {
		return line
	}
	marks, _, space := cutPiece(line)
	return marks + Redaction + space
}

// mapLines replaces each line of a text, and returns the text itself where all stay.
func mapLines(text string, replace func(line string) string) string {
	var b strings.Builder
	done, at := 0, 0 // bytes written to b, begin of the line
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

// TextPieces returns the pieces of a text, one a line, that a match touches anywhere: what to
// give to AddText so that nothing of the match is left. The match may span lines. None twice, in
// the order of the text.
func TextPieces(text, match string) []string {
	if match == "" {
		return nil
	}
	var found pieces
	at := 0
	for line := range strings.SplitSeq(text, "\n") {
		end := at + len(line)
		// Whatever touches the line stands between these two.
		from, to := max(0, at-len(match)+1), min(len(text), end+len(match)-1)
		if strings.Contains(text[from:to], match) {
			found.add(line)
		}
		at = end + 1
	}
	return found.list
}

// pieces collects pieces, each once.
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
