package render

import (
	"fmt"
	"strings"

	"github.com/git-context/git-context/refs"
)

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
func conflictSides(c refs.Conflict, source, target string) []column {
	ours, base, theirs := newSide(c.Ours), newSide(c.Base), newSide(c.Theirs)
	head, tail := shared(ours, base, theirs)
	before := base
	if base.absent { // a line that both sides added is not a difference
		before = theirs
	}
	oursNew := ours.without(before, head, tail)
	if base.absent {
		before = ours
	}
	theirsNew := theirs.without(before, head, tail)
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

// without marks the lines that another text lacks, between head and tail. It counts lines
// regardless of their order, so that the cost is linear: texts come from strangers and may
// be long.
func (s side) without(other side, head, tail int) []bool {
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
	first, last := folded(head), len(s.lines)-folded(tail)
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

// folded returns how many of n shared lines are left out. A single line is not, because the
// remark would need as much space.
func folded(n int) int {
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
