package render

import (
	"fmt"
	"io"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/git-context/git-context/refs/git"
)

// Printer is where a text view goes, and how it may look.
type Printer struct {
	W     io.Writer // memory: what it says to a write is not looked at
	Color bool
	Width int       // columns of the terminal, 0 when there is none
	Now   time.Time // for ages
	Self  string    // the command, as the views' own commands spell it: "git context"
}

// listWidth is how long a line of a list may be where no terminal says. A list
// shortens; the view of the one thing does not.
const listWidth = 160

// piece is a part of a line in one style.
type piece struct{ style, text string }

// The colours are git's own: bold headings, yellow commits, green for what is current.
func plain(text string) piece     { return piece{"", text} }
func bold(text string) piece      { return piece{"1", text} }
func yellow(text string) piece    { return piece{"33", text} }
func green(text string) piece     { return piece{"32", text} }
func dim(text string) piece       { return piece{"2", text} }
func hash(id git.ID) piece        { return yellow(id.Short()) }
func (p *Printer) blank()         { p.write("\n") }
func (p *Printer) write(s string) { _, _ = io.WriteString(p.W, s) }

// line writes one line. Every text from memory goes through here or through
// block, which is what makes it safe.
func (p *Printer) line(pieces ...piece) {
	var b strings.Builder
	for _, x := range pieces {
		text := strings.Map(breakless, Safe(x.text))
		if p.Color && x.style != "" && text != "" {
			text = "\x1b[" + x.style + "m" + text + "\x1b[m"
		}
		b.WriteString(text)
	}
	p.write(strings.TrimRight(b.String(), " ") + "\n")
}

// breakless keeps a line one line, and its columns where they are.
func breakless(r rune) rune {
	if r == '\n' || r == '\t' {
		return ' '
	}
	return r
}

// block writes the lines of a text, each behind a prefix.
func (p *Printer) block(prefix, text string) {
	for l := range strings.SplitSeq(text, "\n") {
		if l = Safe(l); l == "" {
			p.write(strings.TrimRight(prefix, " ") + "\n")
			continue
		}
		p.write(prefix + l + "\n")
	}
}

// quote writes a text as a Markdown quote, which nothing in it can end.
func (p *Printer) quote(text string) { p.block("> ", strings.TrimRight(text, "\r\n")) }

// section writes a heading of the second level with a text, if there is one.
func (p *Printer) section(title, text string) {
	if text == "" {
		return
	}
	p.heading("## ", title)
	p.quote(text)
}

// heading writes a heading inside a view, between empty lines.
func (p *Printer) heading(level, title string) {
	p.blank()
	p.line(bold(level + title))
	p.blank()
}

// attribute writes "- key: value", if there is a value.
func (p *Printer) attribute(key string, value piece) {
	if value.text != "" {
		value.text = flat(value.text)
		p.line(plain("- "+key+": "), value)
	}
}

// command writes a command for the reader to run.
func (p *Printer) command(what, arguments string, args ...any) {
	p.line(dim(what+": "), plain(p.Self+" "+fmt.Sprintf(arguments, args...)))
}

// fit shortens a text for a list to what a line has room for behind used columns.
func (p *Printer) fit(text string, used int) string {
	width := p.Width
	if width <= 0 {
		width = listWidth
	}
	const least = 20 // a narrow terminal wraps rather than shows nothing
	room := max(width-used, least)
	text = Safe(flat(text))
	if utf8.RuneCountInString(text) <= room {
		return text
	}
	return string([]rune(text)[:room-1]) + "…"
}

func stamp(t time.Time) string { return t.UTC().Format(time.RFC3339) }

// when is a time and its age.
func (p *Printer) when(t time.Time) string {
	return stamp(t) + " (" + age(t, p.Now) + ")"
}
