package peer

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/git-context/git-context/internal/gittest"
)

func file(text string) *fstest.MapFile { return &fstest.MapFile{Data: []byte(text)} }

// What cannot be taken is an error that names the file.
func TestRefused(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		files  fstest.MapFS
		path   string
		reason string
	}{
		"nothing":  {fstest.MapFS{"a.txt": file("x")}, ".", "main.md"},
		"unknown":  {fstest.MapFS{"branches/x/commit.md": file("hello\n")}, "branches/x/commit.md", "no format"},
		"pipe":     {fstest.MapFS{"main.md": file("x"), "branches/x/log.md": {Mode: fs.ModeNamedPipe}}, "branches/x/log.md", "neither"},
		"huge":     {fstest.MapFS{"main.md": file(strings.Repeat("x", maxFile+1))}, "main.md", "more than 32 MiB"},
		"metadata": {fstest.MapFS{"metadata.yaml": file(strings.Repeat("x", maxMeta+1))}, "metadata.yaml", "more than 1 MiB"},
	} {
		_, err := Read(c.files)
		var format *FormatError
		if !errors.As(err, &format) || format.Path != c.path || !strings.Contains(format.Reason, c.reason) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A link may lead about in the folder, but not out of it, which is up to the fs.FS.
func TestLinks(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	outside := filepath.Join(dir, "secret")
	in := filepath.Join(dir, ".GCC")
	for _, err := range []error{
		os.WriteFile(outside, []byte("secret"), 0o600), os.MkdirAll(filepath.Join(in, "branches", "main"), 0o700),
		os.Symlink(outside, filepath.Join(in, "branches", "main", "log.md")), os.WriteFile(filepath.Join(in, "main.md"), []byte("goal"), 0o600),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	root, err := os.OpenRoot(in)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	_, err = Read(root.FS())
	var format *FormatError
	if !errors.As(err, &format) || format.Path != "branches/main/log.md" {
		t.Errorf("a link out of the folder: %v", err)
	}
}

// A mark inside a text does not make a folder another dialect's.
func TestDetectLooksAtTheFirstMark(t *testing.T) {
	t.Parallel()
	log := "# OTA Log — branch `main`\n\n### Step 1 — 2026-11-21T01:37:05Z\n**Observation:** a log:\nkind: event\n## [C001] x\n\n---\n"
	f, err := Read(fstest.MapFS{"branches/main/log.md": file(log)})
	if err != nil || f.Dialect != Contexa || len(f.Branches[0].Steps) != 1 {
		t.Errorf("%+v, %v", f, err)
	}
}

// Bytes that are no text are replaced in the files that are known, and named; a file that
// is none of them is named and left out.
func TestNoText(t *testing.T) {
	t.Parallel()
	f, err := Read(fstest.MapFS{"main.md": file("a\xff\x00b"), "image.png": file("\x89PNG\x00"), "branches/main/log.md": file("")})
	if err != nil {
		t.Fatal(err)
	}
	notes := strings.Join(f.Notes, "\n")
	if f.Roadmap.Goal != "a\uFFFD\uFFFDb" || !strings.Contains(notes, "'main.md'") || !strings.Contains(notes, "'image.png'") {
		t.Errorf("%q, %s", f.Roadmap.Goal, notes)
	}
}

// A metadata.yaml that is no map, or that would grow without end, is kept as text.
func TestMetadataKeptAsText(t *testing.T) {
	t.Parallel()
	bomb := "a: &a [x,x,x,x,x,x,x,x,x,x]\n"
	for c := 'b'; c < 'k'; c++ {
		prev := string(c - 1)
		bomb += string(c) + ": &" + string(c) + " [" + strings.Repeat("*"+prev+",", 9) + "*" + prev + "]\n"
	}
	for _, text := range []string{"- a list", "a: [", bomb} {
		f, err := Read(fstest.MapFS{"main.md": file("goal"), "branches/main/metadata.yaml": file(text)})
		if err != nil {
			t.Fatal(err)
		}
		if s := f.Branches[0].Steps; len(s) != 1 || !s[0].Kept || s[0].Observation != strings.TrimRight(text, "\n") {
			t.Errorf("%.30q: %d steps", text, len(s))
		}
	}
}

func TestTimes(t *testing.T) {
	t.Parallel()
	want := time.Date(2026, 11, 21, 1, 37, 0, 0, time.UTC)
	for _, text := range []string{"2026-11-21T01:37:00Z", "2026-11-21T03:37:00+02:00", "2026-11-21 01:37", "2026-11-21T01:37", " `2026-11-21 01:37:00 UTC` "} {
		if got, ok := parseTime(text); !ok || !got.Equal(want) {
			t.Errorf("%q: %v", text, got)
		}
	}
	for _, text := range []string{"", "yesterday", "0000-00-00", "99999-01-01T00:00:00Z"} {
		if got, ok := parseTime(text); ok {
			t.Errorf("%q: %v", text, got)
		}
	}
}

func TestTitles(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x ", 200)
	for _, text := range []string{"one line", "a\n\nb", "a\nb", "a\n\n\nb", "\na", " a", "", long, "a\n\n"} {
		title, contribution := SplitTitle(text)
		if strings.Contains(title, "\n") || len([]rune(title)) > maxTitle {
			t.Errorf("%q has the title %q", text, title)
		}
		if got := JoinTitle(title, contribution); strings.TrimSpace(got) != strings.TrimSpace(text) && !strings.HasSuffix(got, text) {
			t.Errorf("%q became %q", text, got)
		}
	}
}

// Two branches that one folder name would stand for keep their names.
func TestFlatNames(t *testing.T) {
	t.Parallel()
	f := &Folder{Branches: []Branch{{Name: "A/b"}, {Name: "a--b"}, {Name: "a/b-2"}, {Name: "a/B"}}}
	dirs := dirNames(f)
	seen := map[string]bool{}
	for name, dir := range dirs {
		if seen[strings.ToLower(dir)] || strings.Contains(dir, "/") {
			t.Errorf("%s stands in %s", name, dir)
		}
		seen[strings.ToLower(dir)] = true
	}
	if dirs["a--b"] != "a--b" {
		t.Errorf("%v", dirs)
	}
}

// What a hostile folder can make of a limit costs time in proportion to its size.
func TestHostileSizes(t *testing.T) { // alone: it counts the time of the whole process
	const n = 200_000
	for name, text := range map[string]string{
		"heads":      "### Step 1 — x\n**Observation:** a\n**Thought:** \n**Action:** \n" + strings.Repeat("### Step 1 — x\n**Observation:** a\n", n),
		"separators": "# OTA Log — branch\n" + strings.Repeat("---\n\n", n),
		"labels":     strings.Repeat("Observation: a\n", n),
		"keys":       "---\nkind: event\n" + strings.Repeat("a", 1) + ": 1\n" + manyKeys(n),
		"documents":  strings.Repeat("---\nkind: event\n", n),
		"slashes":    "**Observation:** " + strings.Repeat(`\`, n) + strings.Repeat("*", n),
	} {
		start := gittest.CPU(t)
		if _, err := Read(fstest.MapFS{"branches/main/log.md": file(text)}); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		d := gittest.CPU(t) - start
		if d > 30*time.Second { // minutes, if it were quadratic
			t.Errorf("%s: %v", name, d)
		}
		t.Log(name, d)
	}
}

func manyKeys(n int) string {
	var b strings.Builder
	for i := range n {
		b.WriteString("k" + strconv.Itoa(i) + ": 1\n")
	}
	return b.String()
}
