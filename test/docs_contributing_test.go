//go:build unix

package test

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// The table of packages in CONTRIBUTING.md is the one that imports are held to; the
// programs below test/ have no row.
func TestContributingTellsLayers(t *testing.T) {
	t.Parallel()
	_, table, _ := strings.Cut(readPage(t, "../CONTRIBUTING.md"), "\n| package | what is in it | may import |\n|---|---|---|\n")
	table, _, _ = strings.Cut(table, "\n\n")
	told := map[string][]string{}
	for line := range strings.SplitSeq(table, "\n") {
		cells := strings.Split(line, "|")
		if len(cells) != 5 {
			t.Fatalf("not a row of three: %q", line)
		}
		told[strings.Trim(cells[1], " `")] = sortedCode(cells[3])
	}
	held := map[string][]string{}
	for pkg, imports := range layers {
		if !strings.HasPrefix(pkg, "test/") {
			held[pkg] = slices.Sorted(slices.Values(imports))
		}
	}
	if diff := cmp.Diff(held, told, cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("imports_test.go (-) and CONTRIBUTING.md (+):\n%s", diff)
	}
}

// sortedCode are the words of a cell that stand in backquotes.
func sortedCode(cell string) (words []string) {
	for _, m := range regexp.MustCompile("`([^`]+)`").FindAllStringSubmatch(cell, -1) {
		words = append(words, m[1])
	}
	slices.Sort(words)
	return words
}
