package main

import (
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/git-context/git-context/cmd"
)

// expander replaces the words in braces of one page, and marks the names of other pages.
type expander struct {
	source *source
	marker marker
	about  []string // the sentences that the page does not contain yet

	references *regexp.Regexp // names of pages, and literal text
	braces     *regexp.Regexp
}

func newExpander(s *source, c cmd.Page) *expander {
	return &expander{
		source: s, marker: newMarker(c), about: sentences(c.About),
		references: regexp.MustCompile("`[^`]*`|" + `\bgit[a-z-]*\([1-9]\)`),
		braces:     regexp.MustCompile(`\{\{([^{}]*)\}\}`),
	}
}

// expand expands a text line by line; literal text stays as it is.
func (e *expander) expand(text string) (string, error) {
	var b strings.Builder
	var failed error
	literal := false
	for line := range strings.Lines(text + "\n") {
		switch {
		case strings.HasPrefix(line, "```"):
			literal = !literal
		case !literal:
			line = e.references.ReplaceAllStringFunc(line, markReference)
			line = e.braces.ReplaceAllStringFunc(line, func(found string) string {
				name, argument, _ := strings.Cut(strings.Trim(found, "{}"), " ")
				filled, err := e.fill(name, argument)
				failed = errors.Join(failed, err)
				return filled
			})
		}
		b.WriteString(line)
	}
	return strings.Trim(b.String(), "\n"), failed
}

// markReference marks the name of a page; literal text stays as it is.
func markReference(found string) string {
	name, number, ok := strings.Cut(found, "(")
	if !ok || strings.HasPrefix(found, "`") {
		return found
	}
	return "**" + name + "**(" + number
}

// fill returns the text for the words in braces.
func (e *expander) fill(name, argument string) (string, error) {
	switch name {
	case "about", "skip":
		n, err := strconv.Atoi(argument)
		if err != nil || n < 1 || n > len(e.about) {
			return "", fmt.Errorf("{{%s %s}} where %d sentences are left", name, argument, len(e.about))
		}
		text := strings.Join(e.about[:n], " ")
		e.about = e.about[n:]
		if name == "skip" {
			return "", nil
		}
		return e.marker.mark(text), nil
	case "config":
		return e.entries(e.source.config, argument)
	case "env":
		return e.entries(e.source.env, argument)
	case "errors":
		return e.codes(), nil
	case "commands":
		return overview(e.source.commands), nil
	}
	return "", fmt.Errorf("{{%s}} is not known", name)
}

// entries returns the sections of config.md or environment.md, all or the one of that title.
func (e *expander) entries(all []section, title string) (string, error) {
	var chosen []section
	for _, s := range all {
		if title != "" && s.title != title {
			continue
		}
		text, err := e.expand(s.text)
		if err != nil {
			return "", err
		}
		if value, rest, ok := defaultOf(text); ok {
			text = rest + " The default is " + code(value) + "."
		}
		chosen = append(chosen, section{"**" + escape(s.title) + "**", text})
	}
	if len(chosen) == 0 {
		return "", fmt.Errorf("nothing is written of '%s'", title)
	}
	return definitions(chosen), nil
}

// defaultOf cuts the first line "Default: VALUE" off the text about a setting.
func defaultOf(text string) (value, rest string, ok bool) {
	first, rest, _ := strings.Cut(text, "\n\n")
	value, ok = strings.CutPrefix(first, "Default: ")
	if !ok {
		return "", text, false
	}
	return value, rest, true
}

// overview lists all commands by their groups.
func overview(commands []cmd.Page) string {
	var parts []string
	group := ""
	for _, c := range commands {
		if c.Name == "" {
			continue
		}
		if c.Group != group {
			group = c.Group
			parts = append(parts, "### "+strings.ToUpper(group[:1])+group[1:])
		}
		parts = append(parts, definitions([]section{{"**" + pageName(c.Name) + "**(1)", escape(c.Short)}}))
	}
	return strings.Join(parts, "\n\n")
}

// sentences splits a text of any number of paragraphs.
func sentences(text string) []string {
	if text == "" {
		return nil
	}
	parts := strings.SplitAfter(strings.Join(strings.Fields(text), " "), ". ")
	for i := range parts {
		parts[i] = strings.TrimSpace(parts[i])
	}
	return parts
}
