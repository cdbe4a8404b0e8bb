package doc

import (
	"slices"
	"strings"
)

// TellPrefix begins a to-do that is a message for the user.
const TellPrefix = "Tell the user: "

// OutcomePrefix begins the lines of an item that say what became of it. Each line of an outcome has
// one, so that the lines of two outcomes can follow each other.
const OutcomePrefix = "Outcome: "

// cutOutcome splits the further lines of an item into those of its text and its outcome.
func cutOutcome(lines []string) (text []string, outcome string) {
	var found []string
	for _, line := range lines {
		if rest, ok := outcomeLine(line); ok {
			found = append(found, rest)
		} else {
			text = append(text, line)
		}
	}
	for len(found) > 0 && len(text) > 0 && text[len(text)-1] == "" { // an empty line between them
		text = text[:len(text)-1]
	}
	return text, strings.Join(found, "\n")
}

// outcomeLine returns what a line says of the outcome, behind the indentation of an item's line.
func outcomeLine(line string) (string, bool) {
	if rest, ok := strings.CutPrefix(line, "  "); ok {
		line = rest
	} else {
		line = strings.TrimPrefix(line, "\t")
	}
	rest, ok := strings.CutPrefix(line, OutcomePrefix)
	rest = strings.TrimSpace(rest)
	return rest, ok && rest != ""
}

// outcomeLines formats an outcome below its item. Lines of only white space are left out.
func outcomeLines(outcome string) []string {
	var lines []string
	for line := range strings.SplitSeq(outcome, "\n") {
		if line = strings.TrimSpace(line); line != "" {
			lines = append(lines, "  "+OutcomePrefix+line)
		}
	}
	return lines
}

// escapeOutcome adds a backslash to the further lines of a text that would be read as an outcome, and to
// those that have such a backslash already.
func escapeOutcome(text string) string {
	return mapFurther(text, func(line string) string {
		if isOutcomeText(strings.TrimLeft(line, `\`)) {
			return `\` + line
		}
		return line
	})
}

// unescapeOutcome is the inverse of escapeOutcome.
func unescapeOutcome(text string) string {
	return mapFurther(text, func(line string) string {
		if rest, ok := strings.CutPrefix(line, `\`); ok && isOutcomeText(strings.TrimLeft(rest, `\`)) {
			return rest
		}
		return line
	})
}

func isOutcomeText(line string) bool { return strings.HasPrefix(line, OutcomePrefix) }

// mapFurther changes the lines of a text after the first.
func mapFurther(text string, change func(string) string) string {
	if !strings.Contains(text, OutcomePrefix) {
		return text
	}
	lines := strings.Split(text, "\n")
	for i := range lines[1:] {
		lines[i+1] = change(lines[i+1])
	}
	return strings.Join(lines, "\n")
}

// FormatItem returns the text of an item with what became of it, as main.md has them but for the bullet and the
// indentation: [ParseItem] reads it.
func FormatItem(it Item) string {
	lines := []string{escapeOutcome(it.Text)}
	for _, line := range outcomeLines(it.Outcome) {
		lines = append(lines, strings.TrimPrefix(line, "  "))
	}
	return strings.Join(lines, "\n")
}

// ParseItem reads what FormatItem writes. The item is not done.
func ParseItem(text string) Item {
	lines := strings.Split(text, "\n")
	more, outcome := cutOutcome(lines[1:])
	return Item{Text: unescapeOutcome(strings.Join(append(lines[:1:1], more...), "\n")), Outcome: outcome}
}

// setOutcome replaces the outcome of an item; nothing else of it changes.
func (s *section) setOutcome(it itemAt, outcome string) {
	s.lines = slices.Concat(s.lines[:it.start], s.withOutcome(it, outcome), s.lines[it.end:])
}

// withOutcome returns the raw lines of an item with another outcome.
func (s *section) withOutcome(it itemAt, outcome string) []string {
	end := ""
	if s.crlf {
		end = "\r"
	}
	lines := []string{s.lines[it.start]}
	for _, line := range s.lines[it.start+1 : it.end] {
		if _, ok := outcomeLine(strings.TrimSuffix(line, end)); !ok {
			lines = append(lines, line)
		}
	}
	lines = lines[:trimEnd(lines, 0, len(lines))]
	for _, line := range outcomeLines(outcome) {
		lines = append(lines, line+end)
	}
	return lines
}

// mergeOutcomes merges what became of an item: the side that changed it, or the lines of both.
func mergeOutcomes(base, ours, theirs string) string {
	if merged, ok := simpleMerge(base, ours, theirs, func(a, b string) bool { return a == b }); ok {
		return merged
	}
	lines, has := strings.Split(ours, "\n"), map[string]bool{}
	for _, line := range lines {
		has[line] = true
	}
	for line := range strings.SplitSeq(theirs, "\n") {
		if !has[line] {
			has[line] = true
			lines = append(lines, line)
		}
	}
	return strings.Trim(strings.Join(lines, "\n"), "\n")
}

// FinishMilestone ticks a milestone, named as for MarkMilestone, and says what became of it. The outcome
// replaces an earlier one; its lines lose the white space at their ends, and empty ones are dropped. ""
// leaves the outcome as it is.
func (r *Roadmap) FinishMilestone(text, outcome string) error {
	return r.finishItem(SectionMilestones, text, outcome)
}

// FinishTodo ticks a thing to do, as FinishMilestone does.
func (r *Roadmap) FinishTodo(text, outcome string) error {
	return r.finishItem(SectionTodo, text, outcome)
}

func (r *Roadmap) finishItem(name, text, outcome string) error {
	if err := r.markItem(name, text, true); err != nil {
		return err
	}
	s, it, err := r.lookupItem(name, text, true)
	if err != nil || outcome == "" || it.Outcome == outcome {
		return err
	}
	s.setOutcome(it, outcome)
	return nil
}

// AnswerQuestion turns an open question, named as for MarkMilestone, into the decision
// "<question> — <answer>".
func (r *Roadmap) AnswerQuestion(text, answer string) error {
	s, it, err := r.lookupItem(SectionQuestions, text, false)
	if err != nil {
		return err
	}
	s.splice(it.start, it.end, nil)
	r.AddDecision(it.Text + " — " + answer)
	return nil
}
