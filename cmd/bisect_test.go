package cmd

import (
	"slices"
	"strings"
	"testing"
)

// What stands behind `bisect run` and the program's name is the program's.
func TestProgramKeepsItsFlags(t *testing.T) {
	t.Parallel()
	c := newBisect(new(globals))
	for _, test := range []struct{ line, want string }{
		{"run go test -v -run X", "run -- go test -v -run X"},
		{"--json run -C dir go -C x", "--json run -C dir -- go -C x"},
		{"run --json ./check --json", "run --json -- ./check --json"},
		{"run -- ./check -x", "run -- ./check -x"},
		{"-- run ./check -x", "-- run ./check -x"},
		{"good -x", "good -x"},
		{"run", "run"},
		{"run --nope x -y", "run --nope x -y"},
		{"", ""},
	} {
		if got := c.shield(strings.Fields(test.line)); !slices.Equal(got, strings.Fields(test.want)) {
			t.Errorf("%s: %q", test.line, got)
		}
	}
	other := newTag(new(globals))
	if got := other.shield([]string{"run", "x", "-d"}); len(got) != 3 {
		t.Errorf("another command: %q", got)
	}
}
