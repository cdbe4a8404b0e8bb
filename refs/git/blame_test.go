package git

import (
	"slices"
	"strings"
	"testing"
)

func TestParseBlame(t *testing.T) {
	t.Parallel()
	a, b := strings.Repeat("a", 40), strings.Repeat("b", 40)
	for _, c := range []struct {
		name, out string
		want      []BlamedLine
		fails     bool
	}{
		{name: "nothing"},
		{name: "a line like a header", out: a + " 1 1 2\nauthor Ada\nsummary x\nfilename f\n\t" + b + " 1 1\n" + a + " 2 2\n\t\tx\r\n",
			want: []BlamedLine{{ID(a), b + " 1 1"}, {ID(a), "\tx\r"}}},
		{name: "a summary like a header", out: a + " 1 1 1\nsummary " + b + "\nprevious " + b + " f\n\t\n", want: []BlamedLine{{ID(a), ""}}},
		{name: "two commits", out: a + " 1 1 1\n\tx\n" + b + " 1 2 1\n\ty\n", want: []BlamedLine{{ID(a), "x"}, {ID(b), "y"}}},
		{name: "no commit", out: "\tx\n", fails: true},
	} {
		got, err := parseBlame(c.out, 40)
		if !slices.Equal(got, c.want) || (err != nil) != c.fails {
			t.Errorf("%s: %q, %v", c.name, got, err)
		}
	}
}
