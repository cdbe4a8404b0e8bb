package expunge

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/git-context/git-context/refs/doc"
)

// view is a text in another form, with the place of each byte in the text that it was made of.
type view struct {
	text string
	at   []int // by byte of text: the offset of the last byte that it stands for
}

// viewOf returns a text as it is.
func viewOf(text string) view {
	v := view{text: text, at: make([]int, len(text))}
	for i := range v.at {
		v.at[i] = i
	}
	return v
}

// folded replaces each run of white space by one space: with the marks of quotes behind its line
// breaks, and with the backslashes behind these by which main.md escapes a line.
func (v view) folded() view {
	b := newViewBuilder(v)
	space, lineStart := false, false
	for i := 0; i < len(v.text); {
		r, size := utf8.DecodeRuneInString(v.text[i:])
		switch {
		case unicode.IsSpace(r):
			if !space {
				b.add(" ", i+size)
			}
			space, lineStart = true, lineStart || r == '\n'
		case lineStart && (r == '>' || r == '\\' && escapesLine(v.text[i:])):
		default:
			space, lineStart = false, false
			b.add(v.text[i:i+size], i+size)
		}
		i += size
	}
	return b.view()
}

// escapesLine reports whether backslashes keep main.md from reading a line otherwise.
func escapesLine(line string) bool {
	rest := strings.TrimLeft(line, `\`)
	return strings.HasPrefix(rest, "#") || strings.HasPrefix(rest, doc.OutcomePrefix)
}

// unescaped returns what the escapes mean that JSON, paths of metadata and summaries contain. It
// reports false if there are none.
func (v view) unescaped() (view, bool) {
	if !strings.Contains(v.text, `\`) {
		return v, false
	}
	b := newViewBuilder(v)
	found := false
	for i := 0; i < len(v.text); {
		text, size := unescape(v.text[i:])
		found = found || size > 1
		i += size
		b.add(text, i)
	}
	return b.view(), found
}

// unescape returns the meaning of the escape at the beginning of a text, and its length. What is
// no escape is a byte that means itself.
func unescape(text string) (string, int) {
	if len(text) > 1 && text[0] == '\\' {
		switch text[1] {
		case '\\', '"', '/':
			return text[1:2], 2
		case 'n':
			return "\n", 2
		case 'r':
			return "\r", 2
		case 't':
			return "\t", 2
		case 'b':
			return "\b", 2
		case 'f':
			return "\f", 2
		case 'u':
			if r, size := unescapeRune(text); size > 0 {
				return string(r), size
			}
		}
	}
	return text[:1], 1
}

// unescapeRune reads "\uXXXX", or two of them for one character. The size is 0 if it cannot.
func unescapeRune(text string) (r rune, size int) {
	unit := func(text string) rune {
		if len(text) < 6 || text[:2] != `\u` {
			return -1
		}
		n, err := strconv.ParseUint(text[2:6], 16, 16)
		if err != nil {
			return -1
		}
		return rune(n)
	}
	switch r = unit(text); {
	case r < 0:
		return 0, 0
	case utf16.IsSurrogate(r):
		if both := utf16.DecodeRune(r, unit(text[6:])); both != unicode.ReplacementChar {
			return both, 12
		}
	}
	return r, 6
}

// viewBuilder makes a view of a view.
type viewBuilder struct {
	of   view
	text strings.Builder
	at   []int
}

func newViewBuilder(of view) *viewBuilder {
	return &viewBuilder{of: of, at: make([]int, 0, len(of.text))}
}

// add adds what stands for the bytes before an offset.
func (b *viewBuilder) add(text string, end int) {
	b.text.WriteString(text)
	for i := range len(text) {
		b.at = append(b.at, b.of.at[max(end-len(text)+i, 0)])
	}
}

func (b *viewBuilder) view() view { return view{b.text.String(), b.at} }
