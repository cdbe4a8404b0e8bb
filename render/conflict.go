package render

import (
	"fmt"
	"strings"

	"github.com/git-context/git-context/refs/prose"
	"github.com/git-context/git-context/refs/store"
)

const (
	// besideWidth is the minimum width of a terminal for three texts side by side.
	besideWidth = 100
	// leastWidth is the minimum width to which lines are fitted; a narrower terminal wraps
	// them itself. unknownWidth is used if the terminal's width is unknown.
	leastWidth, unknownWidth = 20, 80
	// conflictRows is the maximum number of rows of a conflict.
	conflictRows = 20
	// conflictContext is the number of common lines that are shown around a difference, as
	// in git's diffs.
	conflictContext = 3
)

// ConflictsText lists the conflicts of merging branch source into target. Each has a line
// for scripts, "conflict (KIND): PATH", or "resolved (KIND): PATH" for a resolved one.
// Without a terminal that is all: an agent reads the texts from JSON.
//
// In a terminal the three texts of an open conflict follow, side by side from 100 columns
// on, otherwise one below the other; ours is target's, theirs source's. Lines that base
// lacks are coloured. Lines common to all sides are left out, and long texts are shortened,
// with a count. No line except a heading is wider than the terminal.
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

// sides shows the texts of a conflict. They are indented, so that none of their lines looks
// like the heading of another conflict.
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
	width = (width - (len(sides)-1)*cells(columnGap)) / len(sides)
	var titles, rules []piece
	for _, s := range sides {
		titles = append(titles, piece{s.title.style, cut(s.title.text, width)})
		rules = append(rules, dim(strings.Repeat("─", width)))
	}
	p.writeRow(indent, titles, width, columnGap)
	p.writeRow(indent, rules, width, "─┼─")
	p.columns(indent, sides, width)
}

// columnGap separates two columns.
const columnGap = " │ "

// columns shows texts side by side, line by line: the first rows of the same line of all
// texts are beside each other.
func (p *Printer) columns(indent string, sides []column, width int) {
	left := make([]int, len(sides)) // by side: the number of lines that are not wholly shown
	band := make([]wrapped, len(sides))
	room := conflictRows
	for k := range mostLines(sides) {
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
		room -= p.writeRows(indent, band, width)
	}
	clear(band)
	for i, n := range left {
		if n > 0 {
			band[i].style = dim("").style
			band[i].rows, _ = wrap(moreLines(n), width, conflictRows)
		}
	}
	p.writeRows(indent, band, width)
}

func moreLines(n int) string { return "… " + prose.Count(n, "more line") + ": --json has all" }

func mostLines(sides []column) int {
	n := 0
	for _, s := range sides {
		n = max(n, len(s.lines))
	}
	return n
}

// wrapped is one line of a column, as rows.
type wrapped struct {
	style string
	rows  []string
}

// writeRows writes lines that are beside each other, and returns the number of rows.
func (p *Printer) writeRows(indent string, lines []wrapped, width int) int {
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
		p.writeRow(indent, row, width, columnGap)
	}
	return height
}

// writeRow writes one row of columns of the same width.
func (p *Printer) writeRow(indent string, columns []piece, width int, between string) {
	line := []piece{plain(indent)}
	for i, c := range columns {
		line = append(line, c)
		if i < len(columns)-1 {
			line = append(line, plain(pad(c.text, width)), dim(between))
		}
	}
	p.line(line...)
}

// column is one side of a conflict.
type column struct {
	title piece
	lines []sideLine
}

// sideLine is a line of a text, or a remark that replaces n lines.
type sideLine struct {
	piece
	n int
}

