package render

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Safe makes characters visible that would act on a terminal, reorder a line or be hidden:
//
//   - control characters except newline and tab: ESC becomes ^[, U+0085 becomes <U+0085>
//   - bidirectional controls, and characters without width, which models read and people do not
//     see: <U+202E>. A joiner or a variation selector stays where a script or an emoji needs it:
//     behind a character that is neither
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
	before, _ := utf8.DecodeLastRuneInString(s[:at]) // as it is written
	for rest := s[at:]; rest != ""; {
		r, n := utf8.DecodeRuneInString(rest)
		rest = rest[n:]
		if r == '\r' && (rest == "" || rest[0] == '\n') {
			continue
		}
		before = writeSafe(&b, before, r, n)
	}
	return b.String()
}

// writeSafe writes a character of n bytes, and returns the last one that it wrote.
func writeSafe(b *strings.Builder, before, r rune, n int) rune {
	switch {
	case r == utf8.RuneError && n == 1:
		b.WriteRune(utf8.RuneError)
	case r < ' ' && r != '\n' && r != '\t' || r == 0x7f:
		b.WriteByte('^')
		b.WriteByte(byte(r) ^ 0x40)
	case hidden(r) || loose(before, r):
		fmt.Fprintf(b, "<U+%04X>", r)
		return '>'
	default:
		b.WriteRune(r)
	}
	return r
}

// firstUnsafe returns the offset of the first character that Safe changes, or -1.
func firstUnsafe(s string) int {
	before := rune(0)
	for i := 0; i < len(s); {
		c := s[i]
		if c < utf8.RuneSelf {
			if c < ' ' && c != '\n' && c != '\t' || c == 0x7f {
				return i
			}
			before = rune(c)
			i++
			continue
		}
		r, n := utf8.DecodeRuneInString(s[i:])
		if r == utf8.RuneError && n == 1 || hidden(r) || loose(before, r) {
			return i
		}
		before = r
		i += n
	}
	return -1
}

// hidden reports whether a character beyond ASCII has an effect, or is there, without being
// visible.
func hidden(r rune) bool {
	switch {
	case r < 0x80:
		return false
	case r <= 0x9f: // C1 controls; U+009B alone begins an escape sequence
		return true
	case r == 0x61c, r == 0x200e, r == 0x200f: // directional marks
		return true
	case r == 0x200b, r == 0xfeff, r >= 0x2060 && r <= 0x2065: // without width
		return true
	case r >= 0x2028 && r <= 0x202e: // line separators, embeddings and overrides
		return true
	case r >= 0x2066 && r <= 0x206f: // isolates, and controls that are not in use any more
		return true
	case r >= 0xfff0 && r <= 0xfffb: // annotations, and what is not assigned
		return true
	case r == 0xad, r == 0x34f, r == 0x180e: // a hyphen, a joiner and a vowel separator that nothing shows
		return true
	case r == 0x115f, r == 0x1160, r == 0x3164, r == 0xffa0, r == 0x17b4, r == 0x17b5: // fillers and inherent vowels
		return true
	case r >= 0x13430 && r <= 0x1345f, r >= 0x1bca0 && r <= 0x1bca3, r >= 0x1d173 && r <= 0x1d17a: // controls of hieroglyphs, shorthand and music
		return true
	}
	return r >= 0xe0000 && r <= 0xe0fff // tag characters, and variation selectors beyond those of emoji
}

// loose reports whether a joiner or a variation selector is where no script or emoji has one, as behind a blank: a
// row of them can contain any text.
func loose(before, r rune) bool {
	switch {
	case joiner(r):
		return before < 0x80 || joiner(before) || blank(before)
	case selector(r):
		keycap := before >= '0' && before <= '9' || before == '#' || before == '*'
		return !keycap && (before < 0x80 || blank(before) || !unicode.In(before, unicode.So, unicode.Sm, unicode.Sk, unicode.Po, unicode.Pd,
			unicode.Han, unicode.Mongolian, unicode.Phags_Pa, unicode.Myanmar))
	}
	return false
}

// blank reports whether a character that may stand before a joiner or a selector shows nothing: spaces, braille and a note without
// a sign, and what joins letters.
func blank(r rune) bool {
	switch r {
	case 0x2800, 0x1d159, 0x2d7f, 0x1107f, 0x16fe4:
		return true
	}
	return unicode.IsSpace(r)
}

func joiner(r rune) bool { return r == 0x200c || r == 0x200d }
func selector(r rune) bool {
	return r >= 0xfe00 && r <= 0xfe0f || r >= 0x180b && r <= 0x180f && r != 0x180e
}
