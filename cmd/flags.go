package cmd

import (
	"flag"
	"strings"

	"github.com/urfave/cli/v2"
)

// The kinds of flag, as the scanner needs to know them.
type flagKind int

const (
	kindText     flagKind = iota // takes a value
	kindName                     // takes a value that is not empty
	kindNumber                   // takes a number that is not negative
	kindSwitch                   // takes none
	kindOptional                 // takes the next word unless it is a flag
	kindInline                   // takes the rest of the same word
)

// optionalFlag is a text flag whose value is optional: `--metadata [SEGMENT]`. given
// receives whether the flag is there, with or without a value.
type optionalFlag struct {
	*cli.StringFlag
	given *bool
}

// Apply registers the flag; urfave/cli calls it.
func (f optionalFlag) Apply(set *flag.FlagSet) error {
	set.Func(f.Name, f.Usage, func(value string) error {
		*f.given, *f.Destination = true, value
		return nil
	})
	return nil
}

// inlineFlag is a text flag whose optional value is in the same word: `-S[KEYID]`.
type inlineFlag struct{ optionalFlag }

// nameFlag is a text flag that refuses an empty value: most likely that is a shell variable
// that is not set, and to ignore the flag would answer another question.
type nameFlag struct{ *cli.StringFlag }

func kindOf(f cli.Flag) flagKind {
	switch f.(type) {
	case nameFlag:
		return kindName
	case *cli.BoolFlag:
		return kindSwitch
	case *cli.IntFlag, *cli.Int64Flag:
		return kindNumber
	case optionalFlag:
		return kindOptional
	case inlineFlag:
		return kindInline
	default:
		return kindText
	}
}

// The constructors below take a flag as help shows it, `-m, --message TEXT`, so that
// definition, parser and help agree.

func text(to *string, form, usage string) cli.Flag {
	name, more, value := parseForm(form)
	return &cli.StringFlag{Name: name, Aliases: more, Usage: placeholder(value, usage), Destination: to}
}

func named(to *string, form, usage string) cli.Flag {
	name, more, value := parseForm(form)
	return nameFlag{&cli.StringFlag{Name: name, Aliases: more, Usage: placeholder(value, usage), Destination: to}}
}

// texts keeps every value of a repeated flag as it is: no splitting at commas
// (the application turns that off), no trimming.
func texts(to *cli.StringSlice, form, usage string) cli.Flag {
	name, more, value := parseForm(form)
	return &cli.StringSliceFlag{
		Name: name, Aliases: more, Usage: placeholder(value, usage), Destination: to, KeepSpace: true,
	}
}

func toggle(to *bool, form, usage string) cli.Flag {
	name, more, _ := parseForm(form)
	return &cli.BoolFlag{Name: name, Aliases: more, Usage: usage, Destination: to}
}

func optional(given *bool, to *string, form, usage string) cli.Flag {
	name, more, value := parseForm(form)
	f := &cli.StringFlag{Name: name, Aliases: more, Usage: placeholder(value, usage), Destination: to}
	return optionalFlag{f, given}
}

// inline takes the form `-S, --gpg-sign [=KEYID]`.
func inline(given *bool, to *string, form, usage string) cli.Flag {
	name, more, value := parseForm(form)
	f := &cli.StringFlag{Name: name, Aliases: more, Usage: placeholder(value, usage), Destination: to}
	return inlineFlag{optionalFlag{f, given}}
}

func number(to *int, form string, value int, usage string) cli.Flag {
	name, more, unit := parseForm(form)
	return &cli.IntFlag{Name: name, Aliases: more, Usage: placeholder(unit, usage), Value: value, Destination: to}
}

// placeholder joins the placeholder of a value with what the flag does, as urfave/cli does.
func placeholder(value, usage string) string { return "`" + value + "` " + usage }

// parseForm reads `-m, --message TEXT`.
func parseForm(form string) (name string, more []string, value string) {
	form, value, _ = strings.Cut(form, " ")
	for strings.HasSuffix(form, ",") {
		var next string
		more = append(more, strings.Trim(form, "-,"))
		next, value, _ = strings.Cut(value, " ")
		form = next
	}
	names := append(more, strings.TrimLeft(form, "-"))
	return names[0], names[1:], value
}

// formOf returns a flag as help shows it, and what it does.
func formOf(f cli.Flag) (form, usage string) {
	names, value, usage := partsOf(f)
	return strings.Join(names, ", ") + value, usage
}

// partsOf returns the names of a flag with their dashes, the placeholder of its value with
// the space before it, and what the flag does.
func partsOf(f cli.Flag) (names []string, value, usage string) {
	for _, n := range f.Names() {
		names = append(names, dashed(n))
	}
	if d, ok := f.(cli.DocGenerationFlag); ok {
		usage = d.GetUsage()
	}
	if strings.HasPrefix(usage, "`") {
		value, usage, _ = strings.Cut(usage[1:], "` ")
		if !strings.HasPrefix(value, "[=") {
			value = " " + value
		}
	}
	return names, value, usage
}

// single removes the aliases of flags after permute has resolved them: urfave/cli copies
// values between aliases, those of lists through JSON, which turns invalid UTF-8 into
// U+FFFD silently.
func single(flags []cli.Flag) []cli.Flag {
	for _, f := range flags {
		switch f := f.(type) {
		case *cli.StringFlag:
			f.Aliases = nil
		case nameFlag:
			f.Aliases = nil
		case *cli.StringSliceFlag:
			f.Aliases = nil
		case *cli.BoolFlag:
			f.Aliases = nil
		}
	}
	return flags
}

// join joins groups of flags.
func join(groups ...[]cli.Flag) []cli.Flag {
	var all []cli.Flag
	for _, g := range groups {
		all = append(all, g...)
	}
	return all
}
