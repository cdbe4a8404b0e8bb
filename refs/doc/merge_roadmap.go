package doc

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
)

// MergeRoadmap merges main.md three ways, section by section; base is empty where there is
// none. Nothing but prose can conflict:
//
//  1. one file as in the base, or both the same: the other;
//  2. the items of a standard list are a set, see mergeItems;
//  3. prose, which is every other section, the text before the first, and what stands between
//     items, is taken from the side that changed it;
//  4. both changed prose: by lines, through text; a conflict "prose" if that fails,
//     or if one side removed what the other changed, and ours stands meanwhile.
//
// Sections that only theirs has come last, in their order. The texts of a conflict are those
// that SetSection takes. More than 1,000 sections are an error.
func MergeRoadmap(base, ours, theirs []byte, text TextMerge) ([]byte, []Conflict, error) {
	if merged, ok := simpleMerge(base, ours, theirs, bytes.Equal); ok {
		return merged, nil, nil
	}
	g := roadmapMerge{base: ParseRoadmap(base), ours: ParseRoadmap(ours), theirs: ParseRoadmap(theirs), text: text}
	for _, r := range []*Roadmap{g.base, g.ours, g.theirs} {
		if len(r.sections) > maxSections {
			return nil, nil, fmt.Errorf("main.md: %d sections are more than %d", len(r.sections), maxSections)
		}
	}
	for _, name := range g.names() {
		if err := g.section(name); err != nil {
			return nil, nil, fmt.Errorf("main.md: section '%s': %w", name, err)
		}
	}
	return g.ours.Bytes(), g.conflicts, nil
}

// maxSections bounds a merge, which looks each section up among all others.
const maxSections = 1000

// roadmapMerge is a merge under way, made in ours.
type roadmapMerge struct {
	base, ours, theirs *Roadmap
	text               TextMerge
	conflicts          []Conflict
}

// names lists the sections of ours, then those of theirs. Of a name that stands twice in
// a file, the first is meant.
func (g *roadmapMerge) names() []string {
	names := []string{""}
	for _, r := range []*Roadmap{g.ours, g.theirs} {
		for i := range r.sections[1:] {
			name := r.sections[i+1].name
			if !slices.ContainsFunc(names[1:], func(n string) bool { return SameSection(n, name) }) {
				names = append(names, name)
			}
		}
	}
	return names
}

func (g *roadmapMerge) section(name string) error {
	b, o, t := g.base.find(name), g.ours.find(name), g.theirs.find(name)
	switch {
	case sameLines(o, t), sameLines(b, t):
		return nil
	case sameLines(b, o):
		g.take(o, t)
		return nil
	}
	if std := standardName(name); std != "" && std != SectionGoal && name != "" {
		return g.list(std, b, o, t)
	}
	return g.prose(name, b, o, t)
}

// sameLines compares what two sections hold; nil stands for none.
func sameLines(a, b *section) bool {
	if a == nil || b == nil {
		return a == b
	}
	return slices.Equal(trimBlank(a.plainLines()), trimBlank(b.plainLines()))
}

// take makes our section theirs.
func (g *roadmapMerge) take(o, t *section) {
	switch {
	case t == nil:
		g.ours.remove(o)
	case o == nil:
		g.ours.adopt(*t)
	default:
		o.setRaw(trimBlank(t.plainLines()))
	}
}

// adopt adds a section of another file as it is: a standard one in its place, else at the end.
func (r *Roadmap) adopt(s section) {
	at := len(r.sections)
	if std := standardName(s.name); std != "" {
		at = r.place(std)
	}
	lines := trimBlank(s.plainLines())
	r.insert(at, section{name: s.name, heading: strings.TrimRight(s.heading, "\r"), lines: []string{""}})
	r.sections[at].setRaw(lines)
}

// setRaw puts lines, given without blank ones around them, in the place of a section's own.
func (s *section) setRaw(lines []string) {
	var all []string
	if s.heading != "" {
		all = append(all, "")
	}
	s.setLines(append(all, lines...))
}

