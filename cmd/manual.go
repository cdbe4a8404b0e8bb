package cmd

import "strings"

// Page is the help of a command, from which the manual pages are made.
type Page struct {
	Name     string   // as typed; "" for CONTEXT
	Short    string   // one line without a full stop
	Group    string   // the group of the overview that lists it; "" for CONTEXT
	Forms    []string // its command lines, each beginning with "git context"
	About    string   // one paragraph of plain text
	Options  []Option
	Exits    []Exit
	Examples []string // command lines, as in Forms
}

// Option is an option, such as "-m, --message TEXT", and what it does.
type Option struct{ Form, Text string }

// Exit is an exit code of a command.
type Exit struct {
	Code int
	Text string
}

// contextShort is the one line about CONTEXT.
const contextShort = "memory for a coding agent, kept in git"

// Manual returns the help of every command, CONTEXT first, then in the order of the
// overview.
func Manual() []Page {
	pages := []Page{newContext(new(globals)).page("", contextShort)}
	for _, e := range commands() {
		pages = append(pages, e.make(new(globals)).page(e.group, e.short))
	}
	return pages
}

func (c *command) page(group, short string) Page {
	p := Page{
		Name: c.name, Short: short, Group: group, About: c.about,
		Forms: commandLines(c.usage), Examples: commandLines(c.examples),
	}
	for _, f := range c.flags {
		form, text := formOf(f)
		p.Options = append(p.Options, Option{form, text})
	}
	for _, code := range c.exits {
		p.Exits = append(p.Exits, Exit{code, exitText(code)})
	}
	return p
}

// commandLines returns forms or examples as a user types them.
func commandLines(behind []string) []string {
	lines := make([]string, len(behind))
	for i, b := range behind {
		lines[i] = strings.TrimSpace(self + " " + b)
	}
	return lines
}
