package prose

import (
	"strings"
	"testing"
)

func TestClip(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		text  string
		limit int
		want  string
	}{
		{"short", 5, "short"},
		{"longer", 5, "longe…"},
		{"aäb", 2, "a…"}, // not within a character
		{"äb", 1, "…"},
		{"a\xffb", 10, "a\uFFFDb"},
		{strings.Repeat("\x80", 5), 3, "…"},
		{"", 0, ""},
	} {
		if got := Clip(c.text, c.limit); got != c.want {
			t.Errorf("Clip(%q, %d) = %q, want %q", c.text, c.limit, got, c.want)
		}
	}
}

func TestOneLine(t *testing.T) {
	t.Parallel()
	if got := OneLine(" a\n\tb  c ", 10); got != "a b c" {
		t.Errorf("%q", got)
	}
	if got := OneLine("one two three", 8); got != "one two…" {
		t.Errorf("%q", got)
	}
}

func TestCount(t *testing.T) {
	t.Parallel()
	for n, want := range map[int]string{0: "0 steps", 1: "1 step", 2: "2 steps"} {
		if got := Count(n, "step"); got != want {
			t.Errorf("%d: %q", n, got)
		}
	}
}
