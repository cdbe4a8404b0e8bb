package cmd

import (
	"fmt"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"
)

// help is `git context help [COMMAND]`.
func help(env *Env, args []string) error {
	switch {
	case len(args) == 0 || args[0] == "-h" || args[0] == "--help":
		return printShort(env)
	case len(args) == 1 && (args[0] == "-a" || args[0] == "--all"):
		return printAll(env)
	case len(args) > 1:
		return usagef("unexpected argument '%s'", args[1]).hint("git context help COMMAND")
	}
	name, _ := inFull(args[0], nil)
	e, err := find(name)
	if err != nil {
		return err
	}
	return printHelp(env, e.make(new(globals)))
}

// printAll is `git context help -a`: everything about CONTEXT, and every command.
func printAll(env *Env) error { return printHelp(env, newContext(new(globals))) }

// printShort is `git context -h`: what an agent needs, and the commands of daily work. It is read at
// the beginning of many sessions, so that it costs as little as it can.
func printShort(env *Env) error {
	var b strings.Builder
	b.WriteString("usage: git context [--budget N] [-k N]\n" +
		"   or: git context (--since C | --branch NAME | --commit C | --log)\n" +
		"   or: git context COMMAND ...\n\n" +
		"Without a command: the brief, which is what a successor needs to go on.\n")
	b.WriteString(forAgents)
	b.WriteString("\nCommands of daily work\n")
	for _, e := range commands() {
		if slices.Contains(daily(), e.name) {
			fmt.Fprintf(&b, "    %-11s%s\n", e.name, e.short)
		}
	}
	b.WriteString("\n'git context COMMAND -h' explains one, 'git context help -a' lists all.\n")
	return env.write(b.String())
}

// daily are the commands of the short help.
func daily() []string {
	return []string{"init", "record", "commit", "status", "handover", "undo", "branch", "switch", "merge", "roadmap", "remember",
		"log", "search", "sync"}
}

// printHelp writes a command's help: its forms, a paragraph, the options, the exit codes
// and examples; for CONTEXT also the overview of all commands.
func printHelp(env *Env, c *command) error {
	var b strings.Builder
	for i, u := range c.usage {
		lead := "   or: "
		if i == 0 {
			lead = "usage: "
		}
		b.WriteString(lead + strings.TrimSpace("git context "+u) + "\n")
	}
	b.WriteString("\n" + wrap(c.about, 76, "") + "\n")
	if c.name == "" {
		b.WriteString(forAgents)
		writeOverview(&b)
	}
	writeOptions(&b, c.flags)
	b.WriteString("\nExit codes\n")
	for _, code := range c.exits {
		fmt.Fprintf(&b, "    %-4d%s\n", code, exitText(code))
	}
	b.WriteString("\nExamples\n")
	for _, e := range c.examples {
		b.WriteString("    git context " + e + "\n")
	}
	return env.write(b.String())
}

// forAgents tells where each kind of fact belongs, so that an agent needs no other page.
const forAgents = `
For an agent
    at the start     git context
    the user's words git context init --goal TEXT --brief TEXT
    something done   git context commit -m SUMMARY -m 'WHAT AND WHY' --todo NEXT
                     [--decide 'CHOICE, BECAUSE ...']... [--done ITEM]...
    a fact to keep   git context remember KEY TEXT --path FILE
    how to test      git context remember how-to-test TEXT
    to ask, to tell  git context roadmap ask TEXT; roadmap todo add --tell TEXT
    another approach git context branch NAME --purpose TEXT; merge NAME
    a dead end       git context merge NAME --abandon -m WHY
    before leaving   git context handover -m SUMMARY -m 'STATE AND NEXT STEP'
`

// writeOverview lists the commands by group.
func writeOverview(b *strings.Builder) {
	group := ""
	for _, e := range commands() {
		if e.group != group {
			group = e.group
			b.WriteString("\n" + group + "\n")
		}
		fmt.Fprintf(b, "    %-11s%s\n", e.name, e.short)
	}
}

// The column at which the text of an option begins.
const usageColumn = 28

func writeOptions(b *strings.Builder, flags []cli.Flag) {
	b.WriteString("\nOptions\n")
	for _, f := range flags {
		form, usage := formOf(f)
		line := "    " + form
		if len(line) >= usageColumn {
			line += "\n" + strings.Repeat(" ", usageColumn)
		} else {
			line += strings.Repeat(" ", usageColumn-len(line))
		}
		indent := strings.Repeat(" ", usageColumn)
		b.WriteString(line + strings.TrimPrefix(wrap(usage, 80-usageColumn, indent), indent) + "\n")
	}
}

// wrap breaks a text into lines of at most width columns, each behind indent.
func wrap(text string, width int, indent string) string {
	var b strings.Builder
	column := 0
	for word := range strings.FieldsSeq(text) {
		switch {
		case column == 0:
			b.WriteString(indent)
		case column+1+len(word) > width:
			b.WriteString("\n" + indent)
			column = 0
		default:
			b.WriteString(" ")
			column++
		}
		b.WriteString(word)
		column += len(word)
	}
	return b.String()
}
