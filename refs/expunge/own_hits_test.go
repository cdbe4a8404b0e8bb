package expunge

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/git-context/git-context/notes"
	"github.com/git-context/git-context/refs/doc"
	"github.com/git-context/git-context/refs/git"
)

// What a file without a hit costs does not depend on how many tombstones there are.
func TestReadCopiesNothing(t *testing.T) { // not parallel: it counts allocations
	var e doc.Expunged
	for i := range 10000 {
		e.AddText(fmt.Sprint("text ", i))
	}
	h := newFileHits(e)
	o := git.Object{ID: "a", Type: "blob", Data: []byte("kept\n")}
	if allocs := testing.AllocsPerRun(10, func() { h.read("topics/a.md", o) }); allocs > 30 || len(h.document) > 0 {
		t.Errorf("%.0f allocations, %d documents", allocs, len(h.document))
	}
}

// hitsByLine are the tombstones that act on each line of a note, those of entries with each.
func hitsByLine(e doc.Expunged, note []byte) map[string]doc.Expunged {
	var removed doc.Expunged
	facts := notes.Parse(note)
	for _, f := range facts {
		if f.Kind == notes.KindCommit && e.HasEntry(f.ID) {
			removed = removed.Union(e.OnlyEntry(f.ID))
		}
	}
	hits := map[string]doc.Expunged{}
	for _, f := range facts {
		if f.Kind == notes.KindCommit || f.Kind == notes.KindLink {
			continue
		}
		hit := removed
		mapNoteTexts(string(f.Raw), func(text string) string {
			hit = hit.Union(e.HitsText(text))
			return text
		})
		if !hit.Empty() {
			hits[string(f.Raw)] = hit
		}
	}
	return hits
}

// What a commit adds to a note has the tombstones that each of its new lines has.
func TestNewLinesOfNotes(t *testing.T) {
	t.Parallel()
	const ids = "0123456789ABCDEF"
	rapid.Check(t, func(t *rapid.T) {
		id := func(i int) string { return "01M8N1YXEXJFSHS60WQG9BK5" + "1" + ids[i:i+1] }
		var e doc.Expunged
		for _, text := range []string{"one", "two", "three"} {
			if rapid.Bool().Draw(t, "forget "+text) {
				e.AddText(text)
			}
		}
		for i := range 2 {
			if rapid.Bool().Draw(t, "remove") && e.AddEntry(id(i)) != nil {
				t.Fatal(id(i))
			}
		}
		note := rapid.Custom(func(t *rapid.T) []byte {
			var b strings.Builder
			for range rapid.IntRange(0, 5).Draw(t, "lines") {
				kind := rapid.SampledFrom([]string{notes.KindCommit, notes.KindLink, "outcome", "tag"}).Draw(t, "kind")
				text := rapid.SampledFrom([]string{"one", "two", "three", "kept"})
				fmt.Fprintf(&b, `{"v":1,"id":"%s","kind":"%s","text":"%s","reason":"%s"}`+"\n", id(rapid.IntRange(0, 3).Draw(t, "id")), kind, text.Draw(t, "text"), text.Draw(t, "reason"))
			}
			return []byte(b.String())
		})
		h, byLine := newFileHits(e), map[git.ID]map[string]doc.Expunged{}
		for _, name := range []git.ID{"new", "old", "older"} {
			data := note.Draw(t, string(name))
			h.read("aa/"+strings.Repeat("0b", 19), git.Object{ID: name, Type: "blob", Data: data})
			byLine[name] = hitsByLine(e, data)
		}
		for _, old := range [][]git.ID{nil, {"old"}, {"old", "older"}} {
			var want doc.Expunged
			for _, line := range slices.Sorted(maps.Keys(byLine["new"])) {
				if !slices.ContainsFunc(old, func(id git.ID) bool { _, had := byLine[id][line]; return had }) {
					want = want.Union(byLine["new"][line])
				}
			}
			if diff := cmp.Diff(string(want.Bytes()), string((&h).newLines(git.ChangedFile{New: "new", Old: old}).Bytes())); diff != "" {
				t.Fatal(diff)
			}
		}
	})
}
