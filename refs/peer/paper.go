package peer

import "strings"

// grammar is how a dialect writes its steps and its commits.
type grammar struct{ step, commit kind }

// paperGrammar reads what the paper says, however an agent wrote it: steps of an
// Observation, a Thought and an Action; commits of three blocks, with or without a heading; logs of
// merged branches behind a line "== Branch A ==".
func paperGrammar() grammar {
	return grammar{
		step:   kind{labels: stepLabels(), head: paperStep, tag: paperTag, title: paperTitle, headless: true},
		commit: kind{labels: blockLabels(), head: paperCommit, title: paperTitle, headless: true},
	}
}

func paperTitle(line string) bool {
	text, ok := strings.CutPrefix(line, "# ")
	if !ok {
		return false
	}
	text = strings.ToLower(text)
	return strings.Contains(text, "log") || strings.Contains(text, "commit")
}

func paperTag(line string) (string, bool) {
	rest, ok := strings.CutPrefix(strings.TrimSpace(line), "== Branch ")
	name, ok2 := strings.CutSuffix(rest, " ==")
	return strings.Trim(name, "` "), ok && ok2 && name != ""
}

// paperStep takes a heading that speaks of a step or a cycle, with the time in it.
func paperStep(line string) (head, bool) {
	text, ok := cutHeading(line)
	if !ok {
		return head{}, false
	}
	word, rest, _ := strings.Cut(text, " ")
	switch strings.ToLower(strings.Trim(word, ":.")) {
	case "step", "cycle", "ota", "turn", "entry":
		t, _ := findTime(rest)
		return head{time: t}, true
	}
	return head{}, false
}

// paperCommit takes any heading that is not one of the blocks.
func paperCommit(line string) (head, bool) {
	text, ok := cutHeading(line)
	if !ok || paperTitle(line) {
		return head{}, false
	}
	for _, name := range blockLabels() {
		if _, _, is := cutLabel(line, name); is {
			return head{}, false
		}
	}
	t, _ := findTime(text)
	return head{title: text, time: t}, true
}
