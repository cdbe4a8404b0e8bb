package expunge

import (
	"cmp"
	"slices"
	"strings"
	"unicode"

	"github.com/git-context/git-context/refs/doc"
	"github.com/git-context/git-context/refs/prose"
)

// matcher looks for a text in every form in which memory may contain it:
//
//  1. as given;
//  2. with each run of white space, line breaks included, replaced by another one: the program
//     folds texts to one line, and indents or quotes each line of others;
//  3. escaped, as in JSON, in paths of metadata and in summaries, up to maxEscaped times.
//
// The case of letters counts. The zero value looks for nothing.
type matcher struct {
	text   string   // as documents contain it
	word   string   // a part of the text that forms contain; "" if there is none
	coded  bool     // the text contains what JSON can write in ASCII, also in that part
	folded []string // what to look for in folded texts; none if the text has one form
}

// maxEscaped is how often a text is escaped: JSON in a field of JSON in a line of JSON.
const maxEscaped = 3

func newMatcher(text string) matcher {
	text, _ = doc.Clean(text)
	m := matcher{text: text}
	if strings.TrimSpace(text) == "" {
		return matcher{}
	}
	m.coded = strings.ContainsFunc(text, func(r rune) bool { return r > unicode.MaxASCII })
	if !m.coded && !strings.ContainsFunc(text, isVaried) {
		return m
	}
	for word := range strings.FieldsFuncSeq(text, isVaried) {
		if len(word) > len(m.word) {
			m.word = word
		}
	}
	inLine := prose.Fold("|" + text + "|") // with the marks of quotes
	for _, form := range []string{text, inLine[1 : len(inLine)-1]} {
		if now := viewOf(form).folded().text; !slices.Contains(m.folded, now) {
			m.folded = append(m.folded, now)
		}
	}
	return m
}

// isVaried reports whether forms of a text differ in a character.
func isVaried(r rune) bool {
	return unicode.IsSpace(r) || unicode.IsControl(r) || strings.ContainsRune(`"\<>&`, r)
}

func (m matcher) none() bool { return m.text == "" }

// find is a [doc.Finder] of all forms of the text.
func (m matcher) find(text string) []doc.Span {
	if m.none() {
		return nil
	}
	found := occurrences(text, m.text)
	if len(m.folded) == 0 || !strings.Contains(text, m.word) && !(m.coded && strings.Contains(text, `\u`)) {
		return found // views cost much more
	}
	v := viewOf(" " + text + " ") // the program trims texts: their ends are white space
	for range maxEscaped + 1 {
		found = append(found, v.occurrences(m.text)...)
		folded := v.folded()
		for _, form := range m.folded {
			found = append(found, folded.occurrences(form)...)
		}
		again := false
		if v, again = v.unescaped(); !again {
			break
		}
	}
	slices.SortFunc(found, func(a, b doc.Span) int { return cmp.Or(a.From-b.From, a.To-b.To) })
	return slices.Compact(found)
}

// occurrences returns where the text of a view, with one byte around it, contains a part, without
// the white space around the part.
func (v view) occurrences(part string) []doc.Span {
	found := occurrences(v.text, part)
	before := len(part) - len(strings.TrimLeftFunc(part, unicode.IsSpace))
	length := len(strings.TrimRightFunc(part, unicode.IsSpace))
	for i, at := range found {
		found[i] = doc.Span{From: v.at[at.From+before] - 1, To: v.at[at.From+length-1]}
	}
	return found
}

// occurrences returns where a text contains a part. They may overlap.
func occurrences(text, part string) []doc.Span {
	var found []doc.Span
	for at := 0; ; at++ {
		n := strings.Index(text[at:], part)
		if n < 0 {
			return found
		}
		at += n
		found = append(found, doc.Span{From: at, To: at + len(part)})
	}
}

// in reports whether a text contains it.
func (m matcher) in(text string) bool { return len(m.find(text)) > 0 }

// raw reports whether the bytes of any file contain it.
func (m matcher) raw(data []byte) bool { return m.in(string(data)) }

// pieces returns the lines of a text that it touches.
func (m matcher) pieces(text string) []string { return doc.TextPieces(text, m.find) }

// holds reports whether a text contains it in what can be redacted.
func (m matcher) holds(text string) bool { return len(m.pieces(text)) > 0 }

// inFile returns the pieces of a document that it touches.
func (m matcher) inFile(path string, data []byte) ([]string, error) {
	return doc.PiecesIn(path, data, m.find)
}
