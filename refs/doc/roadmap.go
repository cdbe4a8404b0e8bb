package doc

import (
	"cmp"
	"slices"
	"strings"
)

// Names of the standard sections of main.md, in their order.
const (
	SectionGoal       = "Goal"
	SectionMilestones = "Milestones"
	SectionTodo       = "To-Do"
	SectionDecisions  = "Decisions"
	SectionQuestions  = "Open Questions"
	SectionOutcomes   = "Branch Outcomes"
)

const roadmapTitle = "# Project Roadmap"

// standardSections returns the names above. It is a function, because a variable could be
// modified.
func standardSections() []string {
	return []string{SectionGoal, SectionMilestones, SectionTodo, SectionDecisions, SectionQuestions, SectionOutcomes}
}

// Roadmap is a main.md, edited in place: what an edit does not touch stays byte for byte.
// It is not safe for concurrent use.
type Roadmap struct {
	sections []section      // the first is the text before any heading, title included
	at       map[string]int // the first section of each name, by its key; nil until it is needed
}

// Section is a section that people added, or the text before the first section (Name "").
type Section struct{ Name, Text string }

// section contains its raw lines, without newlines.
type section struct {
	name    string // as in the heading
	heading string // the line; "" for the text before the first heading
	lines   []string
	crlf    bool // lines end in "\r\n"; the "\r" is then not part of a text
}

// NewRoadmap returns a roadmap with every standard section, all empty.
func NewRoadmap() *Roadmap {
	r := &Roadmap{sections: []section{{lines: []string{roadmapTitle, ""}}}}
	for _, name := range standardSections() {
		r.sections = append(r.sections, section{name: name, heading: "## " + name, lines: []string{""}})
	}
	return r
}

// ParseRoadmap reads main.md. Every text is a roadmap: a line that begins with "## " begins
// a section, even in a fenced code block. The name of a standard section is recognised by
// its letters alone, so that "## Todo" is To-Do.
func ParseRoadmap(data []byte) *Roadmap {
	r := &Roadmap{sections: []section{{}}}
	if len(data) == 0 {
		return r
	}
	for line := range strings.SplitSeq(string(data), "\n") {
		s := &r.sections[len(r.sections)-1]
		name, ok := strings.CutPrefix(line, "## ")
		if !ok {
			s.lines = append(s.lines, line)
			continue
		}
		name = strings.TrimSpace(strings.TrimRight(strings.TrimSpace(name), "#"))
		r.sections = append(r.sections, section{name: name, heading: line, crlf: strings.HasSuffix(line, "\r")})
	}
	r.sections[0].crlf = len(r.sections[0].lines) > 0 && strings.HasSuffix(r.sections[0].lines[0], "\r")
	return r
}

// Bytes returns the file.
func (r *Roadmap) Bytes() []byte {
	var lines []string
	for i := range r.sections {
		s := &r.sections[i]
		if s.heading != "" {
			lines = append(lines, s.heading)
		}
		lines = append(lines, s.lines...)
	}
	return []byte(strings.Join(lines, "\n"))
}

// foldName reduces a section's name to the part that distinguishes it from others.
func foldName(name string) string {
	return strings.Map(func(r rune) rune {
		if r == ' ' || r == '-' || r == '_' || r == ':' || r == '\t' {
			return -1
		}
		return r
	}, strings.ToLower(name))
}

// standardName returns the standard section that a name denotes, or "". The names are written out, as a
// merge asks this several times for each section, of which a hostile file has very many.
func standardName(name string) string {
	switch foldName(name) {
	case "goal", "goals":
		return SectionGoal
	case "milestone", "milestones":
		return SectionMilestones
	case "todo", "todos":
		return SectionTodo
	case "decision", "decisions":
		return SectionDecisions
	case "openquestion", "openquestions", "questions":
		return SectionQuestions
	case "branchoutcome", "branchoutcomes", "outcomes":
		return SectionOutcomes
	}
	return ""
}

// find returns the first section with this name; nil if there is none.
func (r *Roadmap) find(name string) *section {
	if name == "" {
		return &r.sections[0]
	}
	if r.at == nil {
		r.at = make(map[string]int, len(r.sections))
		for i := range r.sections[1:] {
			r.note(i + 1)
		}
	}
	if i, ok := r.at[sectionKey(name)]; ok {
		return &r.sections[i]
	}
	return nil
}

