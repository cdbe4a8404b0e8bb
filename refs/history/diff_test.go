package history

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Lines are counted by what hunks say of themselves: a text may look like anything.
func TestCountLines(t *testing.T) {
	t.Parallel()
	patch := "diff --git a/one b/one\nindex 1..2 100644\n--- a/one\n+++ b/one\n@@ -1,2 +1,3 @@ heading\n same\n" +
		"-diff --git a/x b/x\n+@@ -1,9 +1,9 @@\n+--- a/x\n\\ No newline at end of file\n" +
		"@@ -9 +10 @@\n--- gone\n\\ No newline at end of file\n++++ come\n" +
		"diff --git a/two b/two\nnew file mode 100644\n--- /dev/null\n+++ b/two\n@@ -0,0 +1 @@\n+x\n" +
		"diff --git a/empty b/empty\nnew file mode 100644\nindex 0..1\n"
	files := []FileDiff{{Path: "one"}, {Path: "two"}, {Path: "empty"}}
	countLines(patch, files)
	want := []FileDiff{{Path: "one", Added: 3, Deleted: 2}, {Path: "two", Added: 1}, {Path: "empty"}}
	if diff := cmp.Diff(want, files); diff != "" {
		t.Error(diff)
	}
	countLines(patch, files[:1]) // more than was said
}

// countLines reads a patch in pieces.
func countLines(patch string, files []FileDiff) *patchReader {
	p := &patchReader{files: files, file: -1}
	for rest := patch; rest != ""; {
		n := min(len(rest), 4099)
		_, _ = p.Write([]byte(rest[:n])) // never fails
		rest = rest[n:]
	}
	return p
}

// Of a very large patch a program gets the beginning, in whole lines, the number of bytes that are missing, and the
// right counts.
func TestLargePatch(t *testing.T) {
	t.Parallel()
	const n = 300_000
	patch := fmt.Sprintf("diff --git a/one b/one\n@@ -0,0 +1,%d @@\n", n) + strings.Repeat("+a line of twenty b\n", n)
	files := []FileDiff{{Path: "one"}}
	p := countLines(patch, files)
	if files[0].Added != n || len(p.kept)+p.missing != len(patch) || len(p.kept) > mostPatch || len(p.kept) < mostPatch-8192 ||
		!strings.HasPrefix(patch, string(p.kept)) || !strings.HasSuffix(string(p.kept), "\n") {
		t.Errorf("%d lines, %d and %d bytes of %d", files[0].Added, len(p.kept), p.missing, len(patch))
	}
}
