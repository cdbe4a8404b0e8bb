package render

import (
	"strings"
	"unicode/utf8"

	"github.com/clipperhouse/displaywidth"
)

// A terminal lays text out in cells: a Chinese character and most emoji take
// two, a combining mark none, and several characters may form one cluster. What
// is aligned or cut is measured in cells, after Safe.

// cells is how many cells of a terminal a line takes as Printer.line writes it.
func cells(s string) int {
	return displaywidth.String(oneLine(s))
}

// pad is the spaces that bring a line to a width.
func pad(s string, width int) string {
	return strings.Repeat(" ", max(0, width-cells(s)))
}

// cut shortens a line to room cells, and says so.
func cut(s string, room int) string {
	return displaywidth.TruncateString(grounded(oneLine(s)), room, "…")
}

// grounded gives a text whose first character would join what stands before it
// (a lone combining mark, a variation selector) a base of its own. It would
// otherwise change the column beside it.
func grounded(s string) string {
	if s == "" || s[0] < utf8.RuneSelf {
		return s
	}
	_, n := utf8.DecodeRuneInString(s)
	g := displaywidth.StringGraphemes(" " + s[:n])
	g.Next()
	if g.Value() == " " {
		return s
	}
	return "\u25cc" + s // the dotted circle, which Unicode's charts use for this
}

// wrap breaks one line into rows of at most width cells, between words where it
// can. It stops after most rows, so that the length of a hostile line costs
// nothing; whole says whether all of the line is in them. width is at least 2.
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
			continue // the space between two rows is neither's
		}
		r.add(cluster)
	}
	return append(rows, r.text), true
}

// row is a row of a column while it fills.
type row struct {
	text  string
	cells int
	word  int // where its last word begins: what goes to the next row; 0: nowhere
}

// cellBytes is how many bytes a cell may take on the average of a row: more than
// any writing needs. A million characters without a width end somewhere.
const cellBytes = 64

func (r *row) fits(cluster string, width int) bool {
	return r.cells+displaywidth.String(cluster) <= width && len(r.text)+len(cluster) <= width*cellBytes
}

func (r *row) add(cluster string) {
	if r.text == "" {
		cluster = grounded(cluster)
	}
	r.text += cluster
	r.cells += displaywidth.String(cluster)
	if cluster == " " && strings.TrimLeft(r.text, " ") != "" {
		r.word = len(r.text)
	}
}

// breakAt ends the row before a cluster that has no room in it, and begins the
// next one with the word that the cluster belongs to.
func (r *row) breakAt(cluster string) string {
	at := r.word
	if at == 0 || cluster == " " {
		at = len(r.text)
	}
	done, rest := r.text[:at], r.text[at:]
	*r = row{text: rest, cells: displaywidth.String(rest)}
	return strings.TrimRight(done, " ")
}
