package cmd

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/urfave/cli/v2"
	"pgregory.net/rapid"
)

// parsed is what a command line comes to.
type parsed struct {
	Message    []string
	Purpose    string
	Keep, JSON bool
	N          int
	Given      bool
	Segment    string
	Sign       bool
	Key        string
	Args       []string
}

// parse runs a command line through permute and urfave/cli, as every command
// does.
func parse(args []string) (parsed, error) {
	var p parsed
	var m cli.StringSlice
	g := new(globals)
	c := &command{
		globals: g,
		flags: join([]cli.Flag{
			texts(&m, "-m, --message TEXT", ""),
			text(&p.Purpose, "--purpose TEXT", ""),
			named(new(string), "-F, --file FILE", ""),
			toggle(&p.Keep, "-k, --keep", ""),
			number(&p.N, "-n, --number N", 7, ""),
			optional(&p.Given, &p.Segment, "--metadata [SEGMENT]", ""),
			inline(&p.Sign, &p.Key, "-S, --gpg-sign [=KEYID]", ""),
		}, g.common()),
		most: unlimited,
		action: func(_ context.Context, _ *Env, args []string) error {
			p.Args = args
			return nil
		},
	}
	err := c.invoke(context.Background(), &Env{}, args)
	p.Message, p.JSON = m.Value(), g.json
	return p, err
}

func TestParse(t *testing.T) {
	for _, test := range []struct {
		line string // words divided by |
		want parsed
	}{
		{"", parsed{N: 7}},
		{"a|--keep|b", parsed{N: 7, Keep: true, Args: []string{"a", "b"}}},
		{"a|-m|x|b|--message=y|-mz", parsed{N: 7, Message: []string{"x", "y", "z"}, Args: []string{"a", "b"}}},
		{"-m|-x|--purpose|--keep", parsed{N: 7, Message: []string{"-x"}, Purpose: "--keep"}},
		{"-m|a, b", parsed{N: 7, Message: []string{"a, b"}}},
		{"-m| a \n", parsed{N: 7, Message: []string{" a \n"}}},
		{"-m|\xff", parsed{N: 7, Message: []string{"\xff"}}},
		{"-m=|--purpose=|-m|", parsed{N: 7, Message: []string{"", ""}}},
		{"--purpose=a=b", parsed{N: 7, Purpose: "a=b"}},
		{"--purpose|a|--purpose|b", parsed{N: 7, Purpose: "b"}},
		{"-n3|-n=4|--number|5", parsed{N: 5}},
		{"-n|010", parsed{N: 10}},
		{"-kn9|-|--|--json|--", parsed{N: 9, Keep: true, Args: []string{"-", "--json", "--"}}},
		{"--metadata|branch", parsed{N: 7, Given: true, Segment: "branch"}},
		{"--metadata|--json", parsed{N: 7, Given: true, JSON: true}},
		{"--metadata=-x|a", parsed{N: 7, Given: true, Segment: "-x", Args: []string{"a"}}},
		{"-S|key|--gpg-sign", parsed{N: 7, Sign: true, Args: []string{"key"}}},
		{"-Skm|-m|x", parsed{N: 7, Sign: true, Key: "km", Message: []string{"x"}}},
		{"-kS|--gpg-sign=a=b", parsed{N: 7, Keep: true, Sign: true, Key: "a=b"}},
		{"help|metadata|message", parsed{N: 7, Args: []string{"help", "metadata", "message"}}},
	} {
		got, err := parse(words(test.line))
		if err != nil {
			t.Errorf("%q: %v", test.line, err)
		}
		if diff := cmp.Diff(test.want, got, cmp.Comparer(slices.Equal[[]string])); diff != "" {
			t.Errorf("%q: %s", test.line, diff)
		}
	}
}

func words(line string) []string {
	if line == "" {
		return nil
	}
	return strings.Split(line, "|")
}

