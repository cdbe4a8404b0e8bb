//go:build unix

package test

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/git-context/git-context/internal/gittest"
)

// What the README shows is what happens: its commands are run, one after another
// in one shell's places, and print what stands below them. A reader has it in one
// view.
func TestReadme(t *testing.T) {
	t.Parallel()
	playPage(t, "../README.md", 8)
	if size, most := len(readPage(t, "../README.md")), 8000; size > most {
		t.Errorf("it has %d bytes, more than %d", size, most)
	}
}

// So do the examples, each section in a home of its own.
func TestExamples(t *testing.T) {
	gittest.NeedSHA1(t)
	t.Parallel()
	playSections(t, "../docs/examples.md", map[string]int{
		"A bug, an idea, a merge": 16, "A command is a step": 5, "Two agents, two clones": 20, "Asking the past": 24})
}

// So do the tutorial and the questions, each from its first line to its last.
func TestTutorial(t *testing.T) {
	gittest.NeedSHA1(t)
	t.Parallel()
	playPage(t, "../docs/tutorial.md", 100)
}

func TestFaq(t *testing.T) {
	t.Parallel()
	playPage(t, "../docs/faq.md", 20)
}

// And the recipe for workers.
func TestWorkersPage(t *testing.T) {
	t.Parallel()
	playPage(t, "../docs/workers.md", 12)
}

func playPage(t *testing.T, page string, least int) {
	t.Helper()
	if ran := play(t, readPage(t, page)); ran < least {
		t.Errorf("only %d commands were found", ran)
	}
}

func readPage(t *testing.T, page string) string {
	t.Helper()
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// playSections runs sections of a page, each with at least so many commands.
func playSections(t *testing.T, page string, sections map[string]int) {
	t.Helper()
	text := readPage(t, page)
	for title, least := range sections {
		t.Run(title, func(t *testing.T) {
			t.Parallel()
			_, rest, ok := strings.Cut(text, "\n## "+title+"\n")
			if !ok {
				t.Fatalf("%s has no such section", page)
			}
			if ran := play(t, toNextHeading(rest)); ran < least {
				t.Errorf("only %d commands were found", ran)
			}
		})
	}
}

// toNextHeading cuts a page at the next heading. A heading within a block is output.
func toNextHeading(text string) string {
	blocks := strings.Split(text, "```")
	for i := 0; i < len(blocks); i += 2 {
		if prose, _, found := strings.Cut(blocks[i], "\n## "); found {
			return strings.Join(append(blocks[:i], prose), "```")
		}
	}
	return text
}

// play runs the commands of a section and compares what they print. A block of a
// named language is to be read, or is for a machine that is not this one.
func play(t *testing.T, section string) (ran int) {
	t.Helper()
	w := newHome(t)
	here, err := filepath.Abs("..")
	if err == nil {
		err = os.Symlink(here, filepath.Join(w.dir, "git-context")) // where a reader has it
	}
	if err != nil {
		t.Fatal(err)
	}
	for i, block := range strings.Split(section, "```") {
		if i%2 == 0 {
			continue // prose
		}
		block, shell := strings.CutPrefix(block, "\n")
		if !shell {
			continue
		}
		for _, part := range strings.Split(block, "\n$ ") {
			command, want, _ := strings.Cut(strings.TrimPrefix(part, "$ "), "\n")
			if got := w.shell(command); plain(got) != plain(want) {
				t.Errorf("$ %s\n%s\nthe page has:\n%s", command, got, want)
			}
			ran++
		}
	}
	return ran
}

// plain takes out of an output what differs from run to run.
func plain(text string) string {
	for _, differs := range []string{`\b[0-9a-f]{7,40}\b`, `\b\d+ (second|minute)s? ago\b`, `\b\d+ objects\b`, `/\S*/hub\.git`, `\b[0-9.]+ (bytes|kB)`, `\b[0-9A-Z]{26}\b`, `\b\d{4}-\d\d-\d\d(T[0-9:]+Z| \d\d:\d\d)?`} {
		text = regexp.MustCompile(differs).ReplaceAllString(text, "…")
	}
	return strings.TrimSpace(text)
}

// shell runs a command line and goes where it goes.
func (w *world) shell(command string) string {
	w.t.Helper()
	where := filepath.Join(w.t.TempDir(), "where")
	cmd := w.command(nil, "sh", "-c", command+"\npwd >'"+where+"'")
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Run(); err != nil {
		w.t.Fatalf("%s: %v", command, err)
	}
	dir, err := os.ReadFile(where)
	if err != nil {
		w.t.Fatal(err)
	}
	w.dir = strings.TrimSpace(string(dir))
	return out.String()
}
