package render

import (
	"fmt"
	"strings"

	"github.com/git-context/git-context/refs/store"
)

// column is one side of a conflict.
type column struct {
	title piece
	lines []sideLine
}

// sideLine is a line of a text, or a remark that stands for n of them.
type sideLine struct {
	piece
	n int
}

// conflictSides is ours, base and theirs as they are shown. The colours are those
// of the diff from ours to theirs: red goes if theirs is taken, green comes.
func conflictSides(c store.Conflict, source, target string) []column {
	ours, base, theirs := newSide(c.Ours), newSide(c.Base), newSide(c.Theirs)
	head, tail := shared(ours, base, theirs)
	before := base
	if base.absent { // what both added is no difference
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
	ended  bool     // whether the last line has one
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

// shared counts the lines that all the texts there are begin and end with.
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

// without marks the lines that another text does not have, where the two differ.
// It counts lines and looks at no order: texts come from strangers and may be
// long, and this costs no more than reading them.
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

// show gives the lines of a text, those that are marked in a colour, without most
// of what all sides share. ended says whether a line end is missing where another
// side has it: nothing else would show that difference.
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
			// Elsewhere a carriage return at a line's end is left out; here it
			// may be all the difference.
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

// folded is how many of n shared lines are left out: one alone would cost as much
// as the remark that stands for it.
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
