package history

import (
	"bytes"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/git-context/git-context/refs/internal/statetest"
)

// Fields of a file of local state end no program, whoever wrote them.
func FuzzBisectState(f *testing.F) {
	statetest.Fuzz(f, func(st *BisectState) { st.missing() },
		`{"version":1,"bad":"1","good":["2"],"skipped":null,"next":"","log":[{"verdict":"good"}]}`)
}

// No option of git's that writes, runs or reads what is no memory gets through, however
// it is spelled.
func FuzzArguments(f *testing.F) {
	for _, words := range []string{"--stat\n--\n--output=x", "-S\ntext\n--format=%H", "--since\n1.day\npath", "-p\n--outpu=x", "--format\n%G?", "-O/etc/passwd",
		"--pretty=%GS", "--no-index\na\nb", "-Sx\n-G\n--ext-diff", "--all", "-n5", "--author\n--output=x", "--word-diff=color", "--date\n--ext-diff", "-U3\n-M50%", "", "-", "--="} {
		f.Add(words)
	}
	f.Fuzz(func(t *testing.T, text string) {
		words := strings.Split(text, "\n")
		for _, read := range []func([]string) (Arguments, error){LogArguments, DiffArguments} {
			a, err := read(words)
			if err != nil {
				if strings.ContainsAny(err.Error(), "\n") {
					t.Errorf("%q", err)
				}
				continue
			}
			for _, word := range slices.Concat(a.Select, a.Show) {
				checkArgument(t, word)
			}
			if again, err := read(words); err != nil || !reflect.DeepEqual(a, again) {
				t.Errorf("%+v, then %+v", a, again)
			}
		}
	})
}

// checkArgument holds that git takes a word for the option that it was taken for: git
// completes the names of options that are cut short.
func checkArgument(t *testing.T, word string) {
	name, value, _ := strings.Cut(word, "=")
	if !strings.HasPrefix(word, "-") || word == "-" || word == "--" {
		t.Errorf("'%s' is no option", word)
	}
	for _, bad := range []string{"--output", "--ext-diff", "--textconv", "--show-signature", "--no-index", "--stdin", "--all", "--branches",
		"--tags", "--remotes", "--glob", "--reflog", "--walk-reflogs", "--exec", "--orderfile", "--max-count", "--skip", "--graph", "--color"} {
		if name == bad || strings.HasPrefix(name, "--") && len(name) > 3 && strings.HasPrefix(bad, name) && name != "--no" {
			t.Errorf("'%s' got through", word)
		}
	}
	if strings.HasPrefix(word, "-O") || strings.HasPrefix(word, "-n") || word == "-g" {
		t.Errorf("'%s' got through", word)
	}
	if (name == "--format" || name == "--pretty") && strings.Contains(value, "%G") {
		t.Errorf("'%s' runs a program", word)
	}
}

// A range is cut so that its parts make it again.
func FuzzSplitRange(f *testing.F) {
	for _, word := range []string{"main..exp", "a...b", "..", "...", "....", "a..b..c", "main~2", "^a", ""} {
		f.Add(word)
	}
	f.Fuzz(func(t *testing.T, word string) {
		a, dots, b := SplitRange(word)
		if a+dots+b != word || strings.Contains(a, "..") || (dots == "") != !strings.Contains(word, "..") {
			t.Errorf("%q is %q, %q, %q", word, a, dots, b)
		}
	})
}

// What `git diff` prints is read, whatever is in it: no count is below zero, or larger
// than what was printed.
func FuzzDiff(f *testing.F) {
	raw := ":100644 100644 1 2 M\x00log.md\x00:000000 100644 0 2 A\x00a b\x00"
	patch := "diff --git a/log.md b/log.md\n--- a/log.md\n+++ b/log.md\n@@ -1 +1,2 @@\n-a\n+b\n+c\n\\ No newline at end of file\ndiff --git a/x b/x\n@@ -0,0 +1 @@ f\n+y\n"
	f.Add([]byte(raw), patch)
	f.Add([]byte(raw), "diff --git a/x b/x\n@@ -1,99999999999 +1,-5 @@\n+\n\n\x1b[31m")
	f.Add([]byte("x\x00"), "@@ -1 +1 @@\n+a\n")
	f.Fuzz(func(t *testing.T, raw []byte, patch string) {
		files, err := parseRaw(raw)
		if err != nil {
			return
		}
		if len(files) != bytes.Count(raw, []byte{0})/2 {
			t.Errorf("%d files of %q", len(files), raw)
		}
		countLines(patch, files)
		sum := 0
		for _, file := range files {
			sum += file.Added + file.Deleted
			if file.Added < 0 || file.Deleted < 0 {
				t.Errorf("%+v", file)
			}
		}
		if lines := strings.Count(patch, "\n") + 1; sum > lines {
			t.Errorf("%d lines are counted of %d", sum, lines)
		}
	})
}
