package doc

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"
)

// Clean returns s with each byte that is not UTF-8, and each NUL, replaced by U+FFFD, and
// whether it replaced anything. Documents contain only clean text, because git, grep and
// JSON each treat other bytes differently.
func Clean(s string) (string, bool) {
	if checkText(s) == nil {
		return s, false
	}
	// A range over s yields one U+FFFD for each invalid byte.
	return strings.Map(func(r rune) rune {
		if r == 0 {
			return utf8.RuneError
		}
		return r
	}, s), true
}

// Cut shortens a text to at most limit bytes. It keeps the beginning, and ends with a line that
// has the length and the SHA-256 of the whole, so that who has the original can recognise it. It does
// not cut within a character. A text within the limit stays as it is, so that cutting twice is cutting once.
func Cut(text string, limit int) (string, bool) {
	if len(text) <= limit {
		return text, false
	}
	end := fmt.Sprintf("\n[cut: the whole has %d bytes, SHA-256 %x]", len(text), sha256.Sum256([]byte(text)))
	at := max(0, limit-len(end))
	for at > 0 && !utf8.RuneStart(text[at]) {
		at--
	}
	return text[:at] + end, true
}

var (
	errNotUTF8 = errors.New("not UTF-8")
	errNUL     = errors.New("a NUL byte")
)

// checkText reports what Clean would replace.
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

// unquoteLine is the inverse of appendQuote for one line. It refuses "> " with nothing
// behind it, so that each text has one spelling.
func unquoteLine(line string) (string, bool) {
	if line == ">" {
		return "", true
	}
	if len(line) > 2 && line[0] == '>' && line[1] == ' ' {
		return line[2:], true
	}
	return "", false
}

// appendLine appends s as one line: it writes a backslash, a line feed and a carriage
// return as \\, \n and \r.
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

// opensBlock reports whether Markdown or this format would read a line that begins with c
// as something else than a paragraph. All such characters are ASCII punctuation, which a
// backslash escapes in Markdown.
func opensBlock(c byte) bool {
	return strings.IndexByte("#>*+-=_`~|<[!", c) >= 0
}

// appendSummary is appendLine for a line between blank lines: it also escapes its first
// character.
func appendSummary(b []byte, s string) []byte {
	if s != "" && opensBlock(s[0]) {
		b = append(b, '\\')
	}
	return appendLine(b, s)
}

// unescapeLine is the inverse of appendLine; if summary is true, of appendSummary.
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
