package peer

import "strings"

// generated begins the part of main.md that gcc-memory generates.
const generated = "<!-- AUTO-UPDATED BELOW"

const initialized = "**Initialized:**"

// roadmap parses main.md. The text before the first section is the goal, unless a section
// is. Sections with one of the dialects' names for the four lists become lists, if they
// contain nothing else; all others stay sections.
func (r *reader) roadmap() {
	text, ok := r.dir.take(mainFile)
	if !ok {
		return
	}
	if r.f.Dialect == Memory {
		if before, after, ok := strings.Cut(text, generated); ok {
			text = before
			if rest := strings.TrimSpace(after); rest != "" {
				r.note("the part of main.md that is generated from branches and events was left out")
			}
		}
	}
	m := &r.f.Roadmap
	m.Text = strings.TrimSpace(text)
	preamble, sections := cutSections(splitLines(text))
	for _, s := range sections {
		m.add(s)
	}
	if preamble = strings.TrimSpace(withoutTitle(preamble)); preamble != "" {
		if m.Goal == "" {
			m.Goal = preamble
		} else {
			m.Sections = append([]Section{{Name: "Overview", Text: preamble}}, m.Sections...)
		}
	}
}

// sectionHead is the marker of a section, which a backslash escapes in a text.
func sectionHead() []string { return []string{"## "} }

// cutSections splits a document at its lines "## ".
func cutSections(lines []string) (preamble string, sections []Section) {
	var buf []string
	end := func() {
		text := mapLines(strings.Trim(strings.Join(buf, "\n"), "\n"), func(line string) string {
			if !strings.HasPrefix(line, `\`) {
				return line
			}
			return escapeStart(line, sectionHead(), -1)
		})
		if buf = nil; len(sections) == 0 {
			preamble = text
		} else {
			sections[len(sections)-1].Text = text
		}
	}
	for _, line := range lines {
		if name, ok := strings.CutPrefix(line, "## "); ok {
			end()
			sections = append(sections, Section{Name: strings.TrimSpace(name)})
			continue
		}
		buf = append(buf, line)
	}
	end()
	return preamble, sections
}

// withoutTitle drops the first heading and contexa's line with the time.
func withoutTitle(text string) string {
	var out []string
	titled := false
	for _, line := range strings.Split(text, "\n") {
		if !titled && strings.HasPrefix(line, "# ") || strings.HasPrefix(line, initialized) {
			titled = true
			continue
		}
		out = append(out, line)
	}
	return strings.Join(out, "\n")
}

// add adds a section to the field it belongs to.
func (m *Roadmap) add(s Section) {
	if placeholder(s.Text) {
		return
	}
	items, isList := listItems(s.Text)
	switch name := strings.ToLower(strings.Trim(s.Name, ": ")); {
	case goalName(name) && m.Goal == "":
		m.Goal = strings.TrimSpace(s.Text)
	case isList && name == "milestones":
		m.Milestones = append(m.Milestones, items...)
	case isList && (name == "to-do" || name == "todo" || name == "to do" || name == "todos" || name == "tasks"):
		m.Todo = append(m.Todo, items...)
	case isList && (name == "active decisions" || name == "decisions" || name == "key decisions"):
		m.Decisions = append(m.Decisions, itemTexts(items)...)
	case isList && (name == "pending questions" || name == "open questions" || name == "questions"):
		m.Questions = append(m.Questions, itemTexts(items)...)
	default:
		m.Sections = append(m.Sections, s)
	}
}

func goalName(name string) bool {
	switch name {
	case "goal", "goals", "purpose", "objective", "objectives", "project goal", "project objective":
		return true
	}
	return false
}

// placeholder reports whether a text is a tool's placeholder for an empty section.
func placeholder(text string) bool {
	switch strings.ToLower(strings.Trim(strings.TrimSpace(text), "-* ")) {
	case "", "(none yet)", "(none)", "(no events yet)", "none yet", "describe your long-lived goals here.":
		return true
	}
	return false
}

// listItems parses a text that consists of a list only. An item continues over indented
// lines.
func listItems(text string) (items []Item, ok bool) {
	var lines []string // of one item
	end := func() {
		if it := item(strings.Join(lines, "\n")); len(lines) > 0 && !placeholder(it.Text) {
			items = append(items, it)
		}
		lines = nil
	}
	for line := range strings.SplitSeq(text, "\n") {
		rest, bullet := cutBullet(line)
		switch {
		case bullet:
			end()
			lines = []string{rest}
		case strings.TrimSpace(line) == "":
		case len(lines) > 0 && (strings.HasPrefix(line, "  ") || strings.HasPrefix(line, "\t")):
			lines = append(lines, strings.TrimPrefix(line, "  "))
		default:
			return nil, false
		}
	}
	end()
	return items, true
}

func cutBullet(line string) (string, bool) {
	for _, mark := range []string{"- ", "* ", "+ "} {
		if rest, ok := strings.CutPrefix(line, mark); ok {
			return rest, true
		}
	}
	return "", false
}

// item parses the box of an item, if there is one.
func item(text string) Item {
	if len(text) >= 4 && text[0] == '[' && text[2:4] == "] " {
		return Item{Text: strings.TrimSpace(text[4:]), Done: text[1] != ' '}
	}
	return Item{Text: strings.TrimSpace(text)}
}

func itemTexts(items []Item) []string {
	var list []string
	for _, it := range items {
		list = append(list, it.Text)
	}
	return list
}
