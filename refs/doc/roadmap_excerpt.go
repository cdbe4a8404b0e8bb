package doc

import (
	"slices"
	"strings"
)

// Excerpt is a main.md without the items that a short view has no room for. Whatever it contains reads as
// in the whole document, in the same order.
type Excerpt struct {
	Text []byte
	Left Left
}

// Left counts the items that an excerpt does not contain.
type Left struct {
	Milestones LeftItems `json:"milestones"`
	Todo       LeftItems `json:"todo"`
	Decisions  int       `json:"decisions"`
	Questions  int       `json:"questions"`
	Outcomes   int       `json:"outcomes"`
}

// Total is the number of all these items.
func (l Left) Total() int {
	n := l.Decisions + l.Questions + l.Outcomes
	for _, items := range []LeftItems{l.Milestones, l.Todo} {
		n += items.Open + items.Done + items.Outcome
	}
	return n
}

// LeftItems counts what is left out of a check list.
type LeftItems struct {
	Open    int `json:"open"`
	Done    int `json:"done"`    // nothing says what became of them
	Outcome int `json:"outcome"` // done, with what became of them
}

// Excerpt returns the document with at most n items of a kind: the first open milestones and questions,
// and the last open to-dos, finished items with an outcome, decisions and outcomes of branches. It contains
// no finished item without an outcome, and each open item for the user, see [TellPrefix].
func (r *Roadmap) Excerpt(n int) Excerpt {
	var e Excerpt
	short := &Roadmap{sections: slices.Clone(r.sections)}
	left := func(name string, boxes bool, first itemKind) (left [kindTell + 1]int) {
		if s := short.find(name); s != nil && name != "" {
			*s, left = s.excerpt(n, boxes, first)
		}
		return left
	}
	checks := func(name string, first itemKind) LeftItems {
		counts := left(name, true, first)
		return LeftItems{Open: counts[kindOpen], Done: counts[kindDone], Outcome: counts[kindOutcome]}
	}
	e.Left = Left{
		Milestones: checks(SectionMilestones, kindOpen),
		Todo:       checks(SectionTodo, kindNone),
		Questions:  left(SectionQuestions, false, kindOpen)[kindOpen],
		Decisions:  left(SectionDecisions, false, kindNone)[kindOpen],
		Outcomes:   left(SectionOutcomes, false, kindNone)[kindOpen],
	}
	e.Text = short.Bytes()
	return e
}

// itemKind distinguishes the items of a list of which an excerpt contains different ones.
type itemKind uint8

const (
	kindNone    itemKind = iota
	kindOpen             // every item of a list without boxes
	kindDone             // without an outcome
	kindOutcome          // done, with an outcome
	kindTell             // open, and for the user
)

// kindOf returns the kind of an item without reading its text.
func kindOf(lines []string, boxes bool) itemKind {
	if !boxes {
		return kindOpen
	}
	text, _ := cutBullet(lines[0])
	rest, done, ok := cutBox(text)
	if !ok {
		rest = text
	}
	switch {
	case !done && strings.HasPrefix(rest, TellPrefix):
		return kindTell
	case !done:
		return kindOpen
	case slices.ContainsFunc(lines[1:], func(line string) bool { _, is := outcomeLine(line); return is }):
		return kindOutcome
	}
	return kindDone
}

// excerpt returns the section without the lines of the items that [Roadmap.Excerpt] leaves out, and
// their number by kind. Of the kind first it contains the first n items, of the others the last.
func (s *section) excerpt(n int, boxes bool, first itemKind) (section, [kindTell + 1]int) {
	lines := s.plainLines()
	var total, seen, left [kindTell + 1]int
	for start, end := range itemSpans(lines) {
		total[kindOf(lines[start:end], boxes)]++
	}
	short := *s
	short.lines = nil
	from := 0 // the first line that is not copied yet
	for start, end := range itemSpans(lines) {
		kind := kindOf(lines[start:end], boxes)
		at := seen[kind]
		seen[kind]++
		switch {
		case kind == kindTell, kind == first && at < n, kind != first && kind != kindDone && at >= total[kind]-n:
			continue
		}
		left[kind]++
		short.lines = append(short.lines, s.lines[from:start]...)
		from = end
	}
	short.lines = append(short.lines, s.lines[from:]...)
	return short, left
}
