//go:build unix

package test

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/git-context/git-context/cmd"
)

// A page that is not run names commands, too, within its text: those there are, with
// the options that they have.
func TestPagesNameCommands(t *testing.T) {
	t.Parallel()
	named := 0
	for _, page := range allPages(t) {
		for _, m := range inlineCommand.FindAllStringSubmatch(readPage(t, page), -1) {
			named++
			if wrong := misnamed(m[1]); wrong != "" {
				t.Errorf("%s: `git context%s`: %s", page, m[1], wrong)
			}
		}
	}
	if named < 50 {
		t.Errorf("only %d commands were found", named)
	}
}

// Links lead to files and headings that there are.
func TestPagesLink(t *testing.T) {
	t.Parallel()
	for _, page := range append(allPages(t), "../CONTRIBUTING.md") {
		for _, m := range link.FindAllStringSubmatch(readPage(t, page), -1) {
			file := page
			if m[1] != "" {
				file = filepath.Join(filepath.Dir(page), m[1])
			}
			if _, err := os.Stat(file); err != nil {
				t.Errorf("%s links %s: %v", page, m[1], err)
			} else if m[2] != "" && !slices.Contains(anchors(readPage(t, file)), m[2]) {
				t.Errorf("%s links %s, which has no heading %s", page, file, m[2])
			}
		}
	}
}

func allPages(t *testing.T) []string {
	t.Helper()
	pages, err := filepath.Glob("../docs/*.md")
	if err != nil {
		t.Fatal(err)
	}
	return append(pages, "../README.md")
}

// anchors are a page's headings as hosts link them.
func anchors(text string) (all []string) {
	for _, m := range heading.FindAllStringSubmatch(text, -1) {
		all = append(all, strings.ReplaceAll(unlinked.ReplaceAllString(strings.ToLower(m[1]), ""), " ", "-"))
	}
	return all
}

var (
	link     = regexp.MustCompile(`\]\(([\w./-]*)(?:#([\w-]+))?\)`)
	heading  = regexp.MustCompile(`(?m)^#+ (.*)$`)
	unlinked = regexp.MustCompile(`[^\w -]`)
)

var (
	inlineCommand = regexp.MustCompile("`git context((?: [^`]*)?)`")
	// What is quoted or comes from another command is an argument.
	argument = regexp.MustCompile(`'[^']*'|"[^"]*"|\$\([^)]*\)`)
	option   = regexp.MustCompile(`(?:^|[ \[(|])(--?[a-zA-Z][a-z-]*)`)
	word     = regexp.MustCompile(`^ ((?:-[bC] \S+ )*)([a-z]+)(?: |$)`)
)

// misnamed says what is wrong with a command line, behind "git context".
func misnamed(line string) string {
	line = argument.ReplaceAllString(line, "X")
	name := ""
	if m := word.FindStringSubmatch(line); m != nil {
		name, line = m[2], " "+line[len(m[0]):]
	}
	if name == "help" {
		return ""
	}
	all := cmd.Manual()
	i := slices.IndexFunc(all, func(p cmd.Page) bool { return p.Name == name })
	if i < 0 {
		return "there is no such command"
	}
	for _, m := range option.FindAllStringSubmatch(line, -1) {
		has := func(o cmd.Option) bool {
			return slices.ContainsFunc(option.FindAllStringSubmatch(o.Form, -1), func(f []string) bool { return f[1] == m[1] })
		}
		if !slices.ContainsFunc(all[i].Options, has) {
			return "it has no option " + m[1]
		}
	}
	return ""
}
