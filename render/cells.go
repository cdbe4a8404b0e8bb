package render

import (
	"strings"
	"unicode/utf8"

	"github.com/clipperhouse/displaywidth"
)

// A terminal arranges text in cells: a Chinese character and most emoji take two, a
// combining mark none, and several characters may form one cluster. Text is aligned and cut
// by cells, after Safe.

// cells returns the number of cells of a line as Printer.line writes it.
func cells(s string) int {
	return displaywidth.String(oneLine(s))
}

// pad returns the spaces that extend a line to a width.
func pad(s string, width int) string {
	return strings.Repeat(" ", max(0, width-cells(s)))
}

// cut shortens a line to room cells and marks the cut with "…".
func cut(s string, room int) string {
	return displaywidth.TruncateString(withBase(oneLine(s)), room, "…")
}

// withBase adds a base character to a text whose first character would combine with the one
// before it (a lone combining mark, a variation selector) and so change the column beside
// it.
func withBase(s string) string {
	if s == "" || s[0] < utf8.RuneSelf {
		return s
	}
	_, n := utf8.DecodeRuneInString(s)
	g := displaywidth.StringGraphemes(" " + s[:n])
	g.Next()
	if g.Value() == " " {
		return s
	}
	return "\u25cc" + s // the dotted circle, which Unicode's charts use for this purpose
}

// wrap breaks one line into rows of at most width cells, between words if possible. It
// stops after most rows, so that the length of a hostile line costs nothing; whole reports
// whether the rows contain the whole line. width must be at least 2.
func wrap(line string, width, most int) (rows []string, whole bool) {
	line = strings.TrimRight(strings.ReplaceAll(Safe(line), "\t", "    "), " ")
	var r row
	for g := displaywidth.StringGraphemes(line); g.Next(); {
		cluster := g.Value()
		for r.text != "" && !r.fits(cluster, width) {
			if rows = append(rows, r.breakAt(cluster)); len(rows) == most {
				return rows, false
			}
		}
		if cluster == " " && r.text == "" && len(rows) > 0 {
			continue // drop the space between two rows
		}
		r.add(cluster)
	}
	return append(rows, r.text), true
}

// row is an incomplete row of a column.
type row struct {
	text  string
	cells int
	word  int // offset of its last word, which may move to the next row; 0: none
}

// cellBytes limits the average number of bytes for each cell of a row, generously for every
// script. It bounds a row of a million characters without width.
const cellBytes = 64

func (r *row) fits(cluster string, width int) bool {
	return r.cells+displaywidth.String(cluster) <= width && len(r.text)+len(cluster) <= width*cellBytes
}

func (r *row) add(cluster string) {
	if r.text == "" {
		cluster = withBase(cluster)
	}
	r.text += cluster
	r.cells += displaywidth.String(cluster)
	if cluster == " " && strings.TrimLeft(r.text, " ") != "" {
		r.word = len(r.text)
	}
}

// breakAt ends the row before a cluster that does not fit, and begins the next row with the
// word to which the cluster belongs.
func (r *row) breakAt(cluster string) string {
	at := r.word
	if at == 0 || cluster == " " {
		at = len(r.text)
	}
	done, rest := r.text[:at], r.text[at:]
	*r = row{text: rest, cells: displaywidth.String(rest)}
	return strings.TrimRight(done, " ")
}

// Shorten makes a text one line of at most room cells, and marks a cut with "…".
func Shorten(text string, room int) string { return cut(strings.TrimSpace(text), room) }
