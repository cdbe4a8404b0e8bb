package agent

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/git-context/git-context/refs/prose"
	"github.com/git-context/git-context/refs/redact"
)

// Bounds of what is looked at to shorten a result.
const (
	mostLooked = 64 << 10 // bytes at both ends together
	mostWanted = 40       // words
	mostLine   = 400      // bytes of a line that is chosen
	mostNumber = 24       // of one without a letter
	leastLines = 4        // a text of fewer lines is only cut
)

// Wanted are the words by which the lines of a result are chosen: those of the task, and of what the agent
// said last. A word is a name or number of three characters at least; of a long one, its beginning counts,
// because texts inflect.
type Wanted []string

// WantedBy returns the words of texts, those of the last text first.
func WantedBy(texts ...string) (list Wanted) {
	const stem = 7
	for _, text := range slices.Backward(texts) {
		text = text[:min(len(text), MaxField)]
		for word := range strings.FieldsFuncSeq(strings.ToLower(text), func(c rune) bool { return !readable(c) && c != '_' }) {
			word = word[:min(len(word), stem)]
			if len(word) >= 3 && utf8.ValidString(word) && len(list) < mostWanted && !slices.Contains(list, word) {
				list = append(list, word)
			}
		}
	}
	return list
}

// Choose shortens a result to at most limit bytes. In place of its beginning alone it keeps the lines that
// say what went wrong, those with wanted words that few lines have, with the lines beside them, and then of
// both ends what has room. A gap is a line "…", and the last line counts what is missing, as that of Cut
// does.
func Choose(text string, limit int, wanted Wanted) string {
	if len(text) <= limit {
		return text
	}
	if text, _ = redact.Text(text); len(text) <= limit {
		return text
	}
	c := newChoice(text, wanted, nil)
	if len(c.lines) < leastLines {
		return Cut(text, limit)
	}
	c.choose(limit-len(rest(text))-len("\n"), 0)
	kept, gone := c.text()
	if kept != "" && !strings.HasSuffix(kept, "\n") {
		kept += "\n"
	}
	return kept + rest(gone)
}

// Digest is Choose for a text that is only shown: it has no such last line, and lines of which known reports
// that other results have them, too, come last. What Choose has cut ends with the lines that it kept.
func Digest(text string, limit int, wanted Wanted, known func(line string) bool) string {
	if at := strings.LastIndex(text, "… "); at >= 0 && missing(text[at:]) != len(text)-at {
		text = strings.TrimSuffix(text[:at], "\n")
	}
	c := newChoice(text, wanted, known)
	if len(text) > limit && len(c.lines) < leastLines {
		return ends(text, limit)
	}
	if len(text) > limit {
		c.choose(limit, worthFill)
	} else {
		for i, worth := range c.worth {
			c.kept[i] = worth > 0
		}
	}
	kept, _ := c.text()
	return strings.TrimRight(kept, "\n")
}

// ends cuts a text in its middle.
func ends(text string, limit int) string {
	tail := text[len(text)-limit/3:]
	for len(tail) > 0 && !utf8.RuneStart(tail[0]) {
		tail = tail[1:]
	}
	return prose.Clip(text, max(0, limit-len(tail)-len("…"))) + tail
}

// choice is a text whose lines are chosen.
type choice struct {
	lines []string // with their ends
	worth []int
	kept  []bool
	left  int
}

func newChoice(text string, wanted Wanted, known func(string) bool) *choice {
	c := &choice{lines: slices.Collect(strings.Lines(text))}
	c.worth, c.kept = make([]int, len(c.lines)), make([]bool, len(c.lines))
	size, errors := 0, 0
	for i, line := range c.lines {
		if size += len(line); size > mostLooked/2 && len(text)-size > mostLooked/2 {
			continue
		}
		if c.worth[i] = worthOf(line); c.worth[i] > 0 && known != nil && known(strings.TrimSpace(line)) {
			c.worth[i] = 0
		}
		if c.worth[i] == worthError {
			errors++
		}
	}
	if errors > c.few() { // it is code, or all of it went wrong
		for i, worth := range c.worth {
			c.worth[i] = min(worth, worthFill)
		}
	}
	lower := make(map[int]string, len(c.lines)) // of the lines that were looked at
	for i, line := range c.lines {
		if len(wanted) > 0 && c.worth[i] > 0 {
			lower[i] = strings.ToLower(line)
		}
	}
	for _, word := range wanted {
		c.want(word, lower)
	}
	return c
}

