package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/git-context/git-context/cmd"
)

// The sections that every page may have, in order. A page's own sections follow OPTIONS in
// the order of its file.
const (
	sectionName        = "NAME"
	sectionSynopsis    = "SYNOPSIS"
	sectionDescription = "DESCRIPTION"
	sectionOptions     = "OPTIONS"
	sectionOwn         = ""
	sectionOutput      = "OUTPUT"
	sectionExit        = "EXIT STATUS"
	sectionExamples    = "EXAMPLES"
	sectionConfig      = "CONFIGURATION"
	sectionEnv         = "ENVIRONMENT"
	sectionFiles       = "FILES"
	sectionNotes       = "NOTES"
	sectionSeeAlso     = "SEE ALSO"
	sectionSuite       = "GIT-CONTEXT"
)

func order() []string {
	return []string{
		sectionName, sectionSynopsis, sectionDescription, sectionOptions, sectionOwn, sectionOutput, sectionExit,
		sectionExamples, sectionConfig, sectionEnv, sectionFiles, sectionNotes, sectionSeeAlso, sectionSuite,
	}
}

// pages makes every page. A command without a text, and a text without a command, are
// errors.
func (s *source) pages() ([]page, error) {
	rest := maps.Clone(s.pagesOf)
	var all []page
	for _, c := range s.commands {
		name := pageName(c.Name)
		own, ok := rest[name]
		if !ok {
			return nil, fmt.Errorf("%s.md is missing", name)
		}
		delete(rest, name)
		text, err := s.join(c, generated(c), own)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		all = append(all, page{name, 1, text})
	}
	for _, p := range []page{{name: formatsPage, section: 5}, {name: errorsPage, section: 7}} {
		own, ok := rest[p.name]
		if !ok {
			return nil, fmt.Errorf("%s.md is missing", p.name)
		}
		delete(rest, p.name)
		var err error
		if p.text, err = s.join(cmd.Page{}, nil, own); err != nil {
			return nil, fmt.Errorf("%s: %w", p.name, err)
		}
		all = append(all, p)
	}
	if names := slices.Sorted(maps.Keys(rest)); len(names) > 0 {
		return nil, fmt.Errorf("%s.md belongs to no command", names[0])
	}
	return all, nil
}

// pageName returns the name of a command's page.
func pageName(command string) string {
	return strings.TrimSuffix("git-context-"+command, "-")
}

// join joins the generated sections of a page with those of its file.
func (s *source) join(c cmd.Page, made map[string]string, own []section) (string, error) {
	e := newExpander(s, c)
	own = slices.Clone(own)
	named := map[string]string{}
	for _, title := range order() {
		named[title] = take(&own, title)
	}
	var b strings.Builder
	for _, title := range order() {
		sections := []section{{title, paragraphs(made[title], named[title])}}
		if title == sectionOwn {
			sections = own
		}
		if title == sectionSeeAlso {
			sections[0].text = strings.TrimSpace(made[title] + " " + named[title])
		}
		if title == sectionDescription && c.About != "" && !strings.Contains(named[title], "{{about") {
			sections[0].text = paragraphs(fmt.Sprintf("{{about %d}}", len(e.about)), named[title])
		}
		for _, one := range sections {
			text, err := e.expand(one.text)
			if err != nil {
				return "", fmt.Errorf("%s: %w", one.title, err)
			}
			if text != "" {
				b.WriteString("## " + one.title + "\n\n" + text + "\n\n")
			}
		}
	}
	if len(e.about) > 0 {
		return "", fmt.Errorf("%s does not say: %s", sectionDescription, e.about[0])
	}
	return b.String(), nil
}

// paragraphs joins the texts that are not empty.
func paragraphs(texts ...string) string {
	texts = slices.DeleteFunc(texts, func(t string) bool { return t == "" })
	return strings.Join(texts, "\n\n")
}

// generated returns the sections that come from a command's help.
func generated(c cmd.Page) map[string]string {
	var forms, examples strings.Builder
	for _, f := range c.Forms {
		forms.WriteString(wrapForm(f, pageName(c.Name)) + "\n")
	}
	for _, e := range c.Examples {
		examples.WriteString(wrapCommand(e) + "\n")
	}
	m := newMarker(c)
	var options, exits []section
	for _, o := range c.Options {
		options = append(options, section{markForm(o.Form), m.mark(o.Text)})
	}
	for _, e := range c.Exits {
		exits = append(exits, section{fmt.Sprintf("%d", e.Code), m.mark(e.Text)})
	}
	made := map[string]string{
		sectionName:     pageName(c.Name) + " - " + escape(c.Short),
		sectionSynopsis: literal(forms.String()),
		sectionOptions:  definitions(options),
		sectionExit:     definitions(exits),
		sectionExamples: literal(examples.String()),
		sectionSuite:    "Part of the git-context(1) suite",
	}
	if c.Name != "" {
		made[sectionSeeAlso] = "git-context(1),"
	} else {
		delete(made, sectionSuite)
	}
	return made
}

func literal(text string) string { return "```\n" + text + "```" }

// definitions returns a list of terms, each with its text.
func definitions(of []section) string {
	parts := make([]string, len(of))
	for i, s := range of {
		parts[i] = s.title + "\n: " + strings.ReplaceAll(s.text, "\n", "\n    ")
	}
	return strings.Join(parts, "\n\n")
}
