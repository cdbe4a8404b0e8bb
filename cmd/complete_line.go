package cmd

import (
	"slices"
	"strings"

	"github.com/urfave/cli/v2"
)

// typed is a command line as far as it is typed: what stands before the word that is to
// be completed, and that word.
type typed struct {
	command *command // nil: there is no such command
	word    string
	flags   []token  // that are given
	args    []string // that stand before the word, without the flags
	waiting cli.Flag // whose value the word is; nil for none
	literal bool     // `--` stands before the word
	behind  bool     // and the command keeps apart what stands behind it
}

// standIn is read in place of the word to complete: as text, name and number alike.
const standIn = "0"

// readTyped reads a command line (without the program's name) whose last word is to be
// completed. What is wrong before it is left out, and no reason to be silent: it may
// be mended later.
func readTyped(words []string) typed {
	last := len(words) - 1
	args := append(slices.Clone(words[:last]), standIn)
	root := newContext(new(globals))
	t := typed{command: root, word: words[last]}
	named := -1
	t.read(root.flags, args, func(at int) bool {
		if named < 0 && at < last {
			named = at
		}
		return named < 0
	})
	if named < 0 {
		return t
	}
	name, rest := args[named], slices.Concat(args[:named], args[named+1:])
	t = typed{word: t.word}
	switch e, err := find(name); {
	case name == "help":
		t.command = helpCommand()
	case err == nil:
		t.command = e.make(new(globals))
	default:
		return t
	}
	t.read(t.command.flags, t.command.shield(rest), func(int) bool { return true })
	return t
}

// helpCommand is `help`, which is no command like others: it knows no flags.
func helpCommand() *command { return &command{name: "help", usage: []string{"help [COMMAND]"}} }

// read takes flags and arguments apart, up to the word that is to be completed, and
// tells each of where an argument stands; false ends it.
func (t *typed) read(flags []cli.Flag, args []string, each func(at int) bool) {
	s := scanner{flags: flags, args: args}
	for {
		from := s.next
		tok, ok, err := s.scan()
		last := s.next == len(args)
		switch {
		case err != nil:
			s.cluster = "" // an unknown flag, or a value that is none
			if last {
				return
			}
		case !ok:
			return
		case tok.flag == nil && !each(s.next-1):
			return
		case tok.flag == nil:
			t.enter(s.literal)
			if last {
				return
			}
			t.args = append(t.args, tok.value)
		case last && !tok.bare && from < len(args)-1:
			t.waiting = tok.flag
			return
		default:
			t.flags = append(t.flags, tok)
		}
	}
}

// enter notes that `--` was passed. What is kept apart behind it is counted anew.
func (t *typed) enter(literal bool) {
	if literal && !t.literal && t.command.behind != nil {
		t.behind, t.args = true, nil
	}
	t.literal = literal
}

// given says whether a flag stands before the word.
func (t *typed) given(f cli.Flag) bool {
	return f != nil && slices.ContainsFunc(t.flags, func(tok token) bool { return tok.flag == f })
}

// values are those that a flag was given, by its first name.
func (t *typed) values(name string) (all []string) {
	for _, tok := range t.flags {
		if slices.Contains(tok.flag.Names(), name) {
			all = append(all, tok.value)
		}
	}
	return all
}

// inWord cuts the word where the value of a flag begins in it: --name=VALUE, -nVALUE.
func (t *typed) inWord() (f cli.Flag, written, value string) {
	if t.command == nil || t.literal || !strings.HasPrefix(t.word, "-") {
		return nil, "", ""
	}
	name, value, equals := strings.Cut(strings.TrimPrefix(t.word, "--"), "=")
	switch long := strings.HasPrefix(t.word, "--"); {
	case long && !equals || !long && len(t.word) < 3:
		return nil, "", ""
	case !long:
		name = t.word[1:2]
		value = strings.TrimPrefix(t.word[2:], "=")
	}
	if f = lookup(t.command.flags, name); f == nil || kindOf(f) == kindSwitch {
		return nil, "", ""
	}
	return f, t.word[:len(t.word)-len(value)], value
}
