package doc

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
)

// MergeRoadmap merges main.md three ways, section by section; base is empty if there is
// none. Only prose can conflict:
//
//  1. if one file equals the base, or both are the same: the other;
//  2. the items of a standard list are merged as a set, see mergeItems;
//  3. prose is taken from the side that changed it; prose is every other section, the text
//     before the first section, and text between items;
//  4. if both changed prose: by lines, through text. If that fails, or if one side removed
//     what the other changed: conflict "prose", and the result has ours.
//
// Sections that only theirs has come last, in their order. The texts of a conflict are in
// the form that SetSection takes. It fails if text fails. The cost is linear: a hostile file may have very many sections.
func MergeRoadmap(base, ours, theirs []byte, text TextMerge) ([]byte, []Conflict, error) {
	if merged, ok := simpleMerge(base, ours, theirs, bytes.Equal); ok {
		return merged, nil, nil
	}
	m := roadmapMerge{base: ParseRoadmap(base), ours: ParseRoadmap(ours), theirs: ParseRoadmap(theirs), text: text}
	for _, name := range m.names() {
		if err := m.mergeSection(name); err != nil {
			return nil, nil, fmt.Errorf("main.md: section '%s': %w", name, err)
		}
	}
	m.removeGone()
	return m.ours.Bytes(), m.conflicts, nil
}

// roadmapMerge is a merge in progress; the result is in ours.
type roadmapMerge struct {
	base, ours, theirs *Roadmap
	text               TextMerge
	conflicts          []Conflict
	gone               map[*section]bool // of ours, to be removed
}

// names lists the sections of ours, then those that only theirs has. If a name occurs twice
// in a file, the first section counts.
func (m *roadmapMerge) names() []string {
	names, seen := []string{""}, map[string]bool{}
	for _, r := range []*Roadmap{m.ours, m.theirs} {
		for i := range r.sections[1:] {
			name := r.sections[i+1].name
			if key := sectionKey(name); !seen[key] {
				seen[key] = true
				names = append(names, name)
			}
		}
	}
	return names
}

func (m *roadmapMerge) mergeSection(name string) error {
	b, o, t := m.base.find(name), m.ours.find(name), m.theirs.find(name)
	switch {
	case sameLines(o, t), sameLines(b, t):
		return nil
	case sameLines(b, o):
		m.take(o, t)
		return nil
	}
	if std := standardName(name); std != "" && std != SectionGoal && name != "" {
		return m.mergeList(std, b, o, t)
	}
	return m.mergeProse(name, b, o, t)
}

// sameLines reports whether two sections have the same content; nil means no section.
func sameLines(a, b *section) bool {
	if a == nil || b == nil {
		return a == b
	}
	return slices.Equal(trimBlank(a.plainLines()), trimBlank(b.plainLines()))
}

// take replaces our section by theirs.
func (m *roadmapMerge) take(o, t *section) {
	switch {
	case t == nil: // all at once: what only theirs has, which is added, comes later
		if m.gone == nil {
			m.gone = map[*section]bool{}
		}
		m.gone[o] = true
	case o == nil:
		m.removeGone()
		m.ours.addSection(*t)
	default:
		o.setRaw(trimBlank(t.plainLines()))
	}
}

// removeGone removes the sections that theirs removed.
func (m *roadmapMerge) removeGone() {
	if len(m.gone) == 0 {
		return
	}
	kept := make([]section, 0, len(m.ours.sections))
	for i := range m.ours.sections {
		if s := &m.ours.sections[i]; !m.gone[s] {
			kept = append(kept, *s)
		}
	}
	m.ours.sections, m.ours.at, m.gone = kept, nil, nil
}

// addSection adds a section of another file unchanged: a standard one in its place, others at
// the end.
func (r *Roadmap) addSection(s section) {
	at := len(r.sections)
	if std := standardName(s.name); std != "" {
		at = r.place(std)
	}
	lines := trimBlank(s.plainLines())
	r.insert(at, section{name: s.name, heading: strings.TrimRight(s.heading, "\r"), lines: []string{""}})
	r.sections[at].setRaw(lines)
}

// setRaw replaces a section's lines by lines that have no blank ones at either end.
func (s *section) setRaw(lines []string) {
	var all []string
	if s.heading != "" {
		all = append(all, "")
	}
	s.setLines(append(all, lines...))
}

// mergeProse merges a section that consists of text.
func (m *roadmapMerge) mergeProse(name string, b, o, t *section) error {
	if o == nil || t == nil {
		m.addConflict(name, b, o, t)
		return nil
	}
	merged, ok, err := m.mergeLines(trimmed(b), trimmed(o), trimmed(t))
	if err != nil {
		return err
	}
	if !ok {
		m.addConflict(name, b, o, t)
		return nil
	}
	o.setRaw(merged)
	return nil
}

// mergeLines merges prose. If at most one side changed it, no text merge is needed: an empty
// goal and a new one do not conflict.
func (m *roadmapMerge) mergeLines(b, o, t []string) ([]string, bool, error) {
	if merged, ok := simpleMerge(b, o, t, slices.Equal[[]string]); ok {
		return merged, true, nil
	}
	merged, conflict, err := m.text(joinLines(b), joinLines(o), joinLines(t))
	if err != nil || conflict {
		return nil, false, err
	}
	return trimBlank(strings.Split(string(merged), "\n")), true, nil
}

