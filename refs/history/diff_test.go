package history

import (
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
