package doc

import (
	"fmt"
	"iter"
	"slices"
	"strings"
)

// Item is an item of a list. Its text may have several lines.
type Item struct {
	Text    string
	Done    bool
	Outcome string // what became of it; "" if unknown. It does not identify the item
}

// itemAt is an item with its place in the lines of its section.
type itemAt struct {
	Item
	start, end int // lines
	box        int // offset of the character in the box, in line start; -1 if there is no box
}

// ItemError reports that a text matches no item, or several.
type ItemError struct {
	Section    string
	Text       string   // as given
	Nearest    string   // if none matches: the most similar item, "" if none is similar
	Candidates []string // if several match: the items that begin with Text
}

// Error returns the message; it contains Text shortened.
func (e *ItemError) Error() string {
	if len(e.Candidates) > 0 {
		return fmt.Sprintf("'%s' begins %d items of '%s'", clip(e.Text), len(e.Candidates), e.Section)
	}
	return fmt.Sprintf("no item '%s' in '%s'", clip(e.Text), e.Section)
}

// items parses the list of a section. An item begins at the left margin with "- ", "* ", "+
// " or "1. ", and continues over lines that are indented or follow directly. If boxes is
// true, a "[ ]" or "[x]" is not part of the text, nor is a line "Outcome: ".
func (s *section) items(boxes bool) []itemAt {
	var items []itemAt
	lines := s.plainLines()
	for start, end := range itemSpans(lines) {
		items = append(items, readItem(lines, start, end, boxes))
	}
	return items
}

// itemSpans returns the first line of each item, and the line after it.
func itemSpans(lines []string) iter.Seq2[int, int] {
	return func(yield func(int, int) bool) {
		for i := 0; i < len(lines); {
			if _, ok := cutBullet(lines[i]); !ok {
				i++
				continue
			}
			end := itemEnd(lines, i)
			if !yield(i, end) {
				return
			}
			i = end
		}
	}
}

// readItem reads the item between two lines.
func readItem(lines []string, start, end int, boxes bool) itemAt {
	text, _ := cutBullet(lines[start])
	it := itemAt{start: start, end: end, box: -1}
	if rest, done, ok := cutBox(text); ok && boxes {
		it.box, it.Done = len(lines[start])-len(text)+1, done
		text = rest
	}
	more := lines[start+1 : end]
	if boxes {
		more, it.Outcome = cutOutcome(more)
	}
	it.Text = itemText(text, more)
	if boxes {
		it.Text = unescapeOutcome(it.Text)
	}
	return it
}

func itemText(first string, more []string) string {
	if len(more) == 0 {
		return unescapeProse(first)
	}
	var b strings.Builder
	b.WriteString(first)
	for _, line := range more {
		b.WriteByte('\n')
		if rest, ok := strings.CutPrefix(line, "  "); ok {
			line = rest
		} else {
			line = strings.TrimPrefix(line, "\t")
		}
		b.WriteString(line)
	}
	return unescapeProse(b.String())
}

// itemEnd returns the line after an item. Blank lines belong to an item only if an indented
// line follows them.
func itemEnd(lines []string, start int) int {
	end := start + 1
	for i := end; i < len(lines); i++ {
		indented := strings.HasPrefix(lines[i], "  ") || strings.HasPrefix(lines[i], "\t")
		_, bullet := cutBullet(lines[i])
		switch {
		case lines[i] == "":
			continue
		case indented, i == end && !bullet:
			end = i + 1
		default:
			return trimEnd(lines, start, end)
		}
	}
	return trimEnd(lines, start, end)
}

// trimEnd excludes lines of only white space from the end of an item.
func trimEnd(lines []string, start, end int) int {
	for end > start+1 && blank(lines[end-1]) {
		end--
	}
	return end
}

func cutBullet(line string) (string, bool) {
	if line == "-" || line == "*" || line == "+" {
		return "", true
	}
	if len(line) > 1 && line[1] == ' ' && strings.IndexByte("-*+", line[0]) >= 0 {
		return line[2:], true
	}
	digits := strings.TrimLeft(line, "0123456789")
	if n := len(line) - len(digits); n > 0 && n < 10 {
		return strings.CutPrefix(digits, ". ")
	}
	return "", false
}

func cutBox(text string) (rest string, done, ok bool) {
	if len(text) < 3 || text[0] != '[' || text[2] != ']' || strings.IndexByte(" xX", text[1]) < 0 {
		return "", false, false
	}
	if len(text) == 3 {
		return "", text[1] != ' ', true
	}
	return text[4:], text[1] != ' ', text[3] == ' '
}

