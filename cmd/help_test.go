package cmd

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"
)

// every builds all commands, CONTEXT first.
func every() []*command {
	all := []*command{newContext(new(globals))}
	for _, e := range commands() {
		all = append(all, e.make(new(globals)))
	}
	return all
}

func helpOf(t *testing.T, args ...string) string {
	t.Helper()
	var out, errs bytes.Buffer
	if exit := Run(t.Context(), &Env{Out: &out, Err: &errs}, args); exit != exitDone || errs.Len() > 0 {
		t.Fatalf("%q: exit %d: %s", args, exit, errs.String())
	}
	return out.String()
}

func TestHelpNamesExitCodes(t *testing.T) {
	for _, c := range every() {
		help := helpOf(t, wholeHelp(c)...)
		_, codes, found := strings.Cut(help, "\nExit codes\n")
		if !found || len(c.exits) < 2 {
			t.Errorf("'%s' names no exit codes", c.name)
		}
		for _, code := range c.exits {
			if !strings.Contains(codes, fmt.Sprintf("    %-4d%s\n", code, exitText(code))) || exitText(code) == "" {
				t.Errorf("'%s' does not explain exit code %d", c.name, code)
			}
		}
		if !slices.Contains(c.exits, exitDone) || !slices.Contains(c.exits, exitUsage) {
			t.Errorf("'%s' can be done and can be used wrongly: %v", c.name, c.exits)
		}
	}
}

// wholeHelp are the words that print the whole help of a command.
func wholeHelp(c *command) []string {
	if c.name == "" {
		return []string{"help", "-a"}
	}
	return []string{"help", c.name}
}

// An agent pays for every line of a help page.
func TestUsageIsShort(t *testing.T) {
	common := commonFlags()
	for _, c := range every()[1:] {
		help := helpOf(t, c.name, "-h")
		if n := strings.Count(help, "\n"); n > 25 {
			t.Errorf("'%s -h' has %d lines:\n%s", c.name, n, help)
		}
		for l := range strings.Lines(help) {
			if len(l) > 81 {
				t.Errorf("'%s -h' has a line of %d columns: %s", c.name, len(l)-1, l)
			}
		}
		for _, f := range c.flags {
			form, _ := formOf(f)
			own := lookup(common, f.Names()[0]) == nil && f.Names()[0] != "no-gpg-sign"
			if own != strings.Contains(help, "\n    "+form) {
				t.Errorf("'%s -h' has the flag %s: %v", c.name, form, !own)
			}
		}
		if !strings.HasSuffix(help, "\nmore: git context help "+c.name+"; common options: git context help options\n") {
			t.Errorf("'%s -h' does not say where more is", c.name)
		}
	}
	options := helpOf(t, "help", "options")
	for _, f := range common {
		if form, usage := formOf(f); !strings.Contains(options, form) || !strings.Contains(options, usage) {
			t.Errorf("'help options' does not explain %s", form)
		}
	}
}

// The short help is read at the beginning of many sessions.
func TestShortHelpIsShort(t *testing.T) {
	help := helpOf(t, "-h")
	if n := strings.Count(help, "\n"); n > 40 {
		t.Errorf("it has %d lines", n)
	}
	for l := range strings.Lines(help) {
		if len(l) > 81 {
			t.Errorf("a line of %d columns: %s", len(l)-1, l)
		}
	}
	for _, name := range []string{"init", "record", "commit", "remember", "branch", "switch", "merge", "log", "search", "sync", "status", "handover"} {
		if !strings.Contains(help, "\n    "+name+" ") {
			t.Errorf("'%s' is not in it", name)
		}
	}
	if help != helpOf(t, "help") {
		t.Error("'help' differs from '-h'")
	}
}

func TestHelpIsComplete(t *testing.T) {
	for _, c := range every() {
		help := helpOf(t, wholeHelp(c)...)
		if len(c.usage) == 0 || len(c.about) == 0 || len(c.examples) == 0 {
			t.Errorf("'%s' lacks a form, a description or an example", c.name)
		}
		for _, u := range c.usage {
			if c.name != "" && !strings.HasPrefix(u, c.name) {
				t.Errorf("a form of '%s' begins with %q", c.name, u)
			}
		}
		for _, f := range c.flags {
			form, usage := formOf(f)
			if usage == "" || !strings.Contains(help, "    "+form) {
				t.Errorf("'%s' does not explain %s", c.name, form)
			}
		}
		for l := range strings.Lines(help) {
			if len(l) > 81 && !strings.HasPrefix(l, "usage:") && !strings.HasPrefix(l, "   or:") && !strings.HasPrefix(l, "    git context") {
				t.Errorf("'%s': a line of %d columns: %s", c.name, len(l)-1, l)
			}
		}
	}
}

func TestEveryCommandKnowsTheCommonFlags(t *testing.T) {
	for _, c := range every() {
		for _, name := range []string{"json", "q", "quiet", "C", "h", "help"} {
			if lookup(c.flags, name) == nil {
				t.Errorf("'%s' does not know %s", c.name, dashed(name))
			}
		}
		seen := map[string]bool{}
		for _, f := range c.flags {
			for _, n := range f.Names() {
				if seen[n] {
					t.Errorf("'%s' has two flags named %s", c.name, dashed(n))
				}
				seen[n] = true
			}
		}
	}
}

func TestOverviewListsEveryCommand(t *testing.T) {
	overview := helpOf(t, "help", "-a")
	for _, e := range commands() {
		if !strings.Contains(overview, fmt.Sprintf("    %-11s%s\n", e.name, e.short)) {
			t.Errorf("'%s' is not listed", e.name)
		}
		if c := e.make(new(globals)); c.name != e.name {
			t.Errorf("'%s' is listed as '%s'", c.name, e.name)
		}
	}
}

func TestNearest(t *testing.T) {
	for _, test := range []struct{ word, want string }{
		{"recrod", "record"},
		{"swich", "switch"},
		{"brnach", "branch"},
		{"road", "roadmap"},
		{"comit", "commit"},
		{"quux", ""},
		{"x", ""},
	} {
		var names []string
		for _, e := range commands() {
			names = append(names, e.name)
		}
		if got := nearest(test.word, names); got != test.want {
			t.Errorf("%s: %q, want %q", test.word, got, test.want)
		}
	}
}
