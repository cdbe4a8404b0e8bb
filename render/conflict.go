package render

import (
	"fmt"
	"strings"

	"github.com/git-context/git-context/refs/store"
)

const (
	// besideWidth is the narrowest terminal with room for three texts side by side.
	besideWidth = 100
	// leastWidth is the narrowest terminal that lines are fitted to. A narrower
	// one, or one that does not say how wide it is, wraps them itself.
	leastWidth, unknownWidth = 20, 80
	// conflictRows is how much of a conflict is shown.
	conflictRows = 20
	// conflictContext is how many lines that all sides share stand around what
	// differs, as in git's diffs.
	conflictContext = 3
)

// ConflictsText lists the conflicts of merging branch source into target. Each
// has a line of its own for scripts, "conflict (KIND): PATH", or "resolved (KIND):
// PATH" for one that is settled, and nothing else where there is no terminal: an
// agent takes the texts from JSON.
//
// In a terminal the three texts of an open conflict follow: side by side from 100
// columns on, else one below the other; ours is target's, theirs source's. What
// base does not have is coloured. Lines that all sides share are left out, and a
// long text is cut, with a count. No line but a heading is wider than the terminal.
func ConflictsText(p *Printer, source, target string, list []store.Conflict) {
	person := p.Width > 0 || p.Color
	for i, c := range list {
		if person && i > 0 {
			p.blank()
		}
		rest := " (" + c.Kind + "): " + c.Path
		if c.Resolved {
			p.line(green("resolved"), plain(rest))
			continue
		}
		p.line(bold("conflict" + rest))
		if person {
			p.sides(conflictSides(c, source, target))
		}
	}
}

// sides shows the texts of a conflict. They are indented, so that no line of
// theirs looks like the heading of another conflict.
func (p *Printer) sides(sides []column) {
	const indent = "  "
	width := p.Width
	if width <= 0 {
		width = unknownWidth
	}
	if width >= besideWidth {
		p.threeColumns(indent, sides, width-len(indent))
		return
	}
	width = max(width, leastWidth) - len(indent)
	for _, s := range sides {
		p.line(plain(indent), piece{s.title.style, cut(s.title.text, width-1) + ":"})
		p.columns(indent+indent, []column{s}, width-len(indent))
	}
}

func (p *Printer) threeColumns(indent string, sides []column, width int) {
	width = (width - (len(sides)-1)*cells(between)) / len(sides)
	var titles, rules []piece
	for _, s := range sides {
		titles = append(titles, piece{s.title.style, cut(s.title.text, width)})
		rules = append(rules, dim(strings.Repeat("─", width)))
	}
	p.beside(indent, titles, width, between)
	p.beside(indent, rules, width, "─┼─")
	p.columns(indent, sides, width)
}

// between stands between two columns.
const between = " │ "

// columns shows texts side by side, line by line: the first row of a line stands
// beside the first row of the same line of the others.
func (p *Printer) columns(indent string, sides []column, width int) {
	left := make([]int, len(sides)) // per side, how many lines are not wholly shown
	band := make([]wrapped, len(sides))
	room := conflictRows
	for k := range tallest(sides) {
		clear(band)
		for i, s := range sides {
			if k >= len(s.lines) {
				continue
			}
			l, whole := s.lines[k], false
			if room > 0 {
				band[i].style = l.style
				band[i].rows, whole = wrap(l.text, width, room)
			}
			if !whole {
				left[i] += l.n
			}
		}
		room -= p.band(indent, band, width)
	}
	clear(band)
	for i, n := range left {
		if n > 0 {
			band[i].style = dim("").style
			band[i].rows, _ = wrap(moreLines(n), width, conflictRows)
		}
	}
	p.band(indent, band, width)
}

func moreLines(n int) string {
	if n == 1 {
		return "… 1 more line: --json has all"
	}
	return fmt.Sprintf("… %d more lines: --json has all", n)
}

func tallest(sides []column) int {
	n := 0
	for _, s := range sides {
		n = max(n, len(s.lines))
	}
	return n
}

// wrapped is one line of a column, in rows.
type wrapped struct {
	style string
	rows  []string
}

// band writes lines that stand beside each other, and gives its rows.
func (p *Printer) band(indent string, lines []wrapped, width int) int {
	height := 0
	for _, l := range lines {
		height = max(height, len(l.rows))
	}
	row := make([]piece, len(lines))
	for r := range height {
		clear(row)
		for i, l := range lines {
			if r < len(l.rows) {
				row[i] = piece{l.style, l.rows[r]}
			}
		}
		p.beside(indent, row, width, between)
	}
	return height
}

// beside writes one row of columns of the same width.
func (p *Printer) beside(indent string, columns []piece, width int, between string) {
	line := []piece{plain(indent)}
	for i, c := range columns {
		line = append(line, c)
		if i < len(columns)-1 {
			line = append(line, plain(pad(c.text, width)), dim(between))
		}
	}
	p.line(line...)
}