// itemLines formats an item.
func itemLines(it Item, box bool) []string {
	bullet := "- "
	if box {
		bullet = "- [ ] "
		if it.Done {
			bullet = "- [x] "
		}
	}
	text := it.Text
	if box {
		text = escapeOutcome(text)
	}
	lines := strings.Split(escapeProse(text), "\n")
	lines[0] = bullet + lines[0]
	for i := range lines[1:] {
		if lines[i+1] != "" {
			lines[i+1] = "  " + lines[i+1]
		}
	}
	if box {
		lines = append(lines, outcomeLines(it.Outcome)...)
	}
	return lines
}

// addItem adds an item after the last one. It reports false if an item with this text
// exists.
func (r *Roadmap) addItem(name string, it Item, box bool) bool {
	s := r.ensure(name)
	items := s.items(box)
	for _, old := range items {
		if old.Text == it.Text {
			return false
		}
	}
	s.append(it, items, box)
	return true
}

// append writes an item after the last of items, which are the items of the section.
func (s *section) append(it Item, items []itemAt, box bool) {
	added := itemLines(it, box)
	if len(items) > 0 {
		s.splice(items[len(items)-1].end, items[len(items)-1].end, added)
		return
	}
	s.appendLines(added)
}

// appendLines writes items into a section that has none, below its prose.
func (s *section) appendLines(added []string) {
	if len(added) == 0 {
		return
	}
	old := s.plainLines()
	end := len(old)
	for end > 0 && blank(old[end-1]) {
		end--
	}
	lines := append([]string{}, old[:end]...)
	s.setLines(append(append(lines, ""), added...))
}

// splice replaces the lines from start to end. A file still ends in a newline.
func (s *section) splice(start, end int, lines []string) {
	if s.crlf {
		for i := range lines {
			lines[i] += "\r"
		}
	}
	rest := s.lines[end:]
	if len(rest) == 0 {
		rest = []string{""}
	}
	s.lines = append(append(s.lines[:start:start], lines...), rest...)
}

// lookupItem finds the one item that a text denotes: by its whole text, otherwise by a
// prefix that only one item has, otherwise by such a prefix in any case.
func (r *Roadmap) lookupItem(name, text string, box bool) (*section, itemAt, error) {
	s := r.find(name)
	if s == nil {
		return nil, itemAt{}, &ItemError{Section: name, Text: text}
	}
	items := s.items(box)
	folded := strings.ToLower(text)
	for _, match := range []func(string) bool{
		func(t string) bool { return t == text },
		func(t string) bool { return text != "" && strings.HasPrefix(t, text) },
		func(t string) bool { return text != "" && strings.HasPrefix(strings.ToLower(t), folded) },
	} {
		if found, err := oneItem(items, match); err != nil || found != nil {
			if err != nil {
				err.Section, err.Text = name, text
				return nil, itemAt{}, err
			}
			return s, *found, nil
		}
	}
	return nil, itemAt{}, &ItemError{Section: name, Text: text, Nearest: nearest(text, items)}
}

// oneItem returns the item with the only text that matches. A hand-written list may contain
// it twice.
func oneItem(items []itemAt, match func(string) bool) (*itemAt, *ItemError) {
	var found []*itemAt
	var texts []string
	for i := range items {
		if match(items[i].Text) && (len(found) == 0 || items[i].Text != found[0].Text) {
			found = append(found, &items[i])
			texts = append(texts, items[i].Text)
		}
	}
	switch len(found) {
	case 0:
		return nil, nil
	case 1:
		return found[0], nil
	}
	return nil, &ItemError{Candidates: texts}
}

// markItem changes the character in the box, and removes the outcome of an item that is open
// again. It adds a box if a hand-written list has none.
func (r *Roadmap) markItem(name, text string, done bool) error {
	s, it, err := r.lookupItem(name, text, true)
	if err != nil {
		return err
	}
	if it.Done != done {
		s.mark(it, done)
	}
	if !done && it.Outcome != "" {
		s.setOutcome(it, "")
	}
	return nil
}

func (s *section) mark(it itemAt, done bool) {
	mark := " "
	if done {
		mark = "x"
	}
	line := s.lines[it.start]
	if it.box >= 0 {
		s.lines[it.start] = line[:it.box] + mark + line[it.box+1:]
		return
	}
	text, _ := cutBullet(line)
	bullet := strings.TrimRight(line[:len(line)-len(text)], " \r")
	s.lines[it.start] = bullet + " [" + mark + "] " + text
}

func (r *Roadmap) removeItem(name, text string) error {
	s, it, err := r.lookupItem(name, text, true)
	if err != nil {
		return err
	}
	s.splice(it.start, it.end, nil)
	return nil
}

