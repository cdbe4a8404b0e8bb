package cmd

import (
	"cmp"
	"context"
	"strings"

	"github.com/git-context/git-context/refs"
	"github.com/git-context/git-context/refs/history"
	"github.com/git-context/git-context/render"
	"github.com/urfave/cli/v2"
)

// candidate is a word that may stand in the place of the one that is completed, with one
// line that says what it is, and with what it is one of.
type candidate struct {
	Word  string `json:"word"`
	About string `json:"about"`
	Kind  string `json:"kind"`
}

// What the shell completes by itself.
const (
	shellFiles       = "files"
	shellDirectories = "directories"
)

// offers gathers what may stand in a word's place.
type offers struct {
	env   *Env
	typed typed
	bare  bool // nobody is shown what the words are

	lead, word string // the word: what stays, as in --branch=, and what is completed

	list  []candidate
	seen  map[string]bool
	shell string // what the shell completes by itself; "" for nothing

	store  *refs.Store // nil until somebody asks
	known  map[string][]history.Named
	newest []history.RecentCommit
}

// gather finds all that may stand in the word's place. Err says why memory gave
// nothing; what needs no memory is offered all the same.
func (o *offers) gather(ctx context.Context) error {
	t := &o.typed
	if t.command == nil {
		return nil
	}
	o.word = t.word
	if f, lead, value := t.inWord(); f != nil {
		o.lead, o.word = lead, value
		return o.value(ctx, f)
	}
	optional := t.waiting != nil && kindOf(t.waiting) == kindOptional && strings.HasPrefix(t.word, "-")
	if t.waiting != nil && !optional {
		return o.value(ctx, t.waiting)
	}
	if !t.literal && strings.HasPrefix(t.word, "-") {
		o.flags()
		return nil
	}
	return o.arguments(ctx)
}

// arguments offers what may stand here by the forms of the command; where that is
// nothing at all, its flags are what is left.
func (o *offers) arguments(ctx context.Context) (err error) {
	expected := o.typed.expect()
	if len(expected) == 0 && !o.typed.literal && o.word == "" {
		o.flags()
	}
	whole := o.word
	for _, e := range expected {
		o.lead, o.word = "", whole
		if e.word != "" {
			o.add("words", "", e.word)
			continue
		}
		if find, ok := offerFor(e.form, e.name); ok {
			err = cmp.Or(err, find(o, ctx))
		}
	}
	return err
}

// value offers what a flag takes.
func (o *offers) value(ctx context.Context, f cli.Flag) error {
	_, name := placeOf(f)
	if find, ok := offerFor(formIn(f), name); ok {
		return find(o, ctx)
	}
	return nil
}

// placeOf gives a flag by its longest name, and the name of its value, "" for none.
func placeOf(f cli.Flag) (written, value string) {
	for _, n := range f.Names() {
		if d := dashed(n); len(d) > len(written) {
			written = d
		}
	}
	form, _ := formOf(f)
	if _, last, ok := strings.Cut(form[strings.LastIndex(form, written):], written); ok {
		value = strings.TrimSpace(last)
	}
	return written, value
}

// formIn is a flag as offerFor knows it: --path P.
func formIn(f cli.Flag) string {
	written, value := placeOf(f)
	return strings.TrimSpace(written + " " + value)
}

// add offers words, each once. What could not be typed, or would not be shown as it is,
// is left out: names come from elsewhere.
func (o *offers) add(kind, about string, words ...string) {
	for _, w := range words {
		w = o.lead + w
		if o.seen[w] || w == "" || strings.ContainsAny(w, "\t\n\r") || render.Safe(w) != w {
			continue
		}
		o.seen[w] = true
		about = strings.Join(strings.Fields(render.Safe(about)), " ")
		o.list = append(o.list, candidate{w, about, kind})
	}
}

// flags offers the command's flags, each by one name. Those that were given stay out,
// but for those that may be repeated.
func (o *offers) flags() {
	for _, f := range o.typed.command.flags {
		_, repeated := f.(*cli.StringSliceFlag)
		if o.typed.given(f) && !repeated {
			continue
		}
		written, _ := placeOf(f)
		for _, n := range f.Names() {
			if dashed(n) == o.word {
				written = o.word
			}
		}
		_, usage := formOf(f)
		o.add("options", usage, written)
	}
}

// commands offers those commands that know the flags which stand before them.
func (o *offers) commands(context.Context) error {
	for _, e := range commands() {
		if o.knows(e) {
			o.add("commands", e.short, e.name)
		}
	}
	if len(o.typed.flags) == 0 && o.typed.command.name != "help" {
		o.add("commands", "tell of a command", "help")
	}
	return nil
}

// knows says whether a command knows the flags before it.
func (o *offers) knows(e entry) bool {
	if len(o.typed.flags) == 0 { // nearly always, and forty commands need not be built
		return true
	}
	flags := e.make(new(globals)).flags
	for _, tok := range o.typed.flags {
		if lookup(flags, tok.flag.Names()[0]) == nil {
			return false
		}
	}
	return true
}

func (o *offers) files(context.Context) error {
	o.shell = shellFiles
	return nil
}

func (o *offers) directories(context.Context) error {
	o.shell = shellDirectories
	return nil
}
