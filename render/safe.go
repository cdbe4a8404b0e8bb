package render

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// Safe makes characters visible that would act on a terminal, reorder a line or be hidden:
//
//   - control characters except newline and tab: ESC becomes ^[, U+0085 becomes <U+0085>
//   - bidirectional controls, the line and paragraph separators, and the tag
//     characters, which models read and people do not see: <U+202E>
//   - bytes that are not UTF-8: U+FFFD
//
// It drops a carriage return at the end of a line, which means nothing there, so that the
// log of a program that writes CRLF stays readable. Other text is unchanged.
func Safe(s string) string {
	at := firstUnsafe(s)
	if at < 0 {
		return s
	}
	var b strings.Builder
	b.Grow(len(s) + 16)
	b.WriteString(s[:at])
	for rest := s[at:]; rest != ""; {
		r, n := utf8.DecodeRuneInString(rest)
		switch {
		case r == '\r' && (n == len(rest) || rest[n] == '\n'):
		case r == utf8.RuneError && n == 1:
			b.WriteRune(utf8.RuneError)
		case r < ' ' && r != '\n' && r != '\t' || r == 0x7f:
			b.WriteByte('^')
			b.WriteByte(byte(r) ^ 0x40)
		case hidden(r):
			fmt.Fprintf(&b, "<U+%04X>", r)
		default:
			b.WriteString(rest[:n])
		}
		rest = rest[n:]
	}
	return b.String()
}

// firstUnsafe returns the offset of the first character that Safe changes, or -1.
func firstUnsafe(s string) int {
	for i := 0; i < len(s); {
		c := s[i]
		if c < utf8.RuneSelf {
			if c < ' ' && c != '\n' && c != '\t' || c == 0x7f {
				return i
			}
			i++
			continue
		}
		r, n := utf8.DecodeRuneInString(s[i:])
		if r == utf8.RuneError && n == 1 || hidden(r) {
			return i
		}
		i += n
	}
	return -1
}

// hidden reports whether a character beyond ASCII has an effect without being visible.
// Joiners and variation selectors are not included, because many scripts and emoji need
// them.
func hidden(r rune) bool {
	switch {
	case r < 0x80:
		return false
	case r <= 0x9f: // C1 controls; U+009B alone begins an escape sequence
		return true
	case r == 0x61c, r == 0x200e, r == 0x200f: // directional marks
		return true
	case r >= 0x2028 && r <= 0x202e: // line separators, embeddings and overrides
		return true
	case r >= 0x2066 && r <= 0x2069: // isolates
		return true
	}
	return r >= 0xe0000 && r <= 0xe007f // tag characters
}
