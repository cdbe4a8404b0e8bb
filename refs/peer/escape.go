package peer

import "strings"

// Text that would be parsed as a marker gets one additional backslash, however many it has
// already, so that removing one restores the text.

// contexaEscape adds a backslash
//
//  1. before a "---" that ends a line, where the library's readers would split;
//  2. before a marker at the beginning of a line;
//  3. into a label, after its first '*', anywhere in a line: one of the readers takes the text
//     after the last label of a line.
func contexaEscape(text string) string {
	text = mapLines(text, func(line string) string { return escapeEnd(escapeStart(line, contexaHeads(), 1), 1) })
	return escapeLabels(text, contexaLabels(), 1)
}

// contexaUnescape removes what contexaEscape added, and the library's own escape.
func contexaUnescape(text string) string {
	if !strings.Contains(text, `\`) {
		return text
	}
	text = mapLines(text, func(line string) string { return escapeEnd(escapeStart(line, contexaHeads(), -1), -1) })
	return escapeLabels(text, contexaLabels(), -1)
}

func contexaHeads() []string { return []string{"### Step ", "## Commit", "## Merged from "} }

func contexaLabels() []string {
	return append(append(stepLabels(), "Timestamp"), blockLabels()...)
}

// memoryEscape prevents that a text is read as the heading of a commit, which gcc-memory
// finds anywhere in a line, or as the label of a block.
func memoryEscape(text string) string {
	return escapeInside(escapeLabels(text, blockLabels(), 1), "###", " Commit:", 1)
}

func memoryUnescape(text string) string {
	if !strings.Contains(text, `\`) {
		return text
	}
	return escapeInside(escapeLabels(text, blockLabels(), -1), "###", " Commit:", -1)
}

// lineBreaks are the characters at which Python's splitlines ends a line.
const lineBreaks = "\n\r\v\f\x1c\x1d\x1e\u0085\u2028\u2029"

// mapLines replaces each line of a text and keeps the line breaks.
func mapLines(text string, change func(string) string) string {
	var b strings.Builder
	for text != "" {
		end := strings.IndexAny(text, lineBreaks)
		if end < 0 {
			end = len(text)
		}
		b.WriteString(change(text[:end]))
		text = text[end:]
		rest := strings.TrimLeft(text, lineBreaks)
		b.WriteString(text[:len(text)-len(rest)])
		text = rest
	}
	return b.String()
}

// escapeStart changes by by the number of backslashes before any of the markers at the
// beginning of a line.
func escapeStart(line string, heads []string, by int) string {
	rest := strings.TrimLeft(line, `\`)
	for _, h := range heads {
		if strings.HasPrefix(rest, h) {
			return slashes(len(line)-len(rest)+by) + rest
		}
	}
	return line
}

// escapeEnd does the same before a "---" at the end of a line.
func escapeEnd(line string, by int) string {
	before, ok := strings.CutSuffix(line, "---")
	if !ok {
		return line
	}
	rest := strings.TrimRight(before, `\`)
	return rest + slashes(len(before)-len(rest)+by) + "---"
}

// escapeLabels does the same inside "**NAME:**", after the first '*'.
func escapeLabels(text string, names []string, by int) string {
	for _, name := range names {
		text = escapeInside(text, "*", "*"+name+":**", by)
	}
	return text
}

// escapeInside does the same between two parts with only backslashes between them.
func escapeInside(text, first, second string, by int) string {
	var b strings.Builder
	for {
		i := strings.Index(text, second)
		if i < 0 {
			b.WriteString(text)
			return b.String()
		}
		before := strings.TrimRight(text[:i], `\`)
		if strings.HasSuffix(before, first) {
			b.WriteString(before + slashes(i-len(before)+by))
		} else {
			b.WriteString(text[:i])
		}
		b.WriteString(second)
		text = text[i+len(second):]
	}
}

// slashes returns n backslashes, none if n is negative.
func slashes(n int) string { return strings.Repeat(`\`, max(n, 0)) }
