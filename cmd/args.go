package cmd

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/urfave/cli/v2"
)

// token is one flag with its value, or one argument.
type token struct {
	flag  cli.Flag // nil: an argument
	value string   // the flag's value, or the argument
	bare  bool     // a flag without a value
}

// scanner reads a command line the way git does: flags and arguments in any
// order, `--flag value`, `--flag=value`, `-f value`, `-fvalue`, `-abc` for
// three switches, and everything after `--` an argument. A flag that wants a
// value takes the next word whatever it looks like, so that `-m '-x'` is a
// message. Which flags take a value it reads from their definitions.
type scanner struct {
	flags   []cli.Flag
	args    []string
	next    int    // the word to read next
	cluster string // the letters of -abc that are not read yet
	literal bool   // `--` has been seen
}

// scan returns the next token; ok is false at the end.
func (s *scanner) scan() (t token, ok bool, err error) {
	if s.cluster != "" {
		t, err = s.short()
		return t, true, err
	}
	if s.next == len(s.args) {
		return token{}, false, nil
	}
	word := s.args[s.next]
	s.next++
	switch {
	case s.literal || word == "-" || !strings.HasPrefix(word, "-"):
		return token{value: word}, true, nil
	case word == "--":
		s.literal = true
		return s.scan()
	case strings.HasPrefix(word, "--"):
		t, err = s.long(word)
	default:
		s.cluster = word[1:]
		t, err = s.short()
	}
	return t, true, err
}

// long reads --name, --name=value or --name value.
func (s *scanner) long(word string) (token, error) {
	name, value, inline := strings.Cut(word[2:], "=")
	f := lookup(s.flags, name)
	if f == nil || len(name) == 1 {
		return token{}, unknownFlag(s.flags, "--"+name)
	}
	return s.value(f, "--"+name, value, inline)
}

// short reads one letter of -abc, -fvalue, -f=value or -f value.
func (s *scanner) short() (token, error) {
	letter, rest := s.cluster[:1], s.cluster[1:]
	f := lookup(s.flags, letter)
	if n := lookup(s.flags, "n"); f == nil && n != nil && strings.Trim(s.cluster, "0123456789") == "" {
		f, letter, rest = n, "n", "="+s.cluster // -3, as git log has it
	}
	if f == nil {
		return token{}, unknownFlag(s.flags, "-"+s.cluster)
	}
	if kindOf(f) == kindSwitch && !strings.HasPrefix(rest, "=") {
		s.cluster = rest
		return token{flag: f, bare: true}, nil
	}
	s.cluster = ""
	value, equals := strings.CutPrefix(rest, "=")
	return s.value(f, "-"+letter, value, equals || rest != "")
}

// value reads the value of a flag, from the same word or the next one.
func (s *scanner) value(f cli.Flag, written, value string, inline bool) (token, error) {
	kind := kindOf(f)
	switch {
	case kind == kindSwitch && inline:
		return token{}, usagef("flag '%s' takes no value", written)
	case kind == kindSwitch:
		return token{flag: f, bare: true}, nil
	case !inline && (kind == kindInline || kind == kindOptional && !s.hasValue()):
		return token{flag: f, bare: true}, nil
	case !inline && s.next == len(s.args):
		return token{}, usagef("flag '%s' needs a value", written)
	case !inline:
		value = s.args[s.next]
		s.next++
	}
	if kind == kindName && value == "" {
		return token{}, usagef("flag '%s' needs a value", written)
	}
	if kind == kindNumber {
		n, err := strconv.Atoi(value)
		if err != nil || n < 0 {
			return token{}, usagef("flag '%s' needs a number, not '%s'", written, value)
		}
		value = strconv.Itoa(n) // cli would read 010 as eight
	}
	return token{flag: f, value: value}, nil
}

// hasValue reports whether the next word can be the value of a flag whose value
// is optional.
func (s *scanner) hasValue() bool {
	return s.next < len(s.args) && !strings.HasPrefix(s.args[s.next], "-")
}

// permute puts the flags of a command line in front, each as --name=value
// under its first name, then `--`, then the arguments: the one form that
// urfave/cli reads without surprises (it stops at the first argument, and a
// value that begins with a dash is an error to it).
func permute(flags []cli.Flag, args []string) ([]string, error) {
	var front, rest []string
	s := scanner{flags: flags, args: args}
	for {
		t, ok, err := s.scan()
		switch {
		case err != nil:
			return nil, err
		case !ok:
			return append(append(front, "--"), rest...), nil
		case t.flag == nil:
			rest = append(rest, t.value)
		case t.bare && kindOf(t.flag) == kindSwitch:
			front = append(front, "--"+t.flag.Names()[0])
		default:
			front = append(front, "--"+t.flag.Names()[0]+"="+t.value)
		}
	}
}

// shield puts `--` before the program that a command runs, so that the program's flags
// are not read as ours: `bisect run go test -v`, `exec go test -v`.
func (c *command) shield(args []string) []string {
	s := scanner{flags: c.flags, args: args}
	for seen := 0; c.program != ""; {
		t, ok, err := s.scan()
		switch {
		case err != nil || !ok || s.literal: // permute says what is wrong
			return args
		case t.flag != nil:
			continue
		}
		if seen++; seen == 1 && t.value != c.program && c.program != c.name {
			return args
		}
		if seen == 2 || c.program == c.name {
			return slices.Concat(args[:s.next-1], []string{"--"}, args[s.next-1:])
		}
	}
	return args
}

// cutGitArgs returns a command line without `--` and the words behind it, which it stores
// for the commands that hand them to git.
func (c *command) cutGitArgs(args []string) ([]string, error) {
	s := scanner{flags: c.flags, args: args}
	for c.gitArgs != nil {
		_, ok, err := s.scan()
		if err != nil {
			return nil, err
		}
		if s.literal {
			at := s.next // scan may have read one word behind `--`
			if ok {
				at--
			}
			*c.gitArgs = args[at:]
			return args[:at-1], nil
		}
		if !ok {
			break
		}
	}
	return args, nil
}

// findCommand splits a command line at the command's name: the first word that
// is neither a flag of CONTEXT nor such a flag's value. Without one, command
// is empty and everything belongs to CONTEXT.
func findCommand(flags []cli.Flag, args []string) (before []string, command string, after []string, err error) {
	s := scanner{flags: flags, args: args}
	for {
		t, ok, err := s.scan()
		if err != nil || !ok {
			return args, "", nil, err
		}
		if t.flag == nil && s.literal {
			return nil, "", nil, usagef("unexpected argument '%s'", t.value)
		}
		if t.flag == nil {
			return args[:s.next-1], t.value, args[s.next:], nil
		}
	}
}

func lookup(flags []cli.Flag, name string) cli.Flag {
	for _, f := range flags {
		for _, n := range f.Names() {
			if n == name {
				return f
			}
		}
	}
	return nil
}

func unknownFlag(flags []cli.Flag, written string) error {
	var names []string
	for _, f := range flags {
		for _, n := range f.Names() {
			names = append(names, dashed(n))
		}
	}
	err := usagef("unknown flag '%s'", written)
	if name := strings.TrimPrefix(written, "--"); name != written && strings.Contains(name, "colo") {
		return err.hint("git -c color.ui=never context").hint("NO_COLOR=1 git context")
	}
	if near := nearest(written, names); near != "" {
		err.hints = append(err.hints, fmt.Sprintf("did you mean '%s'?", near))
	}
	return err
}

func dashed(name string) string {
	if len(name) == 1 {
		return "-" + name
	}
	return "--" + name
}
