package doc

import "strings"

// HiddenLines are the texts of an entry that were replaced.
type HiddenLines struct {
	Texts map[int]Expunged // their tombstones, by the number of the line
	Only  bool             // no other text may come back: the entry was written with "(expunged)" in it, or not all is known
}

// HiddenIn returns the tombstones of texts that Redact acts on in an entry, given as its text in a file, by the number of the line. A piece that contains
// a word is there with its own one: whatever else contains the word must not come in its place.
func (e Expunged) HiddenIn(entry []byte) map[int]Expunged {
	w := e.collecting()
	w.exact = true
	lines, n, redact := map[int]Expunged{}, 0, w.entryLines()
	mapLines(string(entry), func(line string) string {
		clear(w.hits)
		if redact(line); len(w.hits) > 0 {
			lines[n] = onlyPieces(w.hits)
		}
		n++
		return line
	})
	return lines
}

// onlyPieces returns the tombstones of texts among some, in force.
func onlyPieces(names map[string]bool) (some Expunged) {
	for name := range names {
		if strings.HasPrefix(name, tombText+" ") {
			some.add(name)
		}
	}
	return some
}

// CameBack reports whether an entry, given as its text in a file, is another one in which texts are hidden, with some of
// them back, each in its own line. A line that is not among them came as it is, with "(expunged)": unless Only is set, any text comes back
// there that has a tombstone in all, in force or refused, as in an entry of which nothing is known, see Hides.
func (h HiddenLines) CameBack(hidden, entry []byte, all Expunged) bool {
	if CountMarks(hidden) <= CountMarks(entry) {
		return false
	}
	now, before := strings.Split(string(entry), "\n"), strings.Split(string(hidden), "\n")
	if len(now) != len(before) {
		return false
	}
	texts := all.anyText()
	here := Expunged{turns: map[string]int{}}
	redactAny, redact := texts.entryLines(), here.entryLines()
	for i, line := range now {
		clear(here.turns)
		for name := range h.Texts[i].turns {
			here.turns[name] = 1
		}
		redacted := redact(line)
		if len(here.turns) == 0 && !h.Only {
			redacted = redactAny(line)
		}
		if line != before[i] && longMarks(redacted) != longMarks(before[i]) {
			return false
		}
	}
	return true
}
