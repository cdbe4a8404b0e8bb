package test

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// What the README shows is what happens: the commands of a section are run, one
// after another in one shell's places, and print what stands below them.
func TestReadme(t *testing.T) {
	t.Parallel()
	readme, err := os.ReadFile("../README.md")
	if err != nil {
		t.Fatal(err)
	}
	for title, least := range map[string]int{"Two agents, two clones": 20, "Asking the past": 24} {
		t.Run(title, func(t *testing.T) {
			t.Parallel()
			_, section, ok := strings.Cut(string(readme), "\n## "+title+"\n")
			if !ok {
				t.Fatal("the README has no such section")
			}
			section, _, _ = strings.Cut(section, "\n## ")
			if ran := play(t, section); ran < least {
				t.Errorf("only %d commands were found", ran)
			}
		})
	}
}

// play runs the commands of a section and compares what they print.
func play(t *testing.T, section string) (ran int) {
	t.Helper()
	w := newHome(t)
	for i, block := range strings.Split(section, "```") {
		if i%2 == 0 {
			continue // prose
		}
		for _, part := range strings.Split(strings.TrimPrefix(block, "\n"), "\n$ ") {
			command, want, _ := strings.Cut(strings.TrimPrefix(part, "$ "), "\n")
			if got := w.shell(command); plain(got) != plain(want) {
				t.Errorf("$ %s\n%s\nthe README has:\n%s", command, got, want)
			}
			ran++
		}
	}
	return ran
}

// plain takes out of an output what differs from run to run.
func plain(text string) string {
	for _, differs := range []string{`\b[0-9a-f]{7,40}\b`, `\b\d+ (second|minute)s? ago\b`, `\b[0-9A-Z]{26}\b`, `\b\d{4}-\d\d-\d\d(T[0-9:]+Z)?`} {
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
