package cmd

import "strings"

// Page is what a command's help says, for whoever writes about the commands: the
// manual pages are made from it.
type Page struct {
	Name     string   // as typed; "" is CONTEXT
	Short    string   // what it does, in a few words without a full stop
	Group    string   // where the overview lists it; "" for CONTEXT
	Forms    []string // its command lines, each from "git context" on
	About    string   // one paragraph of plain text
	Options  []Option
	Exits    []Exit
	Examples []string // as Forms
}

// Option is one option: "-m, --message TEXT", and what it does.
type Option struct{ Form, Text string }

// Exit is one code that a command may end with.
type Exit struct {
	Code int
	Text string
}

// contextShort is what a list of commands would say of CONTEXT.
const contextShort = "memory for a coding agent, kept in git"

// Manual describes every command, CONTEXT first, then in the order of the overview.
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

// commandLines are forms or examples as they are typed.
func commandLines(behind []string) []string {
	lines := make([]string, len(behind))
	for i, b := range behind {
		lines[i] = strings.TrimSpace(self + " " + b)
	}
	return lines
}
