package cmd

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/git-context/git-context/refs"
	"github.com/git-context/git-context/render"
)

// Where a command's views say what to run next, they spell it this way.
const self = "git context"

// show prints a result: one JSON document, or text. It is written in one
// piece, so that a reader never sees half of it beside an error.
func (g *globals) show(env *Env, value any, text func(*render.Printer)) error {
	if g.json {
		return showJSON(env, value)
	}
	var b bytes.Buffer
	text(&render.Printer{W: &b, Width: env.Term.Width, Now: env.Now(), Self: self})
	return env.write(b.String())
}

func showJSON(env *Env, value any) error {
	var b bytes.Buffer
	if err := render.WriteJSON(&b, value); err != nil {
		return fmt.Errorf("cannot encode the result: %w", err)
	}
	return env.write(b.String())
}

// view is show for what a person reads at length: in colour and through the
// pager by git's own rules.
func (g *globals) view(ctx context.Context, env *Env, value any, text func(*render.Printer)) error {
	return g.viewIn(ctx, env, colorUI, value, text)
}

// viewIn is view for what git has a colour setting of its own for.
func (g *globals) viewIn(ctx context.Context, env *Env, setting string, value any, text func(*render.Printer)) error {
	if g.json {
		return showJSON(env, value)
	}
	screen := env.screen(ctx, setting)
	var b bytes.Buffer
	text(&render.Printer{W: &b, Color: screen.color, Width: env.Term.Width, Now: env.Now(), Self: self})
	if screen.pager == "" {
		return env.write(b.String())
	}
	return env.page(screen.pager, b.Bytes())
}

// line writes one line of a short result, made safe to show.
func line(p *render.Printer, format string, args ...any) {
	// A printer writes into memory.
	_, _ = fmt.Fprintln(p.W, render.Safe(fmt.Sprintf(format, args...)))
}

// count returns "1 step", "2 steps".
func count(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return strconv.Itoa(n) + " " + many
}

// block writes a text of several lines, made safe to show.
func block(p *render.Printer, text string) {
	for l := range strings.SplitSeq(strings.TrimRight(text, "\n"), "\n") {
		line(p, "%s", l)
	}
}

// replaced warns that a text did not stay as it was given.
func (e *Env) replaced(was bool) {
	if was {
		e.warn("invalid UTF-8 or NUL in a text was replaced by U+FFFD")
	}
}

// write puts a whole result on standard output, in one piece.
func (e *Env) write(s string) error {
	if _, err := io.WriteString(e.Out, s); err != nil {
		return &outputError{cause(err)}
	}
	return nil
}

// printChange tells of a command that made one memory commit.
func (g *globals) printChange(env *Env, c refs.Change) error {
	env.warnAll(c.Warnings)
	env.replaced(c.Replaced)
	return g.show(env, c, func(p *render.Printer) {
		if c.Unchanged {
			line(p, "Nothing changed")
			return
		}
		line(p, "[%s %s] %s", c.Branch, c.Commit.Short(), c.Subject)
	})
}
