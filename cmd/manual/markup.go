package main

import (
	"regexp"
	"slices"
	"strings"

	"github.com/git-context/git-context/cmd"
)

// The widths of literal lines, without the margin, on a page of 80 columns.
const (
	formWidth    = 73
	commandWidth = 69
)

// escape keeps plain text plain in Markdown.
func escape(text string) string {
	return strings.NewReplacer(`\`, `\\`, "`", "\\`", "*", `\*`, "_", `\_`, "[", `\[`, "]", `\]`,
		"<", `\<`, ">", `\>`, "&", `\&`, "!", `\!`, "|", `\|`, "~", `\~`, "#", `\#`).Replace(text)
}

// marker makes Markdown of the help of a command.
type marker struct {
	words        *regexp.Regexp  // matches what may need a mark
	placeholders map[string]bool // words in capitals, such as NAME
}

// newMarker finds the placeholders in the forms and options of a command.
func newMarker(c cmd.Page) marker {
	m := marker{
		words:        regexp.MustCompile(`'(?:git |--?[a-z])[^']*'|(?:^|[\s(])--?[A-Za-z][a-z-]*|\bcontext\.[A-Za-z.]*[A-Za-z]|\bGIT_CONTEXT_[A-Z]+(?:=\S+\b)?|[A-Z](?:[A-Z-]*[A-Z])?(?:=[A-Z])?`),
		placeholders: map[string]bool{},
	}
	upper := regexp.MustCompile(`\b[A-Z][A-Z-]*(?:=[A-Z])?\b`)
	lines := slices.Clone(c.Forms)
	for _, o := range c.Options {
		lines = append(lines, o.Form)
	}
	for _, w := range upper.FindAllString(strings.Join(lines, "\n"), -1) {
		m.placeholders[w] = true
	}
	return m
}

// mark makes quoted commands, options and settings literal, and placeholders italic.
func (m marker) mark(text string) string {
	var b strings.Builder
	last := 0
	for _, at := range m.words.FindAllStringIndex(text, -1) {
		word := text[at[0]:at[1]]
		lead := word[:len(word)-len(strings.TrimLeft(word, " (\n"))]
		word = word[len(lead):]
		switch {
		case strings.HasPrefix(word, "'"):
			word = code(strings.Trim(word, "'"))
		case strings.HasPrefix(word, "-") || strings.HasPrefix(word, "context.") || strings.HasPrefix(word, "GIT_CONTEXT_"):
			word = code(word)
		case m.placeholders[word] && alone(text, at[0], at[1]):
			word = "*" + escape(word) + "*"
		default:
			word = escape(word)
		}
		b.WriteString(escape(text[last:at[0]]) + lead + word)
		last = at[1]
	}
	return b.String() + escape(text[last:])
}

// alone reports whether text[from:to] is a whole word, and not part of a name.
func alone(text string, from, to int) bool {
	part := func(i int) bool {
		switch {
		case i < 0 || i >= len(text):
			return false
		case text[i] == '.': // it may also end the sentence
			return i+1 < len(text) && text[i+1] != ' '
		}
		return isLetter(text[i]) || strings.IndexByte(`_'"-`, text[i]) >= 0
	}
	return !part(from-1) && !part(to)
}

func isLetter(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9'
}

func code(text string) string { return "`" + text + "`" }

// markForm marks the form of an option: -m, --message TEXT.
func markForm(form string) string {
	parts := regexp.MustCompile(`--?[A-Za-z][a-z-]*|[A-Z][A-Z=]*|.`).FindAllString(form, -1)
	for i, p := range parts {
		switch {
		case len(p) > 1 && p[0] == '-':
			parts[i] = "**" + p + "**"
		case p[0] >= 'A' && p[0] <= 'Z':
			parts[i] = "*" + p + "*"
		default:
			parts[i] = escape(p)
		}
	}
	return strings.Join(parts, "")
}

// wrapForm breaks the form of a command line between its brackets, and indents the next
// lines to its first argument.
func wrapForm(form, name string) string {
	indent := strings.Repeat(" ", min(len(name)+1, 24))
	return wrapWords(together(outside(form, "[(", "])")), formWidth, "", indent)
}

// wrapCommand breaks an example so that a shell still reads it as one command.
func wrapCommand(line string) string {
	return wrapWords(together(outside(line, "'", "'")), commandWidth, ` \`, "    ")
}

// outside splits a line at the spaces outside of brackets or quotes.
func outside(line, open, end string) []string {
	var words []string
	depth, from := 0, 0
	for i := range len(line) {
		switch c := line[i : i+1]; {
		case strings.Contains(end, c) && depth > 0:
			depth--
		case strings.Contains(open, c):
			depth++
		case c == " " && depth == 0:
			words = append(words, line[from:i])
			from = i + 1
		}
	}
	return append(words, line[from:])
}

// together joins an option with the next word, which may be its value.
func together(words []string) []string {
	var joined []string
	for i, w := range words {
		if i > 0 && strings.HasPrefix(words[i-1], "-") && !strings.HasPrefix(w, "-") {
			joined[len(joined)-1] += " " + w
		} else {
			joined = append(joined, w)
		}
	}
	return joined
}

// wrapWords fills lines of at most width columns. tail ends every line but the last, indent
// begins every line but the first.
func wrapWords(words []string, width int, tail, indent string) string {
	var b strings.Builder
	column := 0
	for i, w := range words {
		switch {
		case i == 0:
		case column+1+len(w)+len(tail) > width:
			b.WriteString(tail + "\n" + indent)
			column = len(indent)
		default:
			b.WriteString(" ")
			column++
		}
		b.WriteString(w)
		column += len(w)
	}
	return b.String()
}
