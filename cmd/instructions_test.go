package cmd

import (
	"slices"
	"strings"
	"testing"

	"github.com/git-context/git-context/hooks/settings"
)

// callsIn returns the words of the commands that a text of instructions shows: in back quotes, or on a
// line of its own that is indented. Texts in quotes are left out.
func callsIn(text string) (calls [][]string) {
	for line := range strings.Lines(text) {
		if code, indented := strings.CutPrefix(line, "    "); indented {
			line = "`" + strings.TrimSpace(code) + "`"
		}
		for i, code := range strings.Split(line, "`") {
			for at, text := range strings.Split(code, "'") {
				if at%2 == 1 {
					code = strings.Replace(code, "'"+text+"'", "", 1)
				}
			}
			if words := strings.Fields(code); i%2 == 1 && len(words) > 1 && words[0] == "git" && words[1] == "context" {
				calls = append(calls, words[2:])
			}
		}
	}
	return calls
}

// Instructions name commands, subcommands and options that exist.
func TestInstructionsNameCommandsThatExist(t *testing.T) {
	t.Parallel()
	named := 0
	for _, call := range append(callsIn(settings.Instructions()), callsIn(settings.Skill())...) {
		if len(call) == 0 || call[0] == "-h" || call[0] == "COMMAND" {
			continue
		}
		i := slices.IndexFunc(commands(), func(e entry) bool { return e.name == call[0] })
		if i < 0 {
			t.Errorf("there is no command '%s'", call[0])
			continue
		}
		named++
		c := commands()[i].make(&globals{})
		help := strings.Join(c.usage, "\n")
		for _, f := range c.flags {
			for _, name := range f.Names() {
				help += " " + dashed(name)
			}
		}
		known := strings.FieldsFunc(help, func(r rune) bool { return strings.ContainsRune(" |()[]\n=", r) })
		for j, word := range call[1:] {
			sub := j == 0 && (call[0] == "roadmap" || call[0] == "hooks") || j == 1 && call[1] == "todo"
			if (sub || strings.HasPrefix(word, "-")) && !slices.Contains(known, word) {
				t.Errorf("'%s' does not know %s", call[0], word)
			}
		}
	}
	if named < 25 {
		t.Errorf("only %d commands were found", named)
	}
}
