package doc

import (
	"cmp"
	"strings"
)

// Part is a part of main.md that can be lost: an item of a standard list, or the text of another
// section.
type Part struct {
	Section string // the standard name, or what the names of one section have in common
	Text    string // of the item; "" for the whole section
}

// Lost returns the parts of the roadmap before that r lacks: items, by their text, and sections
// with a text that r does not have at all. An item that is ticked, or a text that changed, is not
// lost, nor is what reads "(expunged)": what was refused has its text again. The cost is linear.
func (r *Roadmap) Lost(before *Roadmap) []Part {
	var lost []Part
	for i := range len(before.sections) - 1 {
		s := &before.sections[i+1]
		std := standardName(s.name)
		switch now := r.find(s.name); {
		case s.name == Redaction:
		case before.find(s.name) != s: // a second section of that name, which no command reads
		case std == "" || std == SectionGoal:
			if s.text() != "" && (now == nil || now.text() == "") {
				lost = append(lost, Part{Section: partName(s.name)})
			}
		default:
			have := itemsByText(r.list(std, boxed(std)))
			for _, it := range s.items(boxed(std)) {
				if _, ok := have[it.Text]; !ok && it.Text != Redaction {
					lost = append(lost, Part{std, it.Text})
				}
			}
		}
	}
	return lost
}

// partName is the name of a section in a Part.
func partName(section string) string {
	if std := standardName(section); std != "" {
		return std
	}
	return cmp.Or(foldName(section), section)
}

// Same returns the sections of the roadmap before, by the names that Lost gives them, whose text is the same in r.
func (r *Roadmap) Same(before *Roadmap) map[string]bool {
	same := map[string]bool{}
	for i := range len(before.sections) - 1 {
		name := before.sections[i+1].name
		same[partName(name)] = r.sectionText(name) == before.sectionText(name)
	}
	return same
}

// boxed reports whether the items of a standard list have boxes.
func boxed(std string) bool { return std == SectionMilestones || std == SectionTodo }

// Restore adds the parts that r lacks, as they are in the roadmap from. It returns those that from
// lacks, too.
func (r *Roadmap) Restore(parts []Part, from *Roadmap) (left []Part) {
	var names []string
	items := map[string][]Part{}
	for _, p := range parts {
		if p.Text != "" && items[p.Section] == nil {
			names = append(names, p.Section)
		}
		switch {
		case p.Text != "":
			items[p.Section] = append(items[p.Section], p)
		case from.sectionText(p.Section) == "":
			left = append(left, p)
		case r.sectionText(p.Section) == "":
			r.CopySection(from, p.Section)
		}
	}
	for _, name := range names {
		left = append(left, r.restoreItems(name, items[name], from)...)
	}
	return left
}

// restoreItems adds items of one list.
func (r *Roadmap) restoreItems(name string, parts []Part, from *Roadmap) (left []Part) {
	there := itemsByText(from.list(name, boxed(name)))
	s := r.ensure(name)
	items := s.items(boxed(name))
	have := make(map[string]bool, len(items))
	for _, it := range items {
		have[it.Text] = true
	}
	var lines []string
	for _, p := range parts {
		it, ok := there[p.Text]
		if !ok {
			left = append(left, p)
			continue
		}
		if !have[p.Text] {
			have[p.Text] = true
			lines = append(lines, itemLines(it, boxed(name))...)
		}
	}
	switch n := len(items); {
	case len(lines) == 0:
	case n > 0:
		s.splice(items[n-1].end, items[n-1].end, lines)
	default:
		s.appendLines(lines)
	}
	return left
}

// OnlyAdds reports whether a text has what it had before and some more items in one place, so that nothing of it was
// removed. It asks little: other additions may hide what follows them, as a heading or a fence does.
func OnlyAdds(before, now string) bool {
	n := 0
	for n < len(before) && n < len(now) && before[n] == now[n] {
		n++
	}
	n = strings.LastIndexByte(now[:n], '\n') + 1 // a whole line, or the end of one item may begin another
	if !strings.HasSuffix(now[n:], before[n:]) {
		return false
	}
	for line := range strings.Lines(now[n : len(now)-len(before[n:])]) {
		if !strings.HasPrefix(line, "- ") || !strings.HasSuffix(line, "\n") {
			return false
		}
	}
	after := strings.TrimLeft(before[n:], "\n")
	return after == "" || after[0] == '-' || after[0] == '#' // no second line of an item
}
