package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/git-context/git-context/cmd"
	"github.com/git-context/git-context/internal/gittest"
)

// sources are the texts of docs/man by their names.
func sources(t *testing.T) map[string]string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(texts, "*.md"))
	if err != nil || len(files) == 0 {
		t.Fatal("no texts", err)
	}
	all := map[string]string{}
	for _, f := range files {
		text, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		all[strings.TrimSuffix(filepath.Base(f), ".md")] = string(text)
	}
	return all
}

// A page that is named exists, here or among git's own.
func TestPagesThatAreNamedExist(t *testing.T) {
	t.Parallel()
	_, pages := made(t)
	theirs := gitPages(t)
	for name, page := range pages {
		text := plain(page)
		if see := sectionOf(text, sectionSeeAlso); !strings.Contains(see, ")") {
			t.Errorf("%s has no %s", name, sectionSeeAlso)
		}
		for _, m := range regexp.MustCompile(`\b(git[a-z-]*)\(([1-9])\)`).FindAllStringSubmatch(text, -1) {
			if _, ours := pages[m[1]+"."+m[2]]; !ours && !theirs[m[1]] {
				t.Errorf("%s names %s", name, m[0])
			}
			if strings.HasPrefix(m[1], "git-context") && strings.Contains(sectionOf(text, sectionSeeAlso), m[0]+", "+m[0]) {
				t.Errorf("%s names %s twice", name, m[0])
			}
		}
	}
}

// gitPages are the names of git's own pages.
func gitPages(t *testing.T) map[string]bool {
	t.Helper()
	pages := map[string]bool{"git": true}
	for _, list := range []string{"main", "list-guide", "list-userinterfaces"} {
		out, err := exec.Command("git", "--list-cmds="+list).Output()
		if err != nil {
			t.Logf("git --list-cmds=%s: %v", list, err) // an older one
		}
		for _, name := range strings.Fields(string(out)) {
			if list == "main" {
				pages["git-"+name] = true
			}
			pages["git"+strings.TrimPrefix(name, "git")] = true
		}
	}
	return pages
}

// mention is a command that a text tells of, with what stands behind it.
type mention struct{ command, rest string }

// mentions are the commands of a text: what is literal and begins with git, to the end
// of the literal, of the line, or of the shell's command.
func mentions(text, program string) []mention {
	var found []mention
	for _, m := range regexp.MustCompile(`(?m)(?:`+"`"+`|^(?:\$ )?|[;(|] *)`+program+` (-?[a-z][a-z-]*|[A-Z-])([^`+"`"+`\n;|]*)`).FindAllStringSubmatch(text, -1) {
		found = append(found, mention{m[1], m[1+1]})
	}
	return found
}

// optionsOf are the long options of a command line, with their values where these
// stand in the same word.
func optionsOf(rest string) []string {
	var found []string
	for _, m := range regexp.MustCompile(`(?:^|[\s(])(--[a-z][a-z-]*(?:=\S+)?)`).FindAllStringSubmatch(rest, -1) {
		found = append(found, m[1])
	}
	return found
}

// knows says whether a command has an option of that name.
func knows(c cmd.Page, option string) bool {
	option, _, _ = strings.Cut(option, "=")
	return slices.ContainsFunc(c.Options, func(o cmd.Option) bool {
		return slices.Contains(regexp.MustCompile(`--?[A-Za-z][a-z-]*`).FindAllString(o.Form, -1), option)
	})
}

// The commands that texts tell of exist, and have the options that stand behind them;
// any other option is one of the page's own command.
func TestCommandsAndOptionsThatAreNamedExist(t *testing.T) {
	t.Parallel()
	commands := map[string]cmd.Page{"help": {}}
	for _, c := range cmd.Manual() {
		commands[c.Name] = c
	}
	for name, text := range sources(t) {
		for _, m := range mentions(text, "git context") {
			c, ok := commands[m.command]
			if !ok && strings.HasPrefix(m.command, "-") {
				c, ok = commands[""], true
				m.rest = m.command + m.rest
			}
			if !ok && m.command != strings.ToUpper(m.command) {
				t.Errorf("%s: no command 'git context %s'", name, m.command)
			}
			for _, option := range optionsOf(m.rest) {
				if !knows(c, option) {
					t.Errorf("%s: 'git context %s' has no %s", name, m.command, option)
				}
			}
		}
		own, isCommand := commands[strings.TrimPrefix(strings.TrimPrefix(name, "git-context"), "-")]
		loose := regexp.MustCompile("(?s)```.*?```|`git [^`]*`").ReplaceAllString(text, "")
		for _, option := range regexp.MustCompile(`--[a-z][a-z-]*`).FindAllString(loose, -1) {
			if isCommand && !knows(own, option) || !isCommand && !slices.ContainsFunc(cmd.Manual(), func(c cmd.Page) bool { return knows(c, option) }) {
				t.Errorf("%s: there is no %s", name, option)
			}
		}
	}
}

// So do git's own.
func TestGitsCommandsThatAreNamedExist(t *testing.T) {
	t.Parallel()
	t.Log("PATH: " + gittest.Path())
	dir := t.TempDir()
	for _, args := range [][]string{{"init", "-q"}, {"-c", "user.name=A", "-c", "user.email=a@example.com", "commit", "-q", "--allow-empty", "-m", "one"}} {
		if out, err := exec.Command("git", append([]string{"-C", dir}, args...)...).CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
	}
	pages := gitPages(t)
	for name, text := range sources(t) {
		for _, m := range mentions(text, "git") {
			if m.command == "context" || strings.HasPrefix(m.command, "-") {
				continue
			}
			if !pages["git-"+m.command] {
				t.Errorf("%s: no command 'git %s'", name, m.command)
			}
			for _, option := range optionsOf(m.rest) {
				if !gitKnows(dir, m.command, option) {
					t.Errorf("%s: 'git %s' has no %s", name, m.command, option)
				}
			}
		}
	}
}

// gitKnows asks git: its list of options, which a newer one writes as --[no-]shared, and the list of
// the form that has this option, since a newer git config has subcommands. Else it is what git says to
// the option.
func gitKnows(dir, command, option string) bool {
	name, _, _ := strings.Cut(option, "=")
	listed := regexp.MustCompile(`[ [(|,]` + regexp.QuoteMeta(name) + `\b`)
	for _, asked := range [][]string{{command, "-h"}, {command, name, "-h"}} {
		out, _ := exec.Command("git", append([]string{"-C", dir}, asked...)...).CombinedOutput() // which is a failure to git
		if listed.Match(bytes.ReplaceAll(out, []byte("[no-]"), nil)) {
			return true
		}
		if command == "log" || command == "diff" {
			break
		}
	}
	if command != "log" && command != "diff" {
		return false
	}
	out, _ := exec.Command("git", "-C", dir, command, option, "-n1").CombinedOutput()
	return !regexp.MustCompile(`unrecognized|unknown|invalid option|usage:`).Match(out)
}
