package doc

import "strings"

// HiddenLines are the tombstones of the texts that were replaced in an entry, by the number of the line.
type HiddenLines map[int]Expunged

// HiddenIn returns the tombstones of texts that Redact acts on in an entry, given as its text in a file. A piece that contains
// a word is there with its own one: whatever else contains the word must not come in its place.
func (e Expunged) HiddenIn(entry []byte) HiddenLines {
	w := e.collecting()
	w.exact = true
	lines, n, redact := HiddenLines{}, 0, w.entryLines()
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
// them back, each in its own line.
func (h HiddenLines) CameBack(hidden, entry []byte) bool {
	if countMarks(hidden) <= countMarks(entry) {
		return false
	}
	now, before := strings.Split(string(entry), "\n"), strings.Split(string(hidden), "\n")
	if len(now) != len(before) {
		return false
	}
	here := Expunged{turns: map[string]int{}}
	redact := here.entryLines()
	for i, line := range now {
		clear(here.turns)
		for name := range h[i].turns {
			here.turns[name] = 1
		}
		if redacted := redact(line); line != before[i] && longMarks(redacted) != longMarks(before[i]) {
			return false
		}
	}
	return true
}
