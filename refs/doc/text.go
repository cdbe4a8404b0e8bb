package doc

import (
	"errors"
	"strings"
	"unicode/utf8"
)

// Clean returns s with every byte that is not UTF-8, and every NUL, replaced by
// U+FFFD, and whether anything was replaced. What a document holds is clean: git,
// grep and JSON would each treat the rest in a way of their own.
func Clean(s string) (string, bool) {
	if checkText(s) == nil {
		return s, false
	}
	// Byte by byte, as a range over s yields one U+FFFD per bad byte.
	return strings.Map(func(r rune) rune {
		if r == 0 {
			return utf8.RuneError
		}
		return r
	}, s), true
}

var (
	errNotUTF8 = errors.New("not UTF-8")
	errNUL     = errors.New("a NUL byte")
)

// checkText says what Clean would have to replace.
func checkText(s string) error {
	if !utf8.ValidString(s) {
		return errNotUTF8
	}
	if strings.IndexByte(s, 0) >= 0 {
		return errNUL
	}
	return nil
}

// appendQuote appends s as a block quote: each line behind "> ", an empty line as ">".
func appendQuote(b []byte, s string) []byte {
	for {
		line, rest, more := strings.Cut(s, "\n")
		b = append(b, '>')
		if line != "" {
			b = append(b, ' ')
			b = append(b, line...)
		}
		b = append(b, '\n')
		if !more {
			return b
		}
		s = rest
	}
}

// unquoteLine is the reverse of appendQuote for one line. "> " with nothing behind it
// is refused, so that one text has one spelling.
func unquoteLine(line string) (string, bool) {
	if line == ">" {
		return "", true
	}
	if len(line) > 2 && line[0] == '>' && line[1] == ' ' {
		return line[2:], true
	}
	return "", false
}

// appendLine appends s as one line: a backslash, a line feed and a carriage return
// are written \\, \n and \r. Everything else stands as it is.
func appendLine(b []byte, s string) []byte {
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '\\':
			b = append(b, '\\', '\\')
		case '\n':
			b = append(b, '\\', 'n')
		case '\r':
			b = append(b, '\\', 'r')
		default:
			b = append(b, s[i])
		}
	}
	return b
}

// opensBlock reports whether Markdown, or this format, would read something else than
// a paragraph from a line that begins with c. All are ASCII punctuation, which Markdown
// lets a backslash escape.
func opensBlock(c byte) bool {
	return strings.IndexByte("#>*+-=_`~|<[!", c) >= 0
}

// appendSummary is appendLine for a line that stands alone between blank lines.
func appendSummary(b []byte, s string) []byte {
	if s != "" && opensBlock(s[0]) {
		b = append(b, '\\')
	}
	return appendLine(b, s)
}

// unescapeLine is the reverse of appendLine; with summary true, of appendSummary.
func unescapeLine(s string, summary bool) (string, bool) {
	i := strings.IndexByte(s, '\\')
	if i < 0 {
		return s, !summary || s == "" || !opensBlock(s[0])
	}
	if summary && opensBlock(s[0]) {
		return "", false
	}
	var b strings.Builder
	b.Grow(len(s))
	for i = 0; i < len(s); i++ {
		c := s[i]
		if c == '\\' {
			if i++; i == len(s) {
				return "", false
			}
			var ok bool
			if c, ok = unescapeByte(s[i], summary && i == 1); !ok {
				return "", false
			}
		}
		b.WriteByte(c)
	}
	return b.String(), true
}

func unescapeByte(c byte, first bool) (byte, bool) {
	switch {
	case c == '\\':
		return c, true
	case c == 'n':
		return '\n', true
	case c == 'r':
		return '\r', true
	}
	return c, first && opensBlock(c)
}
