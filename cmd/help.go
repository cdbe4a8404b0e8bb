package cmd

import (
	"fmt"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"
)

// help is `git context help [COMMAND]`: everything about a command. `COMMAND -h` is the short form.
func help(env *Env, args []string) error {
	switch {
	case len(args) == 0 || args[0] == "-h" || args[0] == "--help":
		return printShort(env)
	case len(args) == 1 && (args[0] == "-a" || args[0] == "--all"):
		return printAll(env)
	case len(args) > 1:
		return usagef("unexpected argument '%s'", args[1]).hint("git context help COMMAND")
	case args[0] == "options":
		return printCommon(env)
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

// printUsage is `git context COMMAND -h`: the forms, what the command does in at most three lines,
// and its own flags. What all commands share is a page of its own, as agents pay for each line.
func printUsage(env *Env, c *command) error {
	var b strings.Builder
	writeForms(&b, c, true)
	b.WriteString("\n" + wrap(firstSentences(c.about, mostAbout), helpWidth, "") + "\n")
	if own := ownFlags(c.flags); len(own) > 0 {
		b.WriteByte('\n')
		for _, f := range own {
			form, usage := formOf(f)
			writeOption(&b, form, firstClauses(usage, 80-usageColumn))
		}
	}
	b.WriteString("\nmore: git context help " + c.name + "; common options: git context help options\n")
	return env.write(b.String())
}

// printCommon is `git context help options`.
func printCommon(env *Env) error {
	var b strings.Builder
	b.WriteString("Every command has --json, -C and -h, and the others if it acts on them.\n")
	b.WriteString("\nOptions\n")
	for _, f := range commonFlags() {
		form, usage := formOf(f)
		writeOption(&b, form, usage)
	}
	b.WriteString("\nExit codes\n")
	for _, code := range []int{exitDone, exitFailed, exitUsage, exitConflict, exitNoMemory, exitNotRepository} {
		writeExit(&b, code)
	}
	return env.write(b.String())
}

// commonFlags are described once for all commands.
func commonFlags() []cli.Flag { return append(new(author).flags(), new(globals).flags()...) }

// ownFlags leaves out the flags that commands share, and the negation of -S.
func ownFlags(flags []cli.Flag) []cli.Flag {
	common := commonFlags()
	return slices.DeleteFunc(slices.Clone(flags), func(f cli.Flag) bool {
		c := lookup(common, f.Names()[0])
		return c != nil && slices.Equal(c.Names(), f.Names()) || strings.HasPrefix(f.Names()[0], "no-gpg")
	})
}

// Of the short help.
const (
	helpWidth = 76 // columns of a description
	mostAbout = 3  // lines
)

// firstSentences returns the sentences at the beginning of a text that fit in so many lines; the
// first one in any case.
func firstSentences(text string, lines int) string {
	kept := ""
	for rest := text; rest != ""; {
		sentence, after, _ := strings.Cut(rest, ". ")
		if after != "" {
			sentence += "."
		}
		more := strings.TrimSpace(kept + " " + sentence)
		if kept != "" && strings.Count(wrap(more, helpWidth, ""), "\n") >= lines {
			break
		}
		kept, rest = more, after
	}
	return kept
}

// firstClauses returns the beginning of a text, up to the last punctuation mark, that has room in so
// many columns; all of it if no such beginning has.
func firstClauses(text string, width int) string {
	if len(text) <= width {
		return text
	}
	best := -1
	for i := range text[:width+1] {
		if strings.Count(text[:i], "(") > strings.Count(text[:i], ")") {
			continue
		}
		if strings.HasPrefix(text[i:], "; ") || strings.HasPrefix(text[i:], ", ") || strings.HasPrefix(text[i:], " (") {
			best = i
		}
	}
	if best < 0 {
		return text
	}
	return text[:best]
}

// lessOptions leaves out of a form the options that may be left out. They are listed below it.
func lessOptions(form string) string {
	var kept []string
	depth, left := 0, false
	for word := range strings.FieldsSeq(form) {
		skip := depth > 0 || strings.HasPrefix(word, "[-")
		if skip {
			depth += strings.Count(word, "[") - strings.Count(word, "]")
			left = true
			continue
		}
		kept = append(kept, word)
	}
	if left {
		kept = append(kept, "[options]")
	}
	return strings.Join(kept, " ")
}

// writeForms writes the forms of a command line; the long ones with less, if short is set.
func writeForms(b *strings.Builder, c *command, short bool) {
	for i, u := range c.usage {
		lead := "   or: "
		if i == 0 {
			lead = "usage: "
		}
		form := lead + strings.TrimSpace("git context "+u)
		if short && len(form) > 80 {
			form = lead + "git context " + strings.ReplaceAll(lessOptions(u), " | ", "|")
		}
		b.WriteString(form + "\n")
	}
}

func writeExit(b *strings.Builder, code int) { fmt.Fprintf(b, "    %-4d%s\n", code, exitText(code)) }

// printHelp is `git context help COMMAND`: the forms, a paragraph, the options, the exit codes
// and examples; for CONTEXT also the overview of all commands.
func printHelp(env *Env, c *command) error {
	var b strings.Builder
	writeForms(&b, c, false)
	b.WriteString("\n" + wrap(c.about, helpWidth, "") + "\n")
	if c.name == "" {
		b.WriteString(forAgents)
		writeOverview(&b)
	}
	b.WriteString("\nOptions\n")
	for _, f := range c.flags {
		form, usage := formOf(f)
		writeOption(&b, form, usage)
	}
	b.WriteString("\nExit codes\n")
	for _, code := range c.exits {
		writeExit(&b, code)
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
    another approach git context branch NAME --purpose TEXT
    if it works      git context merge NAME --into main
    a dead end       git context merge NAME --abandon -m WHY, also on NAME
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

func writeOption(b *strings.Builder, form, usage string) {
	line := "    " + form
	if len(line) >= usageColumn {
		line += "\n" + strings.Repeat(" ", usageColumn)
	} else {
		line += strings.Repeat(" ", usageColumn-len(line))
	}
	indent := strings.Repeat(" ", usageColumn)
	b.WriteString(line + strings.TrimPrefix(wrap(usage, 80-usageColumn, indent), indent) + "\n")
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