// prose merges a section that is only text.
func (g *roadmapMerge) prose(name string, b, o, t *section) error {
	if o == nil || t == nil {
		g.conflict(name, b, o, t)
		return nil
	}
	merged, ok, err := g.lines(trimmed(b), trimmed(o), trimmed(t))
	if err != nil {
		return err
	}
	if !ok {
		g.conflict(name, b, o, t)
		return nil
	}
	o.setRaw(merged)
	return nil
}

// lines merges prose that both sides changed, unless one had none before: an empty goal
// and a new one do not contradict each other.
func (g *roadmapMerge) lines(b, o, t []string) ([]string, bool, error) {
	if merged, ok := simpleMerge(b, o, t, slices.Equal[[]string]); ok {
		return merged, true, nil
	}
	merged, conflict, err := g.text(joinLines(b), joinLines(o), joinLines(t))
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

func (g *roadmapMerge) conflict(name string, b, o, t *section) {
	if std := standardName(name); std != "" {
		name = std
	}
	g.conflicts = append(g.conflicts, Conflict{"main.md#" + name, ConflictProse, sectionText(b), sectionText(o), sectionText(t)})
}

func sectionText(s *section) *string {
	if s == nil {
		return nil
	}
	text := s.text()
	return &text
}

// list merges a standard list: the prose between items, which nearly always is none, then
// the items.
func (g *roadmapMerge) list(name string, b, o, t *section) error {
	boxes := name == SectionMilestones || name == SectionTodo
	result := mergeItems(itemsOf(b, boxes), itemsOf(o, boxes), itemsOf(t, boxes))
	if o == nil {
		g.ours.adopt(*t)
		o = g.ours.find(name)
	}
	bp, op, tp := proseLines(b, boxes), proseLines(o, boxes), proseLines(t, boxes)
	switch {
	case slices.Equal(op, tp), slices.Equal(bp, tp):
	case slices.Equal(bp, op):
		o.setRaw(trimmed(t))
	default:
		merged, ok, err := g.lines(bp, op, tp)
		if err != nil {
			return err
		}
		if !ok {
			g.conflict(name, b, o, t)
			break
		}
		o.setRaw(merged) // and the items anew, below it
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

// proseLines returns what of a list is no item.
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

// setItems changes the section's items to those given: each that stays is at most ticked,
// new ones come last. One pass, as a hostile file may have very many.
func (s *section) setItems(want []Item, boxes bool) {
	left := index(want)
	items := s.items(boxes)
	here := index(itemsOf(s, boxes))
	lines := make([]string, 0, len(s.lines))
	end := 0
	for _, it := range items {
		lines = append(lines, s.lines[end:it.start]...)
		end = it.end
		if w, ok := left[it.Text]; ok {
			if boxes && w.Done != it.Done {
				s.mark(it, w.Done)
			}
			lines = append(lines, s.lines[it.start:it.end]...)
		}
	}
	var added []string
	for _, it := range want {
		if _, ok := here[it.Text]; !ok {
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

// mergeItems merges lists as sets of texts, in the order of ours, what theirs added last:
//
//  1. on both sides: ticked if either ticked it since the base, unticked if one side did
//     that and the other changed nothing; with no base, ticked wins;
//  2. on one side, not in the base: it was added, and stays;
//  3. on one side, as in the base: the other removed it, and it goes;
//  4. on one side, ticked or unticked since the base: it stays, as tidying up is no
//     answer to work that was done meanwhile.
func mergeItems(base, ours, theirs []Item) []Item {
	inBase, inTheirs := index(base), index(theirs)
	inOurs := index(ours)
	var merged []Item
	for _, o := range ours {
		t, both := inTheirs[o.Text]
		b, old := inBase[o.Text]
		switch {
		case both && (!old || b.Done == o.Done):
			o.Done = t.Done || !old && o.Done
			merged = append(merged, o)
		case both, !old, b.Done != o.Done:
			merged = append(merged, o)
		}
	}
	for _, t := range theirs {
		b, old := inBase[t.Text]
		if _, both := inOurs[t.Text]; !both && (!old || b.Done != t.Done) {
			merged = append(merged, t)
		}
	}
	return merged
}

func index(items []Item) map[string]Item {
	m := make(map[string]Item, len(items))
	for _, it := range items {
		m[it.Text] = it
	}
	return m
}