// conflictSides returns ours, base and theirs for display. The colours are those of a diff
// from ours to theirs: taking theirs removes the red lines and adds the green ones.
func conflictSides(c store.Conflict, source, target string) []column {
	ours, base, theirs := newSide(c.Ours), newSide(c.Base), newSide(c.Theirs)
	head, tail := shared(ours, base, theirs)
	before := base
	if base.absent { // a line that both sides added is not a difference
		before = theirs
	}
	oursNew := ours.unmatched(before, head, tail)
	if base.absent {
		before = ours
	}
	theirsNew := theirs.unmatched(before, head, tail)
	ended := ours.ended || base.ended || theirs.ended
	return []column{
		{red("ours (" + target + ")"), ours.show(red, oursNew, head, tail, ended)},
		{bold("base"), base.show(plain, nil, head, tail, ended)},
		{green("theirs (" + source + ")"), theirs.show(green, theirsNew, head, tail, ended)},
	}
}

// side is one text of a conflict.
type side struct {
	absent bool
	lines  []string // without their line ends
	ended  bool     // whether the last line has a line end
}

func newSide(text *string) side {
	switch {
	case text == nil:
		return side{absent: true}
	case *text == "":
		return side{}
	}
	rest, ended := strings.CutSuffix(*text, "\n")
	return side{lines: strings.Split(rest, "\n"), ended: ended}
}

// shared counts the lines that all existing texts have in common at their beginning and at
// their end.
func shared(sides ...side) (head, tail int) {
	var texts [][]string
	shortest := -1
	for _, s := range sides {
		if s.absent {
			continue
		}
		texts = append(texts, s.lines)
		if shortest < 0 || len(s.lines) < shortest {
			shortest = len(s.lines)
		}
	}
	same := func(at func([]string) string) bool {
		for _, t := range texts {
			if at(t) != at(texts[0]) {
				return false
			}
		}
		return true
	}
	for head < shortest && same(func(t []string) string { return t[head] }) {
		head++
	}
	for head+tail < shortest && same(func(t []string) string { return t[len(t)-1-tail] }) {
		tail++
	}
	return head, tail
}

// unmatched marks the lines that another text lacks, between head and tail. It counts lines
// regardless of their order, so that the cost is linear: texts come from strangers and may
// be long.
func (s side) unmatched(other side, head, tail int) []bool {
	if s.absent {
		return nil
	}
	have := map[string]int{}
	if !other.absent {
		for _, l := range other.lines[head : len(other.lines)-tail] {
			have[l]++
		}
	}
	marks := make([]bool, len(s.lines))
	for i := head; i < len(s.lines)-tail; i++ {
		have[s.lines[i]]--
		marks[i] = have[s.lines[i]] < 0
	}
	return marks
}

// show returns the lines of a text, with marked ones in a colour, and without most of the
// lines that all sides share. ended means that another side's text ends in a newline; a
// missing newline must be shown, because it may be the only difference.
func (s side) show(color func(string) piece, marks []bool, head, tail int, ended bool) []sideLine {
	switch {
	case s.absent:
		return []sideLine{{dim("(absent)"), 1}}
	case len(s.lines) == 0:
		return []sideLine{{dim("(empty)"), 1}}
	}
	first, last := foldedLines(head), len(s.lines)-foldedLines(tail)
	lines := sameLines(first)
	for i := first; i < last; i++ {
		text := plain(s.lines[i])
		if marks != nil && marks[i] {
			// Elsewhere a carriage return at the end of a line is left out; here it may be
			// the only difference.
			text = color(strings.ReplaceAll(s.lines[i], "\r", "^M"))
		}
		lines = append(lines, sideLine{text, 1})
	}
	lines = append(lines, sameLines(len(s.lines)-last)...)
	if ended && !s.ended {
		lines = append(lines, sideLine{dim("(no newline at the end)"), 0})
	}
	return lines
}

// foldedLines returns how many of n shared lines are left out. A single line is not, because the
// remark would need as much space.
func foldedLines(n int) int {
	if n-conflictContext < 2 {
		return 0
	}
	return n - conflictContext
}

func sameLines(n int) []sideLine {
	if n == 0 {
		return nil
	}
	return []sideLine{{dim(fmt.Sprintf("… %d lines the same", n)), n}}
}
