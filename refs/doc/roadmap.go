package doc

import (
	"cmp"
	"slices"
	"strings"
)

// Names of the sections of main.md that mean something to this program, in their order.
const (
	SectionGoal       = "Goal"
	SectionMilestones = "Milestones"
	SectionTodo       = "To-Do"
	SectionDecisions  = "Decisions"
	SectionQuestions  = "Open Questions"
	SectionOutcomes   = "Branch Outcomes"
)

const roadmapTitle = "# Project Roadmap"

// standardSections returns the names above; a function, as nothing may change them.
func standardSections() []string {
	return []string{SectionGoal, SectionMilestones, SectionTodo, SectionDecisions, SectionQuestions, SectionOutcomes}
}

// Roadmap is a main.md, edited in place: what an edit does not touch stays byte for byte.
// It is not safe for use by several goroutines at once.
type Roadmap struct {
	sections []section // the first is what stands before any heading, title included
}

// Section is a section that people added, or the text before the first one (Name "").
type Section struct{ Name, Text string }

// section holds its lines raw, without newlines.
type section struct {
	name    string // as in the heading
	heading string // the line; "" for what stands before the first heading
	lines   []string
	crlf    bool // lines end in "\r\n"; the "\r" is no part of a text then
}

// NewRoadmap returns a roadmap with every standard section, all empty.
func NewRoadmap() *Roadmap {
	r := &Roadmap{sections: []section{{lines: []string{roadmapTitle, ""}}}}
	for _, name := range standardSections() {
		r.sections = append(r.sections, section{name: name, heading: "## " + name, lines: []string{""}})
	}
	return r
}

// ParseRoadmap reads main.md. Any text is a roadmap: a line that begins with "## " begins a
// section (in a fenced code block too), and a standard one is known by its letters alone,
// so that "## Todo" is To-Do.
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

// letters reduces the name of a section to what tells it from others.
func letters(name string) string {
	return strings.Map(func(r rune) rune {
		if r == ' ' || r == '-' || r == '_' || r == ':' || r == '\t' {
			return -1
		}
		return r
	}, strings.ToLower(name))
}

// standardName returns the standard section that a name means, or "".
func standardName(name string) string {
	got := letters(name)
	for _, s := range standardSections() {
		if want := letters(s); got == want || got+"s" == want || got == want+"s" {
			return s
		}
	}
	switch got {
	case "questions":
		return SectionQuestions
	case "outcomes":
		return SectionOutcomes
	}
	return ""
}

// find returns the section of a name, the first if there are several; nil if there is none.
func (r *Roadmap) find(name string) *section {
	if name == "" {
		return &r.sections[0]
	}
	for i := range r.sections[1:] {
		if s := &r.sections[i+1]; SameSection(s.name, name) {
			return s
		}
	}
	return nil
}

// SameSection reports whether two names mean one section of the roadmap: case,
// spaces and punctuation do not count, and the standard ones have other names.
func SameSection(a, b string) bool {
	if sa, sb := standardName(a), standardName(b); sa != "" || sb != "" {
		return sa == sb
	}
	return letters(a) == letters(b)
}

// ensure returns the section of a name and makes it if need be: a standard one in its
// place among the others, any other at the end.
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

// place finds where a standard section belongs: behind the last of those before it.
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

// insert puts a section in, behind an empty line. Its own last line is empty, and so parts
// it from the next one or ends the file.
func (r *Roadmap) insert(at int, s section) {
	before := &r.sections[at-1]
	if at == 1 && len(before.lines) == 0 { // an empty file
		before.lines = []string{roadmapTitle}
	}
	if n := len(before.lines); n == 0 || !blank(before.lines[n-1]) {
		before.lines = append(before.lines[:n:n], "")
	}
	r.sections = slices.Insert(r.sections, at, s)
}

// sectionName makes one line of a name.
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

// plainLines returns the lines without the "\r" of a file that ends every line in one.
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

// setText replaces the section's prose. The blank lines behind it stay as they are.
func (s *section) setText(text string) {
	var lines []string
	if s.heading != "" {
		lines = append(lines, "")
	}
	if text != "" {
		escaped := escapeProse(text)
		if s.heading == "" && strings.HasPrefix(text, "# ") {
			escaped = escaped[1:] // the title of the document forges no section
		}
		lines = append(lines, strings.Split(escaped, "\n")...)
	}
	s.setLines(lines)
}

// setLines replaces the lines, given without "\r", and keeps the blank ones at the end.
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

// Goal returns the text of the goal, "" if there is none.
func (r *Roadmap) Goal() string { return r.sectionText(SectionGoal) }

// SetGoal replaces the goal. Any text comes back exactly.
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

// SetSection replaces the text of a section, or adds the section at the end. Line breaks and
// control characters in a new name become spaces. An empty text removes a
// section, and empties a standard one. The name "" means what stands before the
// first section, title included. A text set in a standard list is read as its items.
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
			r.sections = slices.Delete(r.sections, i, i+1)
			return
		}
	}
}

// TakeSection puts a section of another roadmap, byte for byte, in place of this one's;
// none where the other has none.
func (r *Roadmap) TakeSection(from *Roadmap, name string) {
	theirs := from.find(name)
	if theirs == nil {
		if s := r.find(name); s != nil {
			r.remove(s)
		}
		return
	}
	*r.ensure(name) = *theirs
}

// ChangedSections names the sections whose text differs between two roadmaps, in the order
// of the first; the text before any section goes by "title".
func ChangedSections(a, b *Roadmap) []string {
	var changed []string
	for i, side := range []*Roadmap{a, b} {
		other := []*Roadmap{b, a}[i]
		for j := range side.sections {
			s := &side.sections[j]
			o := other.find(s.name)
			if side.find(s.name) != s || i == 1 && o != nil || o != nil && o.text() == s.text() || o == nil && s.text() == "" {
				continue
			}
			changed = append(changed, cmp.Or(s.name, "title"))
		}
	}
	return changed
}
