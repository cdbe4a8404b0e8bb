//go:build unix

package gogit

import (
	"fmt"
	"slices"
	"strings"
)

// entry is a step or a commit as log.md and commit.md contain it, every value as text.
type entry struct {
	Kind, Number, Time, Agent, ID string // Kind is "Step" or "Commit"

	Origin     string
	Attributes map[string]string
	Summary    string
	Texts      map[string][]string // the quotes behind each label
}

// text returns the only quote behind a label, "" where there is none.
func (e entry) text(label string) string {
	if quotes := e.Texts[label]; len(quotes) > 0 {
		return quotes[0]
	}
	return ""
}

// purpose returns the branch's own: of two quotes the first is the goal of the project.
func (e entry) purpose() string {
	if quotes := e.Texts["Branch Purpose"]; len(quotes) > 0 {
		return quotes[len(quotes)-1]
	}
	return ""
}

// labels are those of an entry's quotes.
func labels(kind string) []string {
	if kind == "Step" {
		return []string{"Observation", "Thought", "Action"}
	}
	return []string{"Branch Purpose", "Previous Progress Summary", "This Commit's Contribution"}
}

// entryParser reads a file line by line.
type entryParser struct {
	entries []entry
	origin  string
	label   string
	quoting bool // the line before was a line of a quote
	head    bool // the lines since the heading were attributes
}

// parseEntries is a second implementation of the grammar of package doc. It does not use that
// package, so that a fault which its reader and its writer share is found.
func parseEntries(data []byte) ([]entry, error) {
	if len(data) == 0 {
		return nil, nil
	}
	text, ended := strings.CutSuffix(string(data), "\n")
	if !ended {
		return nil, fmt.Errorf("the last line has no end")
	}
	var p entryParser
	for i, line := range strings.Split(text, "\n") {
		if err := p.line(line); err != nil {
			return nil, fmt.Errorf("line %d: %w: %q", i+1, err, line)
		}
	}
	return p.entries, nil
}

func (p *entryParser) line(line string) error {
	quoted := line == ">" || strings.HasPrefix(line, "> ")
	defer func() { p.quoting = quoted }()
	switch {
	case strings.HasPrefix(line, "== Branch "):
		p.origin = strings.TrimSuffix(strings.TrimPrefix(line, "== Branch "), " ==")
		return nil
	case strings.HasPrefix(line, "### Step "):
		return p.heading("Step", strings.TrimPrefix(line, "### Step "))
	case strings.HasPrefix(line, "## Commit "):
		return p.heading("Commit", strings.TrimPrefix(line, "## Commit "))
	case line == "":
		p.head = false
		return nil
	case len(p.entries) == 0:
		return fmt.Errorf("a line before the first entry")
	}
	return p.body(line, quoted)
}

func (p *entryParser) heading(kind, rest string) error {
	fields := strings.Split(rest, " · ")
	if len(fields) != 4 || p.origin == "" {
		return fmt.Errorf("not a heading below a tag")
	}
	p.label, p.head = "", true
	p.entries = append(p.entries, entry{
		Kind: kind, Number: fields[0], Time: fields[1], Agent: fields[2], ID: fields[3], Origin: p.origin,
		Attributes: map[string]string{}, Texts: map[string][]string{},
	})
	return nil
}

// body reads a line of an entry that is neither empty nor its heading.
func (p *entryParser) body(line string, quoted bool) error {
	e := &p.entries[len(p.entries)-1]
	switch {
	case p.head:
		key, value, ok := strings.Cut(strings.TrimPrefix(line, "- "), ": ")
		if !ok || !strings.HasPrefix(line, "- ") {
			return fmt.Errorf("not an attribute")
		}
		e.Attributes[key] = unescape(value)
	case quoted && p.label == "":
		return fmt.Errorf("a quote without a label")
	case quoted:
		quotes, text := e.Texts[p.label], strings.TrimPrefix(line[1:], " ")
		if p.quoting {
			quotes[len(quotes)-1] += "\n" + text
		} else {
			e.Texts[p.label] = append(quotes, text)
		}
	case strings.HasPrefix(line, "**") && strings.HasSuffix(line, "**"):
		p.label = strings.Trim(line, "*")
		if !slices.Contains(labels(e.Kind), p.label) {
			return fmt.Errorf("not a label of a %s", e.Kind)
		}
	case e.Kind == "Commit" && p.label == "" && e.Summary == "":
		if len(line) > 1 && line[0] == '\\' && strings.IndexByte("#>*+-=_`~|<[!", line[1]) >= 0 {
			line = line[1:]
		}
		e.Summary = unescape(line)
	default:
		return fmt.Errorf("not of the format")
	}
	return nil
}

func unescape(s string) string {
	return strings.NewReplacer(`\\`, `\`, `\n`, "\n", `\r`, "\r").Replace(s)
}
