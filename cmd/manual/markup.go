package main

import (
	"regexp"
	"slices"
	"strings"

	"github.com/git-context/git-context/cmd"
)

// The columns of a line of literal text, behind the margin of a page 80 wide.
const (
	formWidth    = 73
	commandWidth = 69
)

// escape keeps plain text plain in Markdown.
func escape(text string) string {
	return strings.NewReplacer(`\`, `\\`, "`", "\\`", "*", `\*`, "_", `\_`, "[", `\[`, "]", `\]`,
		"<", `\<`, ">", `\>`, "&", `\&`, "!", `\!`, "|", `\|`, "~", `\~`, "#", `\#`).Replace(text)
}

// marker makes Markdown of what a command's help says.
type marker struct {
	words *regexp.Regexp  // what may have to be marked
	stand map[string]bool // the words in capitals that stand for what is to be typed
}

// newMarker finds those words in the forms and options of a command.
func newMarker(c cmd.Page) marker {
	m := marker{
		words: regexp.MustCompile(`'(?:git |--?[a-z])[^']*'|(?:^|[\s(])--?[A-Za-z][a-z-]*|\bcontext\.[A-Za-z.]*[A-Za-z]|\bGIT_CONTEXT_[A-Z]+(?:=\S+\b)?|[A-Z](?:[A-Z-]*[A-Z])?(?:=[A-Z])?`),
		stand: map[string]bool{},
	}
	upper := regexp.MustCompile(`\b[A-Z][A-Z-]*(?:=[A-Z])?\b`)
	lines := slices.Clone(c.Forms)
	for _, o := range c.Options {
		lines = append(lines, o.Form)
	}
	for _, w := range upper.FindAllString(strings.Join(lines, "\n"), -1) {
		m.stand[w] = true
	}
	return m
}

// mark makes commands that a text quotes, options and settings literal, and stresses
// the names that stand for something.
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
		case m.stand[word] && alone(text, at[0], at[1]):
			word = "*" + escape(word) + "*"
		default:
			word = escape(word)
		}
		b.WriteString(escape(text[last:at[0]]) + lead + word)
		last = at[1]
	}
	return b.String() + escape(text[last:])
}

// alone says whether text[from:to] is a word of its own, and no part of a name.
func alone(text string, from, to int) bool {
	part := func(i int) bool {
		switch {
		case i < 0 || i >= len(text):
			return false
		case text[i] == '.': // which may also end the sentence
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

// markForm marks an option as a list shows it: -m, --message TEXT.
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

// wrapForm breaks a form of a command's line between its brackets; what follows
// stands below its first argument.
func wrapForm(form, name string) string {
	indent := strings.Repeat(" ", min(len(name)+1, 24))
	return wrapWords(together(outside(form, "[(", "])")), formWidth, "", indent)
}

// wrapCommand breaks an example so that it can still be pasted.
func wrapCommand(line string) string {
	return wrapWords(together(outside(line, "'", "'")), commandWidth, ` \`, "    ")
}

// outside cuts a line at the spaces that stand outside of brackets or quotes.
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

// together joins an option with the word behind it, which may be its value.
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

// wrapWords fills lines of at most width columns: tail ends each but the last, and
// indent begins each but the first.
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