// note adds a section to those that find knows.
func (r *Roadmap) note(i int) {
	key := sectionKey(r.sections[i].name)
	if _, has := r.at[key]; !has {
		r.at[key] = i
	}
}

// SameSection reports whether two names denote the same section of the roadmap. Case,
// spaces and punctuation do not count, and standard sections have alternative names.
func SameSection(a, b string) bool { return sectionKey(a) == sectionKey(b) }

// sectionKey is what the names of one section have in common.
func sectionKey(name string) string {
	if std := standardName(name); std != "" {
		return "## " + std // no other name has a space
	}
	return foldName(name)
}

// ensure returns the section with this name and creates it if necessary: a standard one in
// its place among the others, any other at the end.
func (r *Roadmap) ensure(name string) *section {
	if s := r.find(name); s != nil {
		return s
	}
	name = sectionName(name)
	at := len(r.sections)
	if std := standardName(name); std != "" {
		name, at = std, r.place(std)
	}
	r.insert(at, section{name: name, heading: "## " + name, lines: []string{""}})
	return &r.sections[at]
}

// place returns the index for a standard section: after the last of those that precede it
// in order.
func (r *Roadmap) place(name string) int {
	at := 1
	for _, before := range standardSections() {
		if before == name {
			break
		}
		for i := 1; i < len(r.sections); i++ {
			if standardName(r.sections[i].name) == before {
				at = max(at, i+1)
			}
		}
	}
	return at
}

// insert inserts a section after an empty line. The section's last line is empty, and so
// separates it from the next one or ends the file.
func (r *Roadmap) insert(at int, s section) {
	before := &r.sections[at-1]
	if at == 1 && len(before.lines) == 0 { // an empty file
		before.lines = []string{roadmapTitle}
	}
	if n := len(before.lines); n == 0 || !blank(before.lines[n-1]) {
		before.lines = append(before.lines[:n:n], "")
	}
	r.sections = slices.Insert(r.sections, at, s)
	if at < len(r.sections)-1 {
		r.at = nil
	} else if r.at != nil {
		r.note(at)
	}
}

// sectionName turns a name into one line.
func sectionName(name string) string {
	name = strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f {
			return ' '
		}
		return r
	}, name)
	name = strings.TrimSpace(strings.TrimRight(strings.TrimSpace(name), "#"))
	if name == "" {
		return "Notes"
	}
	return name
}

// text returns the section's prose, without the blank lines around it.
func (s *section) text() string {
	return unescapeProse(strings.Join(trimBlank(s.plainLines()), "\n"))
}

// plainLines returns the lines without the "\r" of a CRLF file.
func (s *section) plainLines() []string {
	if !s.crlf {
		return s.lines
	}
	lines := make([]string, len(s.lines))
	for i, line := range s.lines {
		lines[i] = strings.TrimSuffix(line, "\r")
	}
	return lines
}

// setText replaces the section's prose. Blank lines after it stay.
func (s *section) setText(text string) {
	var lines []string
	if s.heading != "" {
		lines = append(lines, "")
	}
	if text != "" {
		escaped := escapeProse(text)
		if s.heading == "" && strings.HasPrefix(text, "# ") {
			escaped = escaped[1:] // the title of the document cannot be taken for a section
		}
		lines = append(lines, strings.Split(escaped, "\n")...)
	}
	s.setLines(lines)
}

// setLines replaces the lines, given without "\r". Blank lines at the end stay.
func (s *section) setLines(lines []string) {
	end := len(s.lines)
	for end > 0 && blank(s.lines[end-1]) {
		end--
	}
	tail := s.lines[end:]
	if s.crlf {
		for i := range lines {
			lines[i] += "\r"
		}
	}
	if len(lines) > 0 && blank(lines[len(lines)-1]) && len(tail) > 0 {
		lines = lines[:len(lines)-1] // an empty section: one blank line is enough
	}
	if len(tail) == 0 {
		tail = []string{""}
	}
	s.lines = append(lines, tail...)
}

// Goal returns the text of the goal; "" if there is none.
func (r *Roadmap) Goal() string { return r.sectionText(SectionGoal) }

// SetGoal replaces the goal. Goal returns any text exactly as set.
func (r *Roadmap) SetGoal(text string) { r.ensure(SectionGoal).setText(text) }

func (r *Roadmap) sectionText(name string) string {
	if s := r.find(name); s != nil {
		return s.text()
	}
	return ""
}

