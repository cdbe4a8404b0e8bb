package agent

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/git-context/git-context/refs/prose"
)

// Bounds of what is looked at to shorten a result.
const (
	mostLooked = 64 << 10 // bytes at both ends together
	mostWanted = 32       // words
	mostLine   = 400      // bytes of a line that is chosen
	mostNumber = 24       // of one without a letter
	leastLines = 4        // a text of fewer lines is only cut
)

// Wanted are the words by which the lines of a result are chosen: those of the task, and of what the agent
// said last. A word is a name or number of three characters at least; of a long one, its beginning counts,
// because texts inflect.
type Wanted []string

// WantedBy returns the words of texts, those of the last text first, and of each about as many.
func WantedBy(texts ...string) (list Wanted) {
	for i, text := range slices.Backward(texts) {
		list = wantedBy(list, strings.ToLower(text[:min(len(text), MaxField)]), len(list)+(mostWanted-len(list))/(i+1))
	}
	return list
}

// wantedBy adds the words of a text to a list, until that has so many.
func wantedBy(list Wanted, text string, most int) Wanted {
	const stem = 7
	for word := range strings.FieldsFuncSeq(text, func(c rune) bool { return !readable(c) && c != '_' }) {
		if len(list) >= most {
			return list
		}
		end := min(len(word), stem)
		for end < len(word) && !utf8.RuneStart(word[end]) {
			end++
		}
		word = word[:end]
		if len(word) >= 3 && !common(word) && !slices.Contains(list, word) {
			list = append(list, word)
		}
	}
	return list
}

// common reports whether a word is in texts about anything.
func common(word string) bool {
	switch word {
	case "the", "and", "for", "that", "this", "with", "from", "are", "was", "were", "has", "have", "had", "not", "but", "you", "can",
		"will", "would", "could", "should", "its", "let", "now", "then", "there", "here", "which", "what", "when", "where", "also", "into",
		"all", "any", "some", "our", "your", "their", "they", "use", "used", "using", "need", "see", "look", "looks", "like",
		"file", "files":
		return true
	}
	return false
}

// Choose shortens a result to at most limit bytes. In place of its beginning alone it keeps the lines that
// say what went wrong, those with wanted words that few lines have, with the lines beside them, and then of
// both ends what has room. A gap is a line "…", and the last line counts what is missing, as that of Cut
// does. The text has no secrets, see Start.Clean.
func Choose(text string, limit int, wanted Wanted) string {
	if len(text) <= limit {
		return text
	}
	c := newChoice(text, wanted, nil)
	if len(c.lines) < leastLines {
		return Cut(text, limit)
	}
	c.choose(limit-len(Missing(len(text), make([]byte, 6)))-len("\n"), 0)
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
		return ClipMiddle(text, limit)
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

// ClipMiddle cuts a text at a number of bytes, in its middle: a message begins with what was done, and
// ends with what is open.
func ClipMiddle(text string, limit int) string {
	if len(text) <= limit {
		return text
	}
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

	// Those that were looked at, in one text of small letters: to look for a word in it takes a tenth of the time
	// that it takes in each line.
	looked  string
	begin   []int // where each begins there
	numbers []int // which line it is
}

func newChoice(text string, wanted Wanted, known func(string) bool) *choice {
	c := &choice{lines: slices.AppendSeq(make([]string, 0, strings.Count(text, "\n")+1), strings.Lines(text))}
	n := len(c.lines)
	c.worth, c.kept, c.begin, c.numbers = make([]int, n), make([]bool, n), make([]int, 0, n), make([]int, 0, n)
	var looked strings.Builder
	looked.Grow(min(len(text), mostLooked))
	size := 0
	for i, line := range c.lines {
		if size += len(line); size > mostLooked/2 && len(text)-size > mostLooked/2 {
			continue
		}
		if c.worth[i] = worthOf(line); c.worth[i] > 0 && known != nil && known(strings.TrimSpace(line)) {
			c.worth[i] = 0
		}
		if c.worth[i] > 0 {
			c.begin, c.numbers = append(c.begin, looked.Len()), append(c.numbers, i)
			looked.WriteString(strings.ToLower(line))
		}
	}
	c.looked = looked.String()
	c.mark(failures(), worthError-worthFill)
	for _, word := range wanted {
		c.mark([]string{word}, worthWord)
	}
	return c
}

// Worth of lines.
const (
	worthFill  = 1
	worthWord  = 2 // and as much again for each further word
	worthError = 5
)

// worthOf is what a line is worth whatever its words are: a rule and numbers in a row are worth nothing.
func worthOf(line string) int {
	if !strings.ContainsFunc(line, unicode.IsLetter) && len(strings.TrimSpace(line)) > mostNumber {
		return 0
	}
	return worthFill
}

// failures are words of lines that say that something went wrong.
func failures() []string {
	return []string{"fail", "error", "panic", "exception", "traceback", "fatal", "not ok", "assert", "denied", "wrong",
		"undefined", "cannot", "no such", "not found", "mismatch", "expected"}
}

// mark makes the lines that have one of the words worth more, if few lines have: where many have, it is code,
// or all of it went wrong.
func (c *choice) mark(words []string, more int) {
	few := max(3, len(c.lines)/16)
	var at []int
	for _, word := range words {
		for from := 0; ; {
			next := strings.Index(c.looked[from:], word)
			if next < 0 {
				break
			}
			n, exact := slices.BinarySearch(c.begin, from+next)
			if !exact {
				n--
			}
			if !slices.Contains(at, c.numbers[n]) {
				at = append(at, c.numbers[n])
			}
			if len(at) > few {
				return
			}
			if n+1 == len(c.begin) {
				break
			}
			from = c.begin[n+1]
		}
	}
	for _, i := range at {
		c.worth[i] += more
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
