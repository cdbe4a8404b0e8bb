package main

import (
	"bytes"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/git-context/git-context/cmd"
)

const (
	texts = "../../docs/man"
	codes = "../../refs/fail"
)

// made are the pages as they are installed, by their files' names, for man to read
// where they stand.
func made(t *testing.T) (dir string, pages map[string]string) {
	t.Helper()
	dir = t.TempDir()
	if err := write(texts, codes, dir, stamp{"v1.2.3", "2026-11-21"}); err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob(filepath.Join(dir, "man[157]", "*"))
	if err != nil {
		t.Fatal(err)
	}
	pages = map[string]string{}
	for _, f := range files {
		text, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		pages[filepath.Base(f)] = string(text)
	}
	return dir, pages
}

// plain is what a reader sees of a page: the lines that are no requests, without fonts,
// and with the characters that are spelt out.
func plain(page string) string {
	var b strings.Builder
	for line := range strings.Lines(page) {
		if title, ok := strings.CutPrefix(line, ".SH "); ok {
			b.WriteString("\n== " + title)
		}
		if !strings.HasPrefix(line, ".") {
			b.WriteString(line)
		}
	}
	return strings.NewReplacer(`\fB`, "", `\fI`, "", `\fP`, "", `\fR`, "", `\-`, "-", `\(aq`, "'", `\(ga`, "`",
		`\(ha`, "^", `\(ti`, "~", `\&`, "", `\e`, `\`).Replace(b.String())
}

// sectionOf is one section of what plain gives.
func sectionOf(page, title string) string {
	_, text, _ := strings.Cut(page, "\n== "+title+"\n")
	text, _, _ = strings.Cut(text, "\n== ")
	return text
}

// What help says of a command stands in its page; and there are no other pages.
func TestPagesSayWhatHelpSays(t *testing.T) {
	t.Parallel()
	_, pages := made(t)
	for _, c := range cmd.Manual() {
		name := pageName(c.Name)
		page := plain(pages[name+".1"])
		delete(pages, name+".1")
		if first := sectionOf(page, sectionName); first != name+" - "+c.Short+"\n" {
			t.Errorf("%s begins with %q", name, first)
		}
		options := "\n" + sectionOf(page, sectionOptions) + "\n"
		for _, o := range c.Options {
			if !strings.Contains(options, "\n"+o.Form+"\n"+o.Text+"\n") {
				t.Errorf("%s does not explain %s", name, o.Form)
			}
		}
		exits := "\n" + sectionOf(page, sectionExit)
		for _, e := range c.Exits {
			if !strings.Contains(exits, fmt.Sprintf("\n%d\n%s\n", e.Code, e.Text)) {
				t.Errorf("%s does not explain %d", name, e.Code)
			}
		}
		for title, lines := range map[string][]string{sectionSynopsis: c.Forms, sectionExamples: c.Examples} {
			text := strings.Join(strings.Fields(strings.ReplaceAll(sectionOf(page, title), "\\\n", "")), " ")
			for _, l := range lines {
				if !strings.Contains(text, strings.Join(strings.Fields(l), " ")) {
					t.Errorf("%s: %s lacks %q", name, title, l)
				}
			}
		}
	}
	if len(pages) != 2 || pages[formatsPage+".5"] == "" || pages[errorsPage+".7"] == "" {
		t.Errorf("pages of no command: %v", pages)
	}
}

// Every code of an error is a term of the page, followed by its sentence.
func TestErrorsAreListed(t *testing.T) {
	t.Parallel()
	_, pages := made(t)
	page := plain(pages[errorsPage+".7"])
	files, err := codeFiles(codes)
	if err != nil {
		t.Fatal(err)
	}
	var found [][]string
	for _, file := range files {
		source, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		found = append(found,
			regexp.MustCompile(`(?m)^\t[A-Z]\w+ += "([a-z-]+)"$`).FindAllStringSubmatch(string(source), -1)...)
	}
	if len(found) < 100 {
		t.Errorf("%d codes", len(found))
	}
	for _, m := range found {
		if _, text, ok := strings.Cut(page, "\n"+m[1]+"\n"); !ok || len(text) < 20 || text[:1] == strings.ToLower(text[:1]) && text[:3] != "git" {
			t.Errorf("%s is not listed: %.40q", m[1], text)
		}
	}
}

// A page says all of what help says of its command, in that order, but for sentences
// that it leaves out by name.
func TestDescriptionsAreWhole(t *testing.T) {
	t.Parallel()
	_, pages := made(t)
	for _, c := range cmd.Manual() {
		name := pageName(c.Name)
		source, err := os.ReadFile(filepath.Join(texts, name+".md"))
		if err != nil {
			t.Fatal(err)
		}
		may := strings.Count(string(source), "{{skip")
		text := words(sectionOf(plain(pages[name+".1"]), sectionDescription))
		for _, s := range sentences(c.About) {
			_, rest, found := strings.Cut(text, words(s))
			switch {
			case found:
				text = rest
			case may > 0 && strings.HasPrefix(s, "With --json"): // OUTPUT says it
				may--
			default:
				t.Errorf("%s does not say %q, or not in its place", name, s)
			}
		}
		if may > 0 {
			t.Errorf("%s leaves out what it says", name)
		}
	}
}

// words is a text without its lines, and without the quotes of commands.
func words(text string) string {
	return strings.Join(strings.Fields(regexp.MustCompile(`'((?:git |--?[a-z])[^']*)'`).ReplaceAllString(text, "$1")), " ")
}

// Nothing of the day, the machine or a map's order gets into a page.
func TestPagesAreTheSameAgain(t *testing.T) {
	t.Parallel()
	_, first := made(t)
	if _, again := made(t); !maps.Equal(first, again) {
		t.Fatal("the pages differ from those before")
	}
}

func TestPagesAreWellFormed(t *testing.T) {
	t.Parallel()
	dir, _ := made(t)
	files, err := filepath.Glob(filepath.Join(dir, "man[157]", "*"))
	if err != nil {
		t.Fatal(err)
	}
	for _, checker := range [][]string{
		{"groff", "-man", "-Tutf8", "-ww", "-z"},
		{"mandoc", "-Tlint", "-Wwarning"},
	} {
		t.Run(checker[0], func(t *testing.T) {
			t.Parallel()
			if _, err := exec.LookPath(checker[0]); err != nil {
				t.Skipf("*** SKIPPED %s: it is not installed", checker[0])
			}
			var said bytes.Buffer
			c := exec.Command(checker[0], append(checker[1:], files...)...)
			c.Stdout, c.Stderr = &said, &said
			if err := c.Run(); err != nil || said.Len() > 0 {
				t.Errorf("%v: %v\n%s", checker, err, &said)
			}
		})
	}
}

// The program that agents start does not pay for the library that makes pages.
func TestOnlyPagesNeedMarkdown(t *testing.T) {
	t.Parallel()
	out, err := exec.Command("go", "list", "-deps", "-tags", "urfave_cli_no_docs,urfave_cli_no_suggest", "../git-context").Output()
	if err != nil {
		t.Fatal(err)
	}
	if bytes.Contains(out, []byte("go-md2man")) || bytes.Contains(out, []byte("blackfriday")) {
		t.Error("git-context imports go-md2man")
	}
}
