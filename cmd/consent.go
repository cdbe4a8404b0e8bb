package cmd

import (
	"bufio"
	"bytes"
	"fmt"
	"strings"

	"github.com/git-context/git-context/refs/fail"
	"github.com/git-context/git-context/render"
	"github.com/urfave/cli/v2"
)

// What may go without a question where there is no terminal.
const (
	mostUnasked      = 10 // entries
	mostUnaskedShare = 1  // percent of all entries
)

// mostExamples is how many of the things that a command would change it names.
const mostExamples = 10

// consent is the flag --yes, and the question that it answers beforehand.
type consent struct{ yes bool }

func (c *consent) flag() cli.Flag {
	return toggle(&c.yes, "--yes", "do not ask; without a terminal required for more than 10 entries or 1 % of all")
}

// danger is what a command is about to do that cannot be undone, or that others can read then.
type danger struct {
	entries, all int                   // how many are concerned; all is 0 where a share means nothing
	grave        bool                  // few entries need consent too
	tell         func(*render.Printer) // says what would happen: counts, and at most mostExamples examples
	refusal      string                // what would happen, as an error
	question     string
}

// ask obtains the consent to a danger:
//
//  1. --yes gives it;
//  2. on a terminal a person is asked, except with --json;
//  3. else few entries need none, and more are refused.
//
// What would happen is said before a question and before a refusal.
func (c *consent) ask(env *Env, asJSON bool, d danger) error {
	switch {
	case c.yes:
		return nil
	case !c.asks(env, asJSON):
		if !d.large() {
			return nil
		}
		if !asJSON {
			env.tell(d.tell)
		}
		return fail.New(fail.ErrRefused, fail.ConsentNeeded, d.refusal+"; nothing was changed",
			"add --dry-run to see what would happen, --yes to go on")
	}
	env.tell(d.tell)
	_, _ = fmt.Fprintf(env.Err, "%s [y/N] ", d.question) // a terminal that is gone gives no answer either
	// Without a line there is no answer: the error says the same as "no".
	answer, _ := bufio.NewReader(env.In).ReadString('\n')
	switch strings.ToLower(strings.TrimSpace(answer)) {
	case "y", "yes":
		return nil
	}
	return fail.New(fail.ErrRefused, fail.Declined, "not confirmed; nothing was changed")
}

// asks reports whether a person can be asked.
func (c *consent) asks(env *Env, asJSON bool) bool {
	return !c.yes && !asJSON && env.Term.In && env.Term.Err
}

// large reports whether a danger needs consent without a terminal too.
func (d danger) large() bool {
	return d.grave || d.entries > mostUnasked || d.entries*100 > d.all*mostUnaskedShare && d.all > 0
}

// tell writes a text to standard error, in one write.
func (e *Env) tell(text func(*render.Printer)) {
	var b bytes.Buffer
	text(&render.Printer{W: &b, Width: e.Term.Width, Now: e.Now(), Self: self})
	_, _ = e.Err.Write(b.Bytes()) // as in say
}

// examples prints the first things of a list, and how many more there are.
func examples(p *render.Printer, all []string) {
	for i, text := range all {
		if i == mostExamples {
			line(p, " and %d more", len(all)-i)
			break
		}
		line(p, " %s", text)
	}
}

// someOf joins the first names of a list, and says how many more there are.
func someOf(names []string) string {
	if len(names) <= mostExamples {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(names[:mostExamples], ", "), len(names)-mostExamples)
}