// Sections returns the sections that people added, in the order of the file.
func (r *Roadmap) Sections() []Section {
	var own []Section
	for i := range r.sections[1:] {
		s := &r.sections[i+1]
		if std := standardName(s.name); std == "" || r.find(std) != s {
			own = append(own, Section{s.name, s.text()})
		}
	}
	return own
}

// SetSection replaces the text of a section, or adds the section at the end. Line breaks
// and control characters in a new name become spaces. An empty text removes a section, but
// only empties a standard one. The name "" means the text before the first section, title
// included. A text set in a standard list is read as its items.
func (r *Roadmap) SetSection(name, text string) {
	s := r.find(name)
	if text == "" && (s == nil || name != "" && standardName(name) == "") {
		r.remove(s)
		return
	}
	if s == nil {
		s = r.ensure(name)
	}
	s.setText(text)
}

func (r *Roadmap) remove(s *section) {
	for i := range r.sections {
		if &r.sections[i] == s {
			r.sections, r.at = slices.Delete(r.sections, i, i+1), nil
			return
		}
	}
}

// CopySection replaces a section by that of another roadmap, byte for byte. It removes the
// section if the other roadmap has none.
func (r *Roadmap) CopySection(from *Roadmap, name string) {
	theirs := from.find(name)
	if theirs == nil {
		if s := r.find(name); s != nil {
			r.remove(s)
		}
		return
	}
	*r.ensure(name) = *theirs
}

// ChangedSections returns the names of the sections whose texts differ, in the order of a,
// then of b. The name of the text before the first section is "title".
func ChangedSections(a, b *Roadmap) []string {
	var changed []string
	for i, side := range []*Roadmap{a, b} {
		other := []*Roadmap{b, a}[i]
		for j := range side.sections {
			s := &side.sections[j]
			o := other.find(s.name)
			if side.find(s.name) != s || i == 1 && o != nil {
				continue
			}
			if o != nil && o.text() == s.text() || o == nil && s.text() == "" {
				continue
			}
			changed = append(changed, cmp.Or(s.name, "title"))
		}
	}
	return changed
}

// Prose in main.md is Markdown. Two kinds of lines get an additional backslash: lines that
// Markdown would read as a heading, which could imitate a section, and blank lines at
// either end, which would be lost between sections. Such a line consists of up to three
// spaces, any number of backslashes, and then
//
//  1. a '#' (a heading) and anything,
//  2. only '=' or only '-' (the underline of a heading), or
//  3. nothing but white space, if it has a backslash already or is at an end of the text.

// escapeProse formats a text as lines of a section, without the last newline.
func escapeProse(text string) string {
	lines := strings.Split(text, "\n")
	first, last := textEnds(lines)
	for i, line := range lines {
		indent, slashes, rest := splitMark(line)
		if marksHeading(rest) || blank(rest) && (slashes != "" || i < first || i > last) {
			lines[i] = indent + `\` + slashes + rest
		}
	}
	return strings.Join(lines, "\n")
}

// unescapeProse is the inverse of escapeProse. Hand-written Markdown without such
// backslashes stays unchanged.
func unescapeProse(text string) string {
	if !strings.Contains(text, `\`) {
		return text
	}
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		if indent, slashes, rest := splitMark(line); slashes != "" && (marksHeading(rest) || blank(rest)) {
			lines[i] = indent + slashes[1:] + rest
		}
	}
	return strings.Join(lines, "\n")
}

// textEnds returns the first and the last line that is not blank.
func textEnds(lines []string) (first, last int) {
	first, last = len(lines), -1
	for i, line := range lines {
		if !blank(line) {
			first, last = min(first, i), i
		}
	}
	return first, last
}

func splitMark(line string) (indent, slashes, rest string) {
	i := 0
	for i < len(line) && i < 3 && line[i] == ' ' {
		i++
	}
	rest = strings.TrimLeft(line[i:], `\`)
	return line[:i], line[i : len(line)-len(rest)], rest
}

func marksHeading(s string) bool {
	s = strings.TrimRight(s, " \t\r")
	return s != "" && (s[0] == '#' || strings.Trim(s, "=") == "" || strings.Trim(s, "-") == "")
}

func blank(s string) bool { return strings.Trim(s, " \t\r") == "" }

// trimBlank removes blank lines from both ends.
func trimBlank(lines []string) []string {
	first, last := textEnds(lines)
	if last < 0 {
		return nil
	}
	return lines[first : last+1]
}
