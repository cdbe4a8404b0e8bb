//go:build unix

package test

import (
	"bytes"
	"encoding/json"
	"errors"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/git-context/git-context/internal/gittest"
)

// What gitcontext-formats(5) shows is what the program writes.
func TestFormatsPage(t *testing.T) {
	gittest.NeedSHA1(t)
	t.Parallel()
	text, err := os.ReadFile("../docs/man/gitcontext-formats.md")
	if err != nil {
		t.Fatal(err)
	}
	// Its blocks hold headings, too.
	_, section, _ := strings.Cut(string(text), "\n## A SMALL MEMORY\n")
	section, _, ok := strings.Cut(section, "\n## SEE ALSO\n")
	if ran := play(t, section); !ok || ran < 20 {
		t.Errorf("only %d commands were found", ran)
	}
}

// asked is a command line, and which of the shapes of which page its output has: the
// first is 0. Without a page it only makes what others show.
type asked struct {
	page  string
	shape int
	line  string
	exit  int
}

// The JSON of every command is what its page says, member by member, and no page says
// what no command gives.
func TestManualTellsOfAllJSON(t *testing.T) {
	t.Parallel()
	named, pages := manualShapes(t)
	w := newHome(t)
	for _, a := range slices.Concat(askedAlone(), askedTogether()) {
		out := w.asked(a)
		if a.page == "" {
			continue
		}
		shapes := pages[a.page]
		if a.shape >= len(shapes) {
			t.Fatalf("%s has %d shapes, not one for %q", a.page, len(shapes), a.line)
		}
		for line := range bytes.Lines(out) {
			var v any
			if err := json.Unmarshal(line, &v); err != nil {
				t.Fatalf("%s: %v: %s", a.line, err, out)
			}
			for _, fault := range shapes[a.shape].faults(v, named, "") {
				t.Errorf("%s: %s: %s", a.page, a.line, fault)
			}
		}
		if len(out) == 0 {
			t.Errorf("%s says nothing", a.line)
		}
	}
	pages["git-context"] = append(pages["git-context"], slices.Collect(maps.Values(named))...)
	never := neverMet()
	for page, shapes := range pages {
		for _, s := range shapes {
			for _, member := range s.unmet(page) {
				if never[member] == "" {
					t.Errorf("nothing gave %s", member)
				}
				delete(never, member)
			}
		}
	}
	for member := range never {
		t.Errorf("%s was met", member)
	}
}

// asked runs a command line and gives what it prints, or what it prints of an error.
func (w *world) asked(a asked) []byte {
	w.t.Helper()
	cmd := w.command(nil, "sh", "-c", a.line)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	err := cmd.Run()
	code := 0
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
		code = exit.ExitCode()
	} else if err != nil {
		w.t.Fatal(err)
	}
	if code != a.exit {
		w.t.Fatalf("%s: exit %d, not %d: %s", a.line, code, a.exit, &errs)
	}
	if out.Len() == 0 {
		return errs.Bytes()
	}
	return out.Bytes()
}

// manualShapes reads the shapes of all pages: the literal blocks of OUTPUT. Those that
// begin with a name and '=' are what that name stands for.
func manualShapes(t *testing.T) (named map[string]*shape, pages map[string][]*shape) {
	t.Helper()
	named, pages = map[string]*shape{}, map[string][]*shape{}
	files, err := filepath.Glob("../docs/man/git-context-*.md")
	if err != nil || len(files) == 0 {
		t.Fatal("no pages", err)
	}
	for _, file := range append([]string{"../docs/man/git-context.md"}, files...) { // the names first
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		_, output, _ := strings.Cut(string(text), "\n## OUTPUT\n")
		if strings.HasPrefix(string(text), "## OUTPUT\n") {
			output = string(text)
		}
		output, _, _ = strings.Cut(strings.TrimPrefix(output, "## OUTPUT\n"), "\n## ")
		page := strings.TrimSuffix(filepath.Base(file), ".md")
		for _, m := range regexp.MustCompile("(?s)```\n(?:([A-Z]+) = )?(.*?)```").FindAllStringSubmatch(output, -1) {
			r := newShapeReader(m[2], named)
			s, err := r.value()
			if err != nil || len(r.tokens) > 0 {
				t.Fatalf("%s: %v %q: %s", page, err, r.tokens, m[2])
			}
			if m[1] != "" {
				named[m[1]] = s
			} else {
				pages[page] = append(pages[page], s)
			}
		}
	}
	return named, pages
}
