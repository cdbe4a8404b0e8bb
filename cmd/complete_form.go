package cmd

import (
	"slices"
	"strings"

	"github.com/urfave/cli/v2"
)

// The forms of a command line that its help shows say what may stand where, so that
// completion reads them: `tag NAME [C]`, `roadmap (milestone | todo) (add | done) TEXT`.
//
//	word      itself
//	WORD      an argument
//	-f, --f   a flag, with its value, wherever it stands: what is behind it is only for
//	          command lines that have it
//	( | )     one of them
//	[ ]       may be left out
//	...       close behind: once more; alone: anything
//
// Behind ` -- ` stands what is kept apart.

// expected is what may stand at a place of a form.
type expected struct {
	word string // to be typed as it is; "" for an argument
	name string // of the argument: NAME
	form string // the form up to the argument's name, by which its meaning may differ
}

// form reads one form against a command line.
type form struct {
	usage string
	next  int // where to read on
	typed *typed
	found []expected
}

// expect gives what may stand in the place of the word: by those of the command's forms
// that know most of the flags that are given.
func (t *typed) expect() []expected {
	if t.command.name == "" {
		return []expected{{name: "COMMAND"}} // which may stand behind any of CONTEXT's flags
	}
	var best []string
	most := 0
	for _, usage := range t.command.usage {
		head, tail, parted := strings.Cut(usage, " -- ")
		switch {
		case t.behind && !parted:
			continue
		case t.behind:
			best = append(best, tail)
			continue
		}
		switch known := t.known(head); {
		case known > most:
			best, most = []string{head}, known
		case known == most:
			best = append(best, head)
		}
	}
	var found []expected
	for _, usage := range best {
		f := form{usage: usage, typed: t}
		if !t.behind {
			f.token() // the command's name
		}
		f.any([]int{0})
		found = append(found, f.found...)
	}
	return found
}

// known counts the flags that are given and that a form shows.
func (t *typed) known(usage string) (n int) {
	var seen []cli.Flag
	f := form{usage: usage, typed: t}
	for tok := f.token(); tok != ""; tok = f.token() {
		if flag := f.flag(tok); t.given(flag) && !slices.Contains(seen, flag) {
			seen = append(seen, flag)
			n++
		}
	}
	return n
}

// token reads a word, a bracket, or dots; a space before dots that stand alone.
func (f *form) token() string {
	from := f.next
	for f.next < len(f.usage) && f.usage[f.next] == ' ' {
		f.next++
	}
	at := f.next
	if at == len(f.usage) {
		return ""
	}
	if strings.ContainsRune("[]()", rune(f.usage[at])) {
		f.next++
		return f.usage[at:f.next]
	}
	for f.next < len(f.usage) && !strings.ContainsRune(" []()", rune(f.usage[f.next])) {
		f.next++
	}
	word := f.usage[at:f.next]
	switch short := strings.TrimSuffix(word, "..."); {
	case word == "..." && (from < at || at == 0 || f.usage[at-1] == '['):
		return " ..."
	case short != word && short != "":
		f.next -= len("...")
		return short
	}
	return word
}

// peek is the token to come.
func (f *form) peek() string {
	at := f.next
	defer func() { f.next = at }()
	return f.token()
}

// flag is the flag that a token shows, whose value is then passed over; nil for none.
func (f *form) flag(tok string) cli.Flag {
	if len(tok) < 2 || tok[0] != '-' || tok == "--" {
		return nil
	}
	flag := lookup(f.typed.command.flags, strings.TrimLeft(tok, "-"))
	if flag == nil {
		return nil
	}
	switch kindOf(flag) {
	case kindSwitch, kindInline:
	case kindOptional: // [VALUE]
		for f.peek() != "" && f.token() != "]" {
		}
	default:
		f.token()
	}
	return flag
}

// any reads alternatives, up to what closes them or the end. From holds how many
// arguments may have been read before; so does what it returns, for behind.
func (f *form) any(from []int) []int {
	after := f.sequence(from)
	for f.peek() == "|" {
		f.token()
		after = union(after, f.sequence(from))
	}
	return after
}

func (f *form) sequence(from []int) []int {
	for {
		switch f.peek() {
		case "", "|", ")", "]":
			return from
		}
		from = f.item(from)
	}
}

// item reads a word or what stands in brackets, as often as it may stand.
func (f *form) item(from []int) []int {
	start := f.next
	after := f.once(from)
	if f.peek() != "..." {
		return after
	}
	f.token()
	end, seen := f.next, after
	for len(after) > 0 {
		f.next = start
		after = slices.DeleteFunc(f.once(after), func(n int) bool { return slices.Contains(seen, n) })
		seen = union(seen, after)
	}
	f.next = end
	return seen
}

func (f *form) once(from []int) []int {
	tok := f.token()
	flag := f.flag(tok)
	switch {
	case tok == "[":
		after := union(from, f.any(from))
		f.token()
		return after
	case tok == "(":
		after := f.any(from)
		f.token()
		return after
	case tok == " ...":
		return f.rest(from)
	case flag != nil && f.typed.given(flag):
		return from
	case flag != nil:
		return nil
	}
	return f.leaf(tok, from)
}

// rest reads any number of arguments.
func (f *form) rest(from []int) []int {
	var after []int
	for n := range len(f.typed.args) + 1 {
		if len(from) > 0 && n >= slices.Min(from) {
			after = append(after, n)
		}
	}
	return after
}

// leaf reads a word of the form, which stands for itself or for an argument, against one
// of the command line.
func (f *form) leaf(tok string, from []int) (after []int) {
	argument := strings.ToLower(tok) != tok
	for _, n := range from {
		switch {
		case n == len(f.typed.args) && argument:
			f.found = append(f.found, expected{name: tok, form: f.usage[:f.next]})
		case n == len(f.typed.args) && tok != "--":
			f.found = append(f.found, expected{word: tok})
		case n < len(f.typed.args) && (argument || f.typed.args[n] == tok):
			after = append(after, n+1)
		}
	}
	return after
}

// union holds what either list holds, each once.
func union(a, b []int) []int {
	all := slices.Clone(a)
	for _, n := range b {
		if !slices.Contains(all, n) {
			all = append(all, n)
		}
	}
	return all
}
