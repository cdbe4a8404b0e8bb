package doc

import (
	"cmp"
	"strings"
)

// Part is a part of main.md that can be lost: an item of a standard list, what became of one, or the text of another
// section.
type Part struct {
	Section string // the standard name, or what the names of one section have in common
	Text    string // of the item; "" for the whole section
	Outcome bool   // it is the outcome of that item
}

// Lost returns the parts of the roadmap before that r lacks: items, by their text, outcomes of items, and sections
// with a text that r does not have at all. An item that is ticked or open again, or a text or an outcome that changed, is not
// lost, nor is what reads "(expunged)": what was refused has its text again. An item without a text is none. The cost is linear.
func (r *Roadmap) Lost(before *Roadmap) []Part {
	var lost []Part
	for i := range len(before.sections) - 1 {
		s := &before.sections[i+1]
		std := standardName(s.name)
		switch now := r.find(s.name); {
		case IsMark(s.name):
		case before.find(s.name) != s: // a second section of that name, which no command reads
		case std == "" || std == SectionGoal:
			if s.text() != "" && (now == nil || now.text() == "") {
				lost = append(lost, Part{Section: partName(s.name)})
			}
		default:
			have := itemsByText(r.list(std, boxed(std)))
			for _, it := range s.items(boxed(std)) {
				if it.Text == "" { // no command names it, and its part would stand for the whole list, once for each of very many
					continue
				}
				now, ok := have[it.Text]
				if !ok && !IsMark(it.Text) {
					lost = append(lost, Part{Section: std, Text: it.Text})
				}
				if it.Outcome != "" && now.Outcome == "" && !IsMark(it.Text) {
					lost = append(lost, Part{std, it.Text, true})
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

// Same returns the sections and the outcomes of the roadmap before, as Lost gives them, that are the same in r.
func (r *Roadmap) Same(before *Roadmap) map[Part]bool {
	same := map[Part]bool{}
	for i := range len(before.sections) - 1 {
		name := before.sections[i+1].name
		same[Part{Section: partName(name)}] = r.sectionText(name) == before.sectionText(name)
	}
	for _, std := range []string{SectionMilestones, SectionTodo} {
		have := itemsByText(r.list(std, true))
		for text, it := range itemsByText(before.list(std, true)) {
			if it.Outcome != "" && it.Outcome == have[text].Outcome {
				same[Part{std, text, true}] = true
			}
		}
	}
	return same
}

// SameText reports whether two roadmaps have the same text of a part. An item is its text.
func (r *Roadmap) SameText(p Part, other *Roadmap) bool {
	return p.Text != "" || r.sectionText(p.Section) == other.sectionText(p.Section)
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

// restoreItems adds items of one list, without their outcomes, and outcomes, which belong to items that are done.
func (r *Roadmap) restoreItems(name string, parts []Part, from *Roadmap) (left []Part) {
	there := itemsByText(from.list(name, boxed(name)))
	s := r.ensure(name)
	want := itemsOf(s, boxed(name))
	at := make(map[string]int, len(want))
	for i, it := range want {
		at[it.Text] = i
	}
	have := itemsByText(want)
	for _, p := range parts {
		it, ok := there[p.Text]
		if !ok || p.Outcome && it.Outcome == "" {
			left = append(left, p)
			continue
		}
		i, is := at[p.Text]
		if !is {
			i = len(want)
			at[p.Text], want = i, append(want, Item{Text: it.Text, Done: it.Done})
		}
		if p.Outcome && have[p.Text].Outcome == "" {
			want[i].Done, want[i].Outcome = want[i].Done || it.Done, it.Outcome
		}
	}
	s.setItems(want, boxed(name))
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
