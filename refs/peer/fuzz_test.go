package peer

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"
)

// Whatever stands in a folder, reading it ends, with a Folder or an error that names a file, and
// every word of its logs and commits is somewhere in what was read.
func FuzzRead(f *testing.F) {
	for _, name := range []string{"contexa", "contexa-old", "gcc-memory", "skill", "paper"} {
		var text [3]string
		for i, file := range []string{logFile, commitFile, metaFile} {
			path := filepath.Join("testdata", name, branchDir, "main", file)
			if name == "skill" {
				path = filepath.Join("testdata", name, file)
			}
			data, err := os.ReadFile(path)
			if err != nil && !errors.Is(err, os.ErrNotExist) {
				f.Fatal(err)
			}
			text[i] = string(data)
		}
		f.Add(text[0], text[1], text[2], "")
	}
	f.Add("---\nkind: event\n", "### Commit: ", "branches: []", "proactive_commits: &a [*a]")
	f.Fuzz(func(t *testing.T, log, commits, meta, root string) {
		folder, err := Read(fstest.MapFS{
			"branches/main/log.md":        {Data: []byte(log)},
			"branches/main/commit.md":     {Data: []byte(commits)},
			"branches/main/metadata.yaml": {Data: []byte(meta)},
			"metadata.yaml":               {Data: []byte(root)},
		})
		if err != nil {
			if !errors.As(err, new(*FormatError)) {
				t.Fatalf("%T: %v", err, err)
			}
			return
		}
		if folder.Dialect != Contexa && folder.Dialect != Paper {
			return // YAML and dates are read, not copied
		}
		all := words(folder)
		for _, word := range strings.Fields(log) {
			if len(word) > 3 && !strings.ContainsAny(word, "*#`—=-:\\\x00\uFFFD+\"_") && strings.ToValidUTF8(word, "") == word &&
				strings.Trim(word, "0123456789TZ.") != "" && !strings.Contains(all, word) {
				t.Errorf("%q is lost: %q", word, all)
			}
		}
	})
}

// words is all text of a folder, and the words of its marks.
func words(f *Folder) string {
	var b strings.Builder
	b.WriteString("Step Observation Thought Action branch Branch main Merged from Commit History ")
	for _, br := range f.Branches {
		for _, s := range br.Steps {
			b.WriteString(s.Origin + " " + s.Observation + " " + s.Thought + " " + s.Action + " ")
			for _, a := range s.Attrs {
				b.WriteString(a.Value + " ")
			}
		}
	}
	return b.String()
}

func FuzzEscape(f *testing.F) {
	for _, text := range hostile {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if got := contexaUnescape(contexaEscape(text)); got != text {
			t.Errorf("contexa: %q for %q", got, text)
		}
		if got := memoryUnescape(memoryEscape(text)); got != text {
			t.Errorf("gcc-memory: %q for %q", got, text)
		}
	})
}
