package page

import "strings"

// DiffLine is a line of git's diff and what it is: a class of the style sheet.
type DiffLine struct {
	Class string // file, head, hunk, add, del or ""
	Text  string
}

// Diff splits the output of git diff into lines.
func Diff(text string) []DiffLine {
	var list []DiffLine
	head := false // in the lines before the first hunk of a file
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		d := DiffLine{Text: line}
		switch {
		case strings.HasPrefix(line, "diff --git "):
			d.Class, head = "file", true
		case strings.HasPrefix(line, "@@"):
			d.Class, head = "hunk", false
		case head:
			d.Class = "head"
		case strings.HasPrefix(line, "+"):
			d.Class = "add"
		case strings.HasPrefix(line, "-"):
			d.Class = "del"
		}
		list = append(list, d)
	}
	return list
}
