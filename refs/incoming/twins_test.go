package incoming

import (
	"fmt"
	"testing"
	"time"

	"github.com/git-context/git-context/refs/git"
)

// A folder of tens of thousands of names that are nothing of memory is looked through once, not once for each name.
func TestManyNamesOfNothing(t *testing.T) {
	entries := []git.TreeEntry{{Mode: git.ModeBlob, Name: "A"}, {Mode: git.ModeBlob, Name: "B"}, {Mode: git.ModeBlob, Name: "a"}}
	for i := range 60_000 {
		entries = append(entries, git.TreeEntry{Mode: git.ModeBlob, Name: fmt.Sprintf("no topic %d", i)})
	}
	all := &twins{entries: entries}
	f := folder{role: RoleBranch, path: "topics"}
	begun := time.Now()
	for i, e := range entries {
		_, fault := f.entryFault(all, e, "topics/"+e.Name)
		want := "it is a file that no memory branch has"
		switch e.Name {
		case "A":
			want = "the name differs only by case from 'a'"
		case "a":
			want = "the name differs only by case from 'A'"
		}
		if fault != want {
			t.Fatalf("%d: %s: %s; want %s", i, e.Name, fault, want)
		}
	}
	if took := time.Since(begun); took > 10*time.Second { // 0.05 s, and a minute if each is compared with all
		t.Errorf("%v for %d names", took, len(entries))
	}
}

// A name with another form has no twin by chance.
func TestTwins(t *testing.T) {
	all := &twins{entries: []git.TreeEntry{{Name: "log.md"}, {Name: "LOG.md"}, {Name: "Log.md"}, {Name: "one.md"}}}
	for name, want := range map[string]string{"log.md": "LOG.md", "LOG.md": "log.md", "Log.md": "log.md", "one.md": ""} {
		if got := all.of(name); got != want {
			t.Errorf("%s: %q; want %q", name, got, want)
		}
	}
}
