package cmd

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/git-context/git-context/refs/store"
	"github.com/git-context/git-context/render"
)

// self is how results and hints spell this program.
const self = "git context"

// show prints a result as one JSON document or as text, in one write: no half of it appears
// beside an error.
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

// view is show for long texts: it uses colour and the pager by git's rules.
func (g *globals) view(ctx context.Context, env *Env, value any, text func(*render.Printer)) error {
	return g.viewIn(ctx, env, colorUI, value, text)
}

// viewIn is view with a colour setting other than color.ui.
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
	// A printer writes to memory, which does not fail.
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
func block(p *render.Printer, text string) { p.Block(strings.TrimRight(text, "\n")) }

// replaced warns that a text was changed, if it was.
func (e *Env) replaced(was bool) {
	if was {
		e.warn("invalid UTF-8 or NUL in a text was replaced by U+FFFD")
	}
}

// write writes a whole result to standard output, in one write.
func (e *Env) write(s string) error {
	if _, err := io.WriteString(e.Out, s); err != nil {
		return &outputError{cause(err)}
	}
	return nil
}

// printChange prints the result of a command that makes one memory commit.
func (g *globals) printChange(env *Env, c store.Change) error {
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