func TestParseUsageErrors(t *testing.T) {
	for line, want := range map[string]string{
		"--purpos|x":      "unknown flag '--purpos'\ndid you mean '--purpose'?",
		"--keeep":         "unknown flag '--keeep'\ndid you mean '--keep'?",
		"-z":              "unknown flag '-z'",
		"-json":           "unknown flag '-json'\ndid you mean '--json'?",
		"--m|x":           "unknown flag '--m'\ndid you mean '-m'?",
		"-kx":             "unknown flag '-x'",
		"-é":              "unknown flag '-é'",
		"-m":              "flag '-m' needs a value",
		"--keep=yes":      "flag '--keep' takes no value",
		"-k=1":            "flag '-k' takes no value",
		"--file|":         "flag '--file' needs a value",
		"-F=":             "flag '-F' needs a value",
		"--number|x":      "flag '--number' needs a number, not 'x'",
		"-n|-3":           "flag '-n' needs a number, not '-3'",
		"-n":              "flag '-n' needs a value",
		"--generate-bash": "unknown flag '--generate-bash'",
	} {
		_, err := parse(words(line))
		if !errors.Is(err, errUsage) {
			t.Errorf("%q: %v is no usage error", line, err)
			continue
		}
		got := strings.Join(append([]string{err.Error()}, hintsOf(err)...), "\n")
		if !strings.HasPrefix(got, want) || !strings.Contains(want, "\n") && strings.Contains(got, "\n") {
			t.Errorf("%q: %q, want %q", line, got, want)
		}
	}
}

// unit is one flag with its value, or one argument: what may stand anywhere.
func unit(t *rapid.T) []string {
	value := rapid.StringMatching(`[-=a-z ,"']{0,6}`)
	switch rapid.IntRange(0, 8).Draw(t, "kind") {
	case 0:
		return []string{"--keep"}
	case 1:
		return []string{"-k"}
	case 2:
		return []string{"--json"}
	case 3:
		return []string{"-m", value.Draw(t, "value")}
	case 4:
		return []string{"--message=" + value.Draw(t, "value")}
	case 5:
		return []string{"--purpose", value.Draw(t, "value")}
	case 6:
		return []string{"-n" + rapid.StringMatching(`[0-9]{1,5}`).Draw(t, "number")}
	case 7:
		return []string{"--metadata=" + value.Draw(t, "value")}
	default:
		return []string{rapid.StringMatching(`[a-z]{1,6}|-`).Draw(t, "argument")}
	}
}

// A command line means the same wherever its flags stand among its arguments,
// as long as flags keep their order among flags, and arguments among arguments.
func TestFlagsMayStandAnywhere(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		units := rapid.SliceOfN(rapid.Custom(unit), 0, 8).Draw(t, "units")
		var flags, args, mixed []string
		for _, u := range units {
			mixed = append(mixed, u...)
			if u[0] == "-" || !strings.HasPrefix(u[0], "-") {
				args = append(args, u...)
			} else {
				flags = append(flags, u...)
			}
		}
		got, err := parse(mixed)
		if err != nil {
			t.Fatalf("%q: %v", mixed, err)
		}
		for _, line := range [][]string{
			slices.Concat(flags, args),
			slices.Concat(args, flags),
			slices.Concat(flags, []string{"--"}, args),
		} {
			want, err := parse(line)
			if err != nil {
				t.Fatalf("%q: %v", line, err)
			}
			if diff := cmp.Diff(want, got, cmp.Comparer(slices.Equal[[]string])); diff != "" {
				t.Fatalf("%q against %q: %s", line, mixed, diff)
			}
		}
	})
}

func TestFindCommand(t *testing.T) {
	for _, test := range []struct{ line, before, name, after string }{
		{"", "", "", ""},
		{"record|-o|x", "", "record", "-o|x"},
		{"-b|x|record|-o|y", "-b|x", "record", "-o|y"},
		{"--branch|x|record", "--branch|x", "record", ""},
		{"--json|-C|d|branch", "--json|-C|d", "branch", ""},
		{"--branch|record", "--branch|record", "", ""},
		{"--metadata|branch", "--metadata|branch", "", ""},
		{"--metadata|--json|switch|x", "--metadata|--json", "switch", "x"},
		{"--log|--steps|5", "--log|--steps|5", "", ""},
	} {
		flags := newContext(new(globals)).flags
		before, name, after, err := findCommand(flags, words(test.line))
		got := struct{ line, before, name, after string }{
			test.line, strings.Join(before, "|"), name, strings.Join(after, "|"),
		}
		if err != nil || got != test {
			t.Errorf("%q: %+v, %v", test.line, got, err)
		}
	}
}
