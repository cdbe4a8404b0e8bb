package doc

import "strings"

// Prose in main.md is Markdown. Two kinds of lines get an additional backslash: lines that
// Markdown would read as a heading, which could imitate a section, and blank lines at
// either end, which would be lost between sections. Such a line consists of up to three
// spaces, any number of backslashes, and then
//
//  1. a '#' (a heading) and anything,
//  2. only '=' or only '-' (the underline of a heading), or
//  3. nothing but white space, if it has a backslash already or is at an end of the text.

// escapeProse formats a text as lines of a section, without the last newline.
func escapeProse(text string) string {
	lines := strings.Split(text, "\n")
	first, last := textEnds(lines)
	for i, line := range lines {
		indent, slashes, rest := splitMark(line)
		if marksHeading(rest) || blank(rest) && (slashes != "" || i < first || i > last) {
			lines[i] = indent + `\` + slashes + rest
		}
	}
	return strings.Join(lines, "\n")
}

// unescapeProse is the inverse of escapeProse. Hand-written Markdown without such
// backslashes stays unchanged.
func unescapeProse(text string) string {
	if !strings.Contains(text, `\`) {
		return text
	}
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		if indent, slashes, rest := splitMark(line); slashes != "" && (marksHeading(rest) || blank(rest)) {
			lines[i] = indent + slashes[1:] + rest
		}
	}
	return strings.Join(lines, "\n")
}

// textEnds returns the first and the last line that is not blank.
func textEnds(lines []string) (first, last int) {
	first, last = len(lines), -1
	for i, line := range lines {
		if !blank(line) {
			first, last = min(first, i), i
		}
	}
	return first, last
}

func splitMark(line string) (indent, slashes, rest string) {
	i := 0
	for i < len(line) && i < 3 && line[i] == ' ' {
		i++
	}
	rest = strings.TrimLeft(line[i:], `\`)
	return line[:i], line[i : len(line)-len(rest)], rest
}

func marksHeading(s string) bool {
	s = strings.TrimRight(s, " \t\r")
	return s != "" && (s[0] == '#' || strings.Trim(s, "=") == "" || strings.Trim(s, "-") == "")
}

func blank(s string) bool { return strings.Trim(s, " \t\r") == "" }

// trimBlank removes blank lines from both ends.
func trimBlank(lines []string) []string {
	first, last := textEnds(lines)
	if last < 0 {
		return nil
	}
	return lines[first : last+1]
}