func trimmed(s *section) []string {
	if s == nil {
		return nil
	}
	return trimBlank(s.plainLines())
}

func joinLines(lines []string) []byte {
	if len(lines) == 0 {
		return nil
	}
	return []byte(strings.Join(lines, "\n") + "\n")
}

func (m *roadmapMerge) addConflict(name string, b, o, t *section) {
	if std := standardName(name); std != "" {
		name = std
	}
	c := Conflict{RoadmapFile + "#" + name, ConflictProse, sectionText(b), sectionText(o), sectionText(t)}
	m.conflicts = append(m.conflicts, c)
}

func sectionText(s *section) *string {
	if s == nil {
		return nil
	}
	text := s.text()
	return &text
}

// mergeList merges a standard list: first the prose between items, which rarely exists, then the
// items.
func (m *roadmapMerge) mergeList(name string, b, o, t *section) error {
	boxes := name == SectionMilestones || name == SectionTodo
	result := mergeItems(itemsOf(b, boxes), itemsOf(o, boxes), itemsOf(t, boxes))
	if o == nil {
		m.removeGone()
		m.ours.addSection(*t)
		o = m.ours.find(name)
	}
	bp, op, tp := proseLines(b, boxes), proseLines(o, boxes), proseLines(t, boxes)
	switch {
	case slices.Equal(op, tp), slices.Equal(bp, tp):
	case slices.Equal(bp, op):
		o.setRaw(trimmed(t))
	default:
		merged, ok, err := m.mergeLines(bp, op, tp)
		if err != nil {
			return err
		}
		if !ok {
			m.addConflict(name, b, o, t)
			break
		}
		o.setRaw(merged) // setItems then adds the items again, below the prose
	}
	o.setItems(result, boxes)
	return nil
}

func itemsOf(s *section, boxes bool) []Item {
	if s == nil {
		return nil
	}
	var items []Item
	for _, it := range s.items(boxes) {
		items = append(items, it.Item)
	}
	return items
}

// proseLines returns the lines of a list that belong to no item.
func proseLines(s *section, boxes bool) []string {
	if s == nil {
		return nil
	}
	var lines []string
	all, end := s.plainLines(), 0
	for _, it := range s.items(boxes) {
		lines = append(lines, all[end:it.start]...)
		end = it.end
	}
	lines = append(lines, all[end:]...)
	return trimBlank(slices.DeleteFunc(lines, blank))
}

// setItems changes the section's items to the given ones. Items that remain change at most
// their tick and outcome; new ones come last. It makes one pass, as a hostile file may have very many
// items.
func (s *section) setItems(want []Item, boxes bool) {
	left := itemsByText(want)
	items := s.items(boxes)
	present := itemsByText(itemsOf(s, boxes))
	lines := make([]string, 0, len(s.lines))
	end := 0
	for _, it := range items {
		lines = append(lines, s.lines[end:it.start]...)
		end = it.end
		if w, ok := left[it.Text]; ok {
			if boxes && w.Done != it.Done {
				s.mark(it, w.Done)
			}
			if w.Outcome != it.Outcome {
				lines = append(lines, s.withOutcome(it, w.Outcome)...)
				continue
			}
			lines = append(lines, s.lines[it.start:it.end]...)
		}
	}
	var added []string
	for _, it := range want {
		if _, ok := present[it.Text]; !ok {
			added = append(added, itemLines(it, boxes)...)
		}
	}
	if len(items) == 0 {
		s.appendLines(added)
		return
	}
	at := len(lines)
	s.lines = append(lines, s.lines[end:]...)
	s.splice(at, at, added)
}

// mergeItems merges lists as sets of texts. The result has the order of ours; items that
// theirs added come last. An item
//
//  1. on both sides is ticked if either side ticked it since the base, and unticked if one
//     side unticked it and the other changed nothing; without a base, a tick wins;
//  2. on one side that is not in the base was added, and is kept;
//  3. on one side that equals the base was removed by the other, and is removed;
//  4. on one side whose tick or outcome changed since the base is kept: work that was done in
//     the meantime outweighs tidying up.
//
// The outcome of an item on both sides is that of the side that changed it; if both did, it has the
// lines of both, ours first.
func mergeItems(base, ours, theirs []Item) []Item {
	inBase, inTheirs := itemsByText(base), itemsByText(theirs)
	inOurs := itemsByText(ours)
	var merged []Item
	for _, o := range ours {
		t, both := inTheirs[o.Text]
		b, old := inBase[o.Text]
		switch {
		case both:
			if !old || b.Done == o.Done {
				o.Done = t.Done || !old && o.Done
			}
			o.Outcome = mergeOutcomes(b.Outcome, o.Outcome, t.Outcome)
			merged = append(merged, o)
		case !old, b != o:
			merged = append(merged, o)
		}
	}
	for _, t := range theirs {
		b, old := inBase[t.Text]
		if _, both := inOurs[t.Text]; !both && (!old || b != t) {
			merged = append(merged, t)
		}
	}
	return merged
}

// itemsByText returns items by their texts. Of two with one text, as in a file written by hand, it is the last one that has an
// outcome, or else the last one.
func itemsByText(items []Item) map[string]Item {
	m := make(map[string]Item, len(items))
	for _, it := range items {
		if it.Outcome != "" || m[it.Text].Outcome == "" {
			m[it.Text] = it
		}
	}
	return m
}
