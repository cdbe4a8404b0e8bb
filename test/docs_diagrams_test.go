//go:build unix

package test

import (
	"encoding/xml"
	"errors"
	"io"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/git-context/git-context/refs/git"
)

// Every ref that the diagrams of docs/ show is one that there is, and of every kind
// there is one.
func TestDiagramsNameRefs(t *testing.T) {
	t.Parallel()
	remote := git.RemoteTracking("origin")
	names := []string{
		"HEAD", "refs/heads/main",
		git.HeadName, git.BranchRef("main"), git.BranchRef("pool"), git.BranchPrefix + "*",
		git.RoadmapRef, git.TagRef("best"), git.DeletedRef("lock", "ULID"), git.NotesRef,
		git.RemotePrefix + "*", remote.Branches() + "main", remote.Roadmap(), remote.Notes(),
	}
	var shown []string
	for _, name := range []string{"refs", "flow"} {
		for _, text := range drawn(t, name) {
			if strings.HasPrefix(text, "refs/") || strings.HasSuffix(text, "_HEAD") || text == "HEAD" {
				shown = append(shown, text)
			}
		}
	}
	slices.Sort(names)
	slices.Sort(shown)
	if diff := cmp.Diff(names, slices.Compact(shown)); diff != "" {
		t.Errorf("names.go (-) and the diagrams (+):\n%s", diff)
	}
}

// What a diagram says is what its source says: `make diagrams` was not forgotten. Where the
// words stand differs with the fonts of a machine.
func TestDiagramsAreOfTheirSource(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"refs", "flow"} {
		source, err := os.ReadFile("../docs/diagrams/" + name + ".dot")
		if err != nil {
			t.Fatal(err)
		}
		var said []string
		for _, label := range regexp.MustCompile(`label="([^"]+)"`).FindAllSubmatch(source, -1) {
			for _, line := range regexp.MustCompile(`\\[nlr]`).Split(string(label[1]), -1) {
				if line != "" {
					said = append(said, line)
				}
			}
		}
		shown := drawn(t, name)
		slices.Sort(said)
		slices.Sort(shown)
		if diff := cmp.Diff(said, shown); diff != "" {
			t.Errorf("%s.dot (-) and %s.svg (+): make diagrams\n%s", name, name, diff)
		}
	}
}

// drawn is every line of text in a diagram, which must be well-formed to its end.
func drawn(t *testing.T, name string) []string {
	t.Helper()
	f, err := os.Open("../docs/diagrams/" + name + ".svg")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var texts []string
	for d := xml.NewDecoder(f); ; {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return texts
		}
		if err != nil {
			t.Fatalf("%s: %v", f.Name(), err)
		}
		if start, ok := token.(xml.StartElement); ok && start.Name.Local == "text" {
			var text string
			if err := d.DecodeElement(&text, &start); err != nil {
				t.Fatalf("%s: %v", f.Name(), err)
			}
			texts = append(texts, text)
		}
	}
}
