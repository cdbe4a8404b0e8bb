package expunge

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"

	"github.com/git-context/git-context/refs/doc"
)

// matcher looks for a text as given, and with white space folded as in a trailer that contains
// a purpose.
type matcher struct {
	forms    []string // none, where no text is looked for
	spelling [][]byte // how any file may spell it
}

func newMatcher(text string) matcher {
	if text == "" {
		return matcher{}
	}
	m := matcher{forms: []string{text}}
	if folded := strings.Join(strings.Fields(text), " "); strings.ContainsAny(text, "\n\t") && folded != "" {
		m.forms = append(m.forms, folded)
	}
	for _, form := range m.forms {
		for _, s := range spellings(form) {
			if !slices.ContainsFunc(m.spelling, func(have []byte) bool { return string(have) == s }) {
				m.spelling = append(m.spelling, []byte(s))
			}
		}
	}
	return m
}

// spellings returns a text as documents, journals and notes write it.
func spellings(text string) []string {
	escaped := strings.NewReplacer(`\`, `\\`, "\n", `\n`, "\r", `\r`).Replace(text)
	list := []string{text, strings.ReplaceAll(text, "\n", "\n> "), escaped}
	plain := quoteJSON(text)
	list = append(list, plain[1:len(plain)-1])
	if html, err := json.Marshal(text); err == nil { // with HTML's signs escaped, as journals are
		list = append(list, string(html[1:len(html)-1]))
	}
	return list
}

func (m matcher) none() bool { return len(m.forms) == 0 }

// in reports whether a text contains it.
func (m matcher) in(text string) bool {
	return slices.ContainsFunc(m.forms, func(form string) bool { return strings.Contains(text, form) })
}

// raw reports whether the bytes of any file contain it.
func (m matcher) raw(data []byte) bool {
	return slices.ContainsFunc(m.spelling, func(s []byte) bool { return bytes.Contains(data, s) })
}

// pieces returns the lines of a text that it touches.
func (m matcher) pieces(text string) []string {
	var list []string
	for _, form := range m.forms {
		list = append(list, doc.TextPieces(text, form)...)
	}
	return list
}

// inFile returns the pieces of a document that it touches.
func (m matcher) inFile(path string, data []byte) ([]string, error) {
	var list []string
	for _, form := range m.forms {
		pieces, err := doc.PiecesIn(path, data, form)
		if err != nil {
			return nil, err
		}
		list = append(list, pieces...)
	}
	return list, nil
}

// revealing returns those quotes of a commit that reveal the text: all of them if the commit
// itself is removed, else those that contain a touched line or its beginning, since a summary
// may cut it. Other quoted lines ("Tests pass.") occur elsewhere too and stay.
func (f *finder) revealing(m *doc.Commit, quotes []string) []string {
	if m.ID == f.id {
		return quotes
	}
	touched := append(f.match.pieces(m.Summary), f.match.pieces(m.Contribution)...)
	var list []string
	for _, q := range quotes {
		if f.match.in(q) || slices.ContainsFunc(touched, func(line string) bool { return quotesLine(q, line) }) {
			list = append(list, q)
		}
	}
	return list
}

// minOverlap is how many bytes of the beginning of a line a quote must end with.
const minOverlap = 4

// quotesLine reports whether a quote contains a line, or ends within it.
func quotesLine(quote, line string) bool {
	quote = strings.TrimSuffix(quote, "…")
	if strings.Contains(quote, line) {
		return true
	}
	for n := min(len(quote), len(line)); n >= min(minOverlap, len(quote)) && n > 0; n-- {
		if strings.HasSuffix(quote, line[:n]) {
			return true
		}
	}
	return false
}

// mapJSONTexts replaces the strings of a JSON text, keys included, and keeps every other byte.
// Of invalid JSON it replaces the strings that it can read.
func mapJSONTexts(text string, replace func(string) string) string {
	var b strings.Builder
	done := 0
	for at := 0; at < len(text); at++ {
		if text[at] != '"' {
			continue
		}
		end := jsonStringEnd(text, at)
		if end < 0 {
			break
		}
		var s string
		if json.Unmarshal([]byte(text[at:end]), &s) == nil {
			if now := replace(s); now != s {
				b.WriteString(text[done:at])
				b.WriteString(quoteJSON(now))
				done = end
			}
		}
		at = end - 1
	}
	if done == 0 {
		return text
	}
	b.WriteString(text[done:])
	return b.String()
}

// jsonStringEnd returns the offset after the string that begins at an offset, -1 if the string
// has no end.
func jsonStringEnd(text string, at int) int {
	for i := at + 1; i < len(text); i++ {
		switch text[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
	return -1
}

// quoteJSON writes a string as notes contain it, without escapes for HTML.
func quoteJSON(s string) string {
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(s); err != nil { // a string always can be written
		return `""`
	}
	return strings.TrimSuffix(b.String(), "\n")
}
