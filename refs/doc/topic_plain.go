package doc

import "strings"

// PlainTopic is ParseTopic for a topic without front matter, or with such as Topic.Bytes writes, without other keys. It is ten times
// as fast as YAML. For any other file it returns only the text, and false.
func PlainTopic(data []byte) (Topic, bool) {
	s := string(data)
	if checkText(s) != nil {
		return Topic{}, false
	}
	front, text, ok := cutFront(s)
	if !ok {
		return Topic{Text: s}, true
	}
	t := Topic{Text: text}
	if len(front) <= MetadataLimit && t.takePlain(front) {
		return t, true
	}
	return Topic{Text: text}, false
}

// PlainMarks is PlainTopic for those who need only whether the topic is pinned, and which one it supersedes: front matter that cannot say
// so counts as plain. A file that it does not parse may be one that ParseTopic refuses.
func PlainMarks(data []byte) (Topic, bool) {
	front, _, _ := cutFront(string(data))
	if !strings.Contains(front, keyPinned) && !strings.Contains(front, keySupersedes) && !strings.Contains(front, `\`) {
		return Topic{}, true // a key without escapes is in the text as it is
	}
	return PlainTopic(data)
}

// frontValues is countNodes of the front matter of a file that [PlainTopic] has read: a line is an item, or a key with its value.
func (t Topic) frontValues(data []byte) int {
	front, _, _ := cutFront(string(data))
	return 1 + 2*strings.Count(front, "\n") - len(t.Paths) - len(t.Edited)
}

// takePlain reads front matter as Bytes writes it. What it returns false for, it may have read in part.
func (t *Topic) takePlain(front string) bool {
	front = strings.Clone(front) // the paths must not hold the whole file
	seen := map[string]bool{}
	for front != "" {
		var line string
		line, front, _ = strings.Cut(front, "\n")
		key, value, ok := strings.Cut(line, ":")
		if !ok || seen[key] {
			return false
		}
		seen[key] = true
		switch key {
		case keyPaths:
			t.Paths, front = plainList(front)
			ok = value == "" && len(t.Paths) > 0
		case keyEdited:
			t.Edited, front = plainList(front)
			ok = value == "" && len(t.Edited) > 0
		case keySupersedes:
			t.Supersedes, ok = plainValue(value)
		case keyConfirmed:
			t.Confirmed, ok = plainValue(value)
			ok = ok && isHash(t.Confirmed)
		case keyPinned:
			t.Pinned = true
			ok = value == " true"
		default:
			ok = false
		}
		if !ok {
			return false
		}
	}
	return true
}

// plainList reads the items at the beginning of the lines, up to one that is not plain.
func plainList(lines string) (list []string, rest string) {
	for {
		line, after, _ := strings.Cut(lines, "\n")
		text, ok := strings.CutPrefix(line, "  -")
		if ok {
			text, ok = plainValue(text)
		}
		if !ok {
			return list, lines
		}
		list, lines = append(list, text), after
	}
}

// plainValue reads a value as yamlText writes it, without escapes.
func plainValue(s string) (string, bool) {
	s, ok := strings.CutPrefix(s, " ")
	if !ok || plainText(s) {
		return s, ok
	}
	if len(s) < 2 || s[0] != '"' || s[len(s)-1] != '"' {
		return s, false
	}
	s = s[1 : len(s)-1]
	return s, !strings.ContainsAny(s, `"\`) && printable(s)
}