func (r *Roadmap) list(name string, boxes bool) []Item {
	return itemsOf(r.find(name), boxes)
}

func (r *Roadmap) texts(name string) []string {
	var texts []string
	for _, it := range r.list(name, false) {
		texts = append(texts, it.Text)
	}
	return texts
}

// Milestones returns the items of the roadmap's check list of milestones, in the order of
// the file.
func (r *Roadmap) Milestones() []Item { return r.list(SectionMilestones, true) }

// Todo returns the items of the check list of things to do, in the order of the file.
func (r *Roadmap) Todo() []Item { return r.list(SectionTodo, true) }

// Decisions returns the texts of the decisions, in the order of the file.
func (r *Roadmap) Decisions() []string { return r.texts(SectionDecisions) }

// Questions returns the texts of the open questions, in the order of the file.
func (r *Roadmap) Questions() []string { return r.texts(SectionQuestions) }

// Outcomes returns the texts of the branch outcomes, in the order of the file.
func (r *Roadmap) Outcomes() []string { return r.texts(SectionOutcomes) }

// AddMilestone adds an open milestone. It reports false if one with this text exists, done
// or not. Milestones returns any text exactly as added.
func (r *Roadmap) AddMilestone(text string) bool { return r.AddMilestoneItem(Item{Text: text}) }

// AddMilestoneItem adds a milestone as it is, done or not, as AddMilestone does.
func (r *Roadmap) AddMilestoneItem(it Item) bool { return r.addItem(SectionMilestones, it, true) }

// AddTodo adds a thing to do, as AddMilestone does.
func (r *Roadmap) AddTodo(text string) bool { return r.AddTodoItem(Item{Text: text}) }

// AddTodoItem adds a thing to do as it is, done or not, as AddMilestone does.
func (r *Roadmap) AddTodoItem(it Item) bool { return r.addItem(SectionTodo, it, true) }

// AddDecision adds a decision, as AddMilestone does.
func (r *Roadmap) AddDecision(text string) bool {
	return r.addItem(SectionDecisions, Item{Text: text}, false)
}

// AddQuestion adds an open question, as AddMilestone does.
func (r *Roadmap) AddQuestion(text string) bool {
	return r.addItem(SectionQuestions, Item{Text: text}, false)
}

// AddOutcome adds the outcome of a branch, as AddMilestone does.
func (r *Roadmap) AddOutcome(text string) bool {
	return r.addItem(SectionOutcomes, Item{Text: text}, false)
}

// RemoveOutcome removes the outcome of a branch with exactly this text, if there is one.
func (r *Roadmap) RemoveOutcome(text string) {
	if slices.Contains(r.Outcomes(), text) {
		_ = r.removeItem(SectionOutcomes, text) // its whole text names it
	}
}

// MarkMilestone ticks or unticks a milestone. The text is the item's, or a prefix of it
// that no other item has. Otherwise the error is an *ItemError.
func (r *Roadmap) MarkMilestone(text string, done bool) error {
	return r.markItem(SectionMilestones, text, done)
}

// MarkTodo ticks or unticks a thing to do, as MarkMilestone does.
func (r *Roadmap) MarkTodo(text string, done bool) error { return r.markItem(SectionTodo, text, done) }

// RemoveMilestone removes a milestone, named as for MarkMilestone.
func (r *Roadmap) RemoveMilestone(text string) error { return r.removeItem(SectionMilestones, text) }

// RemoveTodo removes a thing to do, named as for MarkMilestone.
func (r *Roadmap) RemoveTodo(text string) error { return r.removeItem(SectionTodo, text) }

// longestSubject is how many characters of a text the subject of a revision has.
const longestSubject = 60

// RevisionSubject returns the subject of the commit of a command that revises the roadmap: one line of a limited length.
func RevisionSubject(what, text string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	runes := []rune(strings.TrimSpace(line))
	if len(runes) > longestSubject {
		runes = append(runes[:longestSubject-1], '…')
	}
	return what + ": " + string(runes)
}

// ItemSubjects returns the subjects of the commands about the milestones and to-dos of a roadmap, for the texts that are meant.
func (r *Roadmap) ItemSubjects(meant func(text string) bool) (subjects []string) {
	for list, items := range map[string][]Item{"milestone": r.Milestones(), "todo": r.Todo()} {
		for _, it := range items {
			if !meant(it.Text) {
				continue
			}
			for _, verb := range []string{"add", "done", "undo", "remove"} {
				subjects = append(subjects, RevisionSubject(list+" "+verb, it.Text))
			}
		}
	}
	return subjects
}
