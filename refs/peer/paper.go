package peer

import "strings"

// grammar is a dialect's format of steps and commits.
type grammar struct{ step, commit recordFormat }

// paperGrammar parses what the paper describes, in any form that an agent chose: steps of
// Observation, Thought and Action; commits of three blocks, with or without a heading;
// steps of merged branches after a line "== Branch A ==".
func paperGrammar() grammar {
	return grammar{
		step:   recordFormat{labels: stepLabels(), head: paperStep, tag: paperTag, title: paperTitle, headless: true},
		commit: recordFormat{labels: blockLabels(), head: paperCommit, title: paperTitle, headless: true},
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

// paperStep accepts a heading that names a step or cycle, which may contain a time.
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

// paperCommit accepts any heading that is not the label of a block.
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
