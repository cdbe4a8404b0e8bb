package render

import "testing"

func TestBar(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		n, most, width int
		want           string
	}{
		{0, 10, 4, "    "},
		{10, 10, 4, "████"},
		{5, 10, 4, "██  "},
		{1, 1000, 4, "▏   "}, // not nothing
		{999, 1000, 4, "████"},
		{3, 16, 2, "▍ "},
	} {
		if got := bar(c.n, c.most, c.width); got != c.want {
			t.Errorf("bar(%d, %d, %d) = %q, not %q", c.n, c.most, c.width, got, c.want)
		}
	}
}
