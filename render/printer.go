package render

import (
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/git-context/git-context/refs/doc"
	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/history"
	"github.com/git-context/git-context/refs/prose"
)

// Printer is the destination of a text view, and its options. One goroutine may use it.
type Printer struct {
	W     io.Writer // in memory: errors of writes are ignored
	Color bool
	Width int       // of the terminal, in cells; 0 if there is none
	Now   time.Time // for ages
	Self  string    // the command, as the views' own commands spell it: "git context"
}

// listWidth is the width of a list's lines without a terminal. Lists shorten texts; views
// of a single thing do not.
const listWidth = 160

// piece is a part of a line in one style.
type piece struct{ style, text string }

// The colours are git's own: bold headings, yellow commits, green for current or added, red
// for remote or removed.
func plain(text string) piece     { return piece{"", text} }
func bold(text string) piece      { return piece{"1", text} }
func yellow(text string) piece    { return piece{"33", text} }
func red(text string) piece       { return piece{"31", text} }
func green(text string) piece     { return piece{"32", text} }
func dim(text string) piece       { return piece{"2", text} }
func hash(id git.ID) piece        { return yellow(id.Short()) }
func (p *Printer) blank()         { p.write("\n") }
func (p *Printer) write(s string) { _, _ = io.WriteString(p.W, s) }

// line writes one line, without the spaces at its end. Every text from memory goes through
// styled or block, which make it safe.
func (p *Printer) line(pieces ...piece) {
	ended := false // whether a later piece has text
	for n := len(pieces) - 1; n >= 0; n-- {
		text := oneLine(pieces[n].text)
		if !ended {
			text = strings.TrimRight(text, " ")
		}
		pieces[n].text, ended = text, ended || text != ""
	}
	p.write(p.styled(pieces) + "\n")
}

// styled joins pieces of text, each in its colour.
func (p *Printer) styled(pieces []piece) string {
	var b strings.Builder
	for _, x := range pieces {
		text := Safe(x.text)
		if p.Color && x.style != "" && text != "" {
			text = "\x1b[" + x.style + "m" + text + "\x1b[m"
		}
		b.WriteString(text)
	}
	return b.String()
}

// oneLine makes a text safe and replaces line breaks and tabs by spaces, which keep columns
// aligned.
func oneLine(text string) string {
	return strings.Map(func(r rune) rune {
		if r == '\n' || r == '\t' {
			return ' '
		}
		return r
	}, Safe(text))
}

// How many bytes of one text a view shows: of one among others, and of the one that it is about. JSON
// has all of it.
const (
	shownQuote = 64 << 10
	shownText  = 1 << 20
)

// shown returns as much of a text as a view shows, with a last line about the rest.
func shown(text string, most int) string {
	short := doc.ShortText(text, most)
	if left := len(text) - len(short); left > 0 {
		return fmt.Sprintf("%s\n[%d more bytes, see --json]", short, left)
	}
	return text
}

// cutUnless returns cutQuote, or nil for whole texts.
func cutUnless(whole bool) history.Cut {
	if whole {
		return nil
	}
	return cutQuote
}

// cutQuote returns a copy of what a view shows of a text. It is so short that shown adds nothing to it.
func cutQuote(text string) string {
	if len(text) > shownQuote {
		text = shown(text, shownQuote-100)
	}
	return strings.Clone(text)
}

// block writes the lines of a text, each after a prefix.
func (p *Printer) block(prefix, text string) {
	for l := range strings.SplitSeq(shown(text, shownText), "\n") {
		if l = Safe(l); l == "" {
			p.write(strings.TrimRight(prefix, " ") + "\n")
			continue
		}
		p.write(prefix + l + "\n")
	}
}

// Block writes a text of several lines, made safe to show.
func (p *Printer) Block(text string) { p.block("", text) }

// quote writes a text as a Markdown quote, which nothing in the text can end.
func (p *Printer) quote(text string) {
	p.block("> ", shown(strings.TrimRight(text, "\r\n"), shownQuote))
}

// section writes a heading of the second level and a text, unless the text is empty.
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

// attribute writes "- key: value", unless the value is empty.
func (p *Printer) attribute(key string, value piece) {
	if value.text != "" {
		value.text = prose.Fold(value.text)
		p.line(plain("- "+key+": "), value)
	}
}

// command writes a command for the reader to run.
func (p *Printer) command(what, arguments string, args ...any) {
	p.line(dim(what+": "), plain(p.Self+" "+fmt.Sprintf(arguments, args...)))
}

// fit shortens a text of a list to the rest of a line in which used cells are taken.
func (p *Printer) fit(text string, used int) string {
	width := p.Width
	if width <= 0 {
		width = listWidth
	}
	const least = 20 // a narrow terminal wraps the line rather than hide the text
	room := max(width-used, least)
	return cut(prose.Fold(text), room)
}

// fitTerminal is fit for a terminal, which would otherwise wrap the line. Programs get the
// whole text.
func (p *Printer) fitTerminal(text string, used int) string {
	if p.Width <= 0 {
		return prose.Fold(text)
	}
	return p.fit(text, used)
}

func day(t time.Time) string { return t.UTC().Format(time.DateOnly) }

func stamp(t time.Time) string { return t.UTC().Format(time.RFC3339) }

// when formats a time and its age.
func (p *Printer) when(t time.Time) string {
	return stamp(t) + " (" + age(t, p.Now) + ")"
}

// MarkdownText shows a document unchanged, with its headings in the style of the views.
func MarkdownText(p *Printer, text string) {
	for l := range strings.SplitSeq(shown(strings.TrimRight(text, "\n"), shownText), "\n") {
		if p.Color && strings.HasPrefix(l, "#") {
			p.line(bold(l))
			continue
		}
		p.block("", l)
	}
}

// age formats the time since then in git's units (`git log --date=relative`): the largest
// unit of which there are about two or more.
func age(then, now time.Time) string {
	const day = 24 * time.Hour
	d := now.Sub(then)
	switch {
	case d < 0:
		return "in the future"
	case d < 90*time.Second:
		return ago(d, time.Second, "second")
	case d < 90*time.Minute:
		return ago(d, time.Minute, "minute")
	case d < 36*time.Hour:
		return ago(d, time.Hour, "hour")
	case d < 14*day:
		return ago(d, day, "day")
	case d < 70*day:
		return ago(d, 7*day, "week")
	case d < 365*day:
		return ago(d, 30*day, "month")
	}
	return ago(d, 365*day, "year")
}

// ago rounds to the nearest unit.
func ago(d, unit time.Duration, name string) string {
	n := (d + unit/2) / unit
	if n != 1 {
		name += "s"
	}
	return fmt.Sprintf("%d %s ago", n, name)
}