// Worth of lines.
const (
	worthFill  = 1
	worthWord  = 2 // and as much again for each further word
	worthError = 5
)

// worthOf is what a line is worth by itself.
func worthOf(line string) int {
	switch {
	case !strings.ContainsFunc(line, unicode.IsLetter):
		if len(strings.TrimSpace(line)) <= mostNumber {
			return worthFill
		}
		return 0 // a rule, or numbers in a row
	case fails(line):
		return worthError
	}
	return worthFill
}

// fails reports whether a line says that something went wrong.
func fails(line string) bool {
	for _, word := range []string{"FAIL", "rror", "ERROR", "panic", "xception", "Traceback", "atal", "ailed", "not ok", "ssert", "denied", "Wrong", "wrong",
		"undefined", "cannot", "Cannot", "No such", "not found", "mismatch", "expected"} {
		if strings.Contains(line, word) {
			return true
		}
	}
	return false
}

// few is how many lines may have in common what tells them from the others.
func (c *choice) few() int { return max(3, len(c.lines)/16) }

// want makes the lines with a word worth more, if few lines have it.
func (c *choice) want(word string, lower map[int]string) {
	var at []int
	for i, line := range lower {
		if strings.Contains(line, word) {
			at = append(at, i)
		}
	}
	if len(at) > c.few() {
		return
	}
	for _, i := range at {
		c.worth[i] += worthWord
	}
}

// choose keeps lines of at most that many bytes together:
//
//  1. the first and the last, which say what it is of, and how it ended
//  2. those that are worth more than others, the most first, with what is beside them
//  3. of the rest two thirds at the beginning, one at the end
//
// Lines that are worth less than least are left out.
func (c *choice) choose(limit, least int) {
	c.left = limit
	first, last := 0, len(c.lines)-1
	for first < last && c.worth[first] == 0 {
		first++
	}
	for last > first && c.worth[last] == 0 {
		last--
	}
	for _, i := range []int{first, last} {
		if c.worth[i] >= least {
			c.keep(i)
		}
	}
	order := make([]int, 0, len(c.lines))
	for i, worth := range c.worth {
		if worth > worthFill {
			order = append(order, i)
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return c.worth[b] - c.worth[a] })
	for _, i := range order {
		if !c.kept[i] && !c.keep(i) {
			continue
		}
		for _, beside := range []int{i + 1, i - 1} {
			if beside >= 0 && beside < len(c.lines) && c.worth[beside] > 0 {
				c.keep(beside)
			}
		}
	}
	for worth := worthFill; worth >= least; worth-- {
		tail := c.left / 3
		c.left -= tail
		for i := 0; i < len(c.lines) && (c.worth[i] < worth || c.keep(i)); i++ {
		}
		c.left += tail
		for i := len(c.lines) - 1; i >= 0 && (c.worth[i] < worth || c.keep(i)); i-- {
		}
	}
}

// keep keeps a line if it has room, and reports whether it is kept. A gap costs room, too.
func (c *choice) keep(i int) bool {
	if c.kept[i] {
		return true
	}
	size := min(len(c.lines[i]), mostLine+len("…\n"))
	if i > 0 && !c.kept[i-1] {
		size += len("…\n")
	}
	if size > c.left {
		return false
	}
	c.left -= size
	c.kept[i] = true
	return true
}

// text is what is kept, and what is not.
func (c *choice) text() (string, string) {
	var b, gone strings.Builder
	gap := false
	for i, line := range c.lines {
		if !c.kept[i] {
			if gone.WriteString(line); !gap {
				b.WriteString("…\n")
			}
			gap = true
			continue
		}
		gap = false
		if len(line) > mostLine {
			short := prose.Clip(strings.TrimRightFunc(line, unicode.IsSpace), mostLine)
			gone.WriteString(strings.TrimPrefix(line, strings.TrimSuffix(short, "…")))
			line = short + "\n"
		}
		b.WriteString(line)
	}
	return strings.TrimSuffix(b.String(), "…\n"), gone.String()
}
