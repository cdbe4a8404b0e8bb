package doc_test

import (
	"strings"
	"testing"

	"github.com/git-context/git-context/refs/doc"
)

const someID = "01JD5K0Z3V7Q3M9K2A4B5C6D7E"

func TestKnownFile(t *testing.T) {
	t.Parallel()
	for path, want := range map[string]doc.FileKind{
		"log.md": doc.FileLog, "commit.md": doc.FileCommits, "metadata.yaml": doc.FileMetadata,
		"topics/api.v2.md":                 doc.FileTopic,
		doc.SegmentPath("log", someID):     doc.FileLog,
		doc.SegmentPath("commit", someID):  doc.FileCommits,
		"":                                 doc.FileUnknown,
		"main.md":                          doc.FileUnknown,
		"LOG.md":                           doc.FileUnknown,
		"log":                              doc.FileUnknown,
		"/log.md":                          doc.FileUnknown,
		"log.md/":                          doc.FileUnknown,
		"topics/.md":                       doc.FileUnknown,
		"topics/API.md":                    doc.FileUnknown,
		"topics/a/b.md":                    doc.FileUnknown,
		"topics/../log.md":                 doc.FileUnknown,
		"topics/key.MD":                    doc.FileUnknown,
		"topics/key":                       doc.FileUnknown,
		"log/" + someID + ".md":            doc.FileUnknown,
		"log/01JD/5K/0Y/" + someID + ".md": doc.FileUnknown,
		"log/01JD/5K/0Z/" + strings.ToLower(someID) + ".md": doc.FileUnknown,
		doc.SegmentPath("topics", someID):                   doc.FileUnknown,
	} {
		if got := doc.KindOf(path); got != want {
			t.Errorf("KnownFile(%q) = %d, want %d", path, got, want)
		}
	}
}

func TestKnownDir(t *testing.T) {
	t.Parallel()
	for path, want := range map[string]bool{
		"": true, "topics": true, "log": true, "commit": true, "log/01JD": true, "commit/01JD/5K": true, "log/01JD/5K/0Z": true,
		"log/01JD/5K/0Z/00": false, "log/01jd": false, "log/01J": false, "log/01JD5": false, "log/8000": false, "log/01JI": false,
		"log/": false, "/log": false, "log//01JD": false, "topics/x": false, "Log": false, "logs": false, "log/01JD/": false,
		"log/..": false, "log/01JD/5K/0": false,
	} {
		if got := doc.KnownDir(path); got != want {
			t.Errorf("KnownDir(%q) = %t, want %t", path, got, want)
		}
	}
}

// Whatever a tree holds: a known path is plain ASCII, each folder on the way to a
// known file is known, and no other path differs from it by the case of letters.
func FuzzKnownPath(f *testing.F) {
	for _, path := range []string{"", "log.md", "topics/key.md", "topics/k\u0131.md", "log/01JD/5K", doc.SegmentPath("log", someID),
		doc.SegmentPath("commit", someID), "topics/..md", "LOG.MD", "log\u202e.md", "log/01JD/5K/0Z/a\nb.md"} {
		f.Add(path)
	}
	f.Fuzz(func(t *testing.T, path string) {
		known := doc.KindOf(path) != doc.FileUnknown
		if !known && !doc.KnownDir(path) {
			return
		}
		for i := range len(path) {
			if path[i] <= ' ' || path[i] >= 0x7f {
				t.Fatalf("%q is known", path)
			}
		}
		for _, other := range []string{strings.ToLower(path), strings.ToUpper(path)} {
			if other != path && (doc.KindOf(other) != doc.FileUnknown || doc.KnownDir(other)) {
				t.Errorf("%q and %q are both known", path, other)
			}
		}
		for i, c := range path {
			if c == '/' && !doc.KnownDir(path[:i]) {
				t.Errorf("%q is known, its folder %q is not", path, path[:i])
			}
		}
		if known && doc.KnownDir(path) {
			t.Errorf("%q is a file and a folder", path)
		}
	})
}
