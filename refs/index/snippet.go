package index

import (
	"strings"
	"unicode/utf8"
)

// Snippet returns the part of a text that contains most of the terms, of about size bytes
// and on one line; the beginning of the text if it contains none. "…" marks omitted text
// before and after.
func (t *Tokenizer) Snippet(text string, terms []string, size int) string {
	wanted := map[string]bool{}
	for _, term := range terms {
		wanted[term] = true
	}
	type match struct {
		start, end int
		terms      []string
	}
	var all []match
	t.each(text, func(ids []uint32, start, end int) {
		var m []string
		for _, id := range ids {
			if wanted[t.terms[id]] {
				m = append(m, t.terms[id])
			}
		}
		if m != nil {
			all = append(all, match{start, end, m})
		}
	})
	from, most := 0, 0
	for i, first := range all {
		different := map[string]bool{}
		for _, m := range all[i:] {
			if m.end > first.start+size {
				break
			}
			for _, term := range m.terms {
				different[term] = true
			}
		}
		if len(different) > most {
			from, most = first.start, len(different)
		}
	}
	return window(text, from, size)
}

// window returns a part of a text that begins at a word a little before from.
func window(text string, from, size int) string {
	from = max(0, min(from-size/4, len(text)-size))
	for from > 0 && from < len(text) && text[from-1] > ' ' {
		from++ // not inside a word
	}
	from = min(from, len(text))
	for from < len(text) && !utf8.RuneStart(text[from]) {
		from++
	}
	to := min(len(text), from+size)
	for to < len(text) && to > from && !utf8.RuneStart(text[to]) {
		to--
	}
	cut := strings.Join(strings.Fields(text[from:to]), " ")
	if from > 0 {
		cut = "…" + cut
	}
	if to < len(text) {
		cut += "…"
	}
	return cut
}
