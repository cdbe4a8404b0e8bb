package render

import (
	"regexp"
	"strings"
	"testing"
)

func TestPaint(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ text, painted, want string }{
		{"plain", "plain", "plain"},
		{"+new", "\x1b[32m+\x1b[m\x1b[32mnew\x1b[m", "\x1b[32m+\x1b[m\x1b[32mnew\x1b[m"},
		{"", "\x1b[m", "\x1b[m"},
		// Text with sequences of its own: the same as git's, another, several.
		{"\x1b[31mred", "\x1b[31mred", "^[[31mred"},
		{"+\x1b[32mnew", "\x1b[32m+\x1b[32mnew\x1b[m", "\x1b[32m+^[[32mnew\x1b[m"},
		{"\x1b[32mnew", "\x1b[32m\x1b[32mnew\x1b[m", "^[[32m\x1b[32mnew\x1b[m"},
		{"\x1b[8m\x1b[1mx", "\x1b[1m\x1b[8m\x1b[1mx\x1b[m", "\x1b[1m^[[8m^[[1mx\x1b[m"},
		{"\x1b]0;title\a", "\x1b[1m\x1b]0;title\a\x1b[m", "\x1b[1m^[]0;title^G\x1b[m"},
		{"end\r", "\x1b[32mend\r\x1b[m", "\x1b[32mend\x1b[m"},
		{"end\r", "end\r", "end\r"},
		// Not the same line: plain.
		{"one", "\x1b[1mtwo", "one"},
		{"one", "\x1b[1mon", "one"},
		{"on", "\x1b[1mone", "on"},
	} {
		var b strings.Builder
		if err := colorSpans(c.text, c.painted).write(&b); err != nil {
			t.Fatal(err)
		}
		if got := strings.TrimSuffix(b.String(), "\n"); got != c.want {
			t.Errorf("%q in colour %q: %q, not %q", c.text, c.painted, got, c.want)
		}
	}
}

// Whatever the text is: it stays as it is without colours, and no sequence comes
// through that git did not write.
func FuzzPaint(f *testing.F) {
	f.Add("text", uint8(1))
	f.Add("\x1b[32mx\x1b[m", uint8(0))
	f.Add("\x1b[1m\x1b[32m\x1b[1m", uint8(3))
	f.Fuzz(func(t *testing.T, text string, at uint8) {
		text = strings.ReplaceAll(text, "\n", " ")
		n := int(at) % (len(text) + 1)
		line := colorSpans(text, "\x1b[1m"+text[:n]+"\x1b[32m"+text[n:]+"\x1b[m")
		if got := line.plain(); got != text {
			t.Fatalf("%q became %q", text, got)
		}
		var b strings.Builder
		if err := line.write(&b); err != nil {
			t.Fatal(err)
		}
		if found := regexp.MustCompile("\x1b").FindAllString(b.String(), -1); len(found) > 3 {
			t.Fatalf("%d sequences in %q", len(found), b.String())
		}
	})
}

func TestInsert(t *testing.T) {
	t.Parallel()
	green := piece{"32", " [good]"}
	for _, c := range []struct {
		line  gitLine
		at    int
		color bool
		want  string
	}{
		{gitLine{{"", "abc subject"}}, 3, false, "abc [good] subject"},
		{gitLine{{"", "abc"}}, 3, false, "abc [good]"},
		{gitLine{{"", "* "}, {"\x1b[33m", "abc"}, {"\x1b[m", " subject"}}, 5, true, "* \x1b[33mabc\x1b[m\x1b[32m [good]\x1b[m subject"},
		{gitLine{{"\x1b[33m", "commit abc"}, {"\x1b[m", ""}}, 10, true, "\x1b[33mcommit abc\x1b[m\x1b[32m [good]\x1b[m"},
	} {
		var b strings.Builder
		if err := c.line.insert(c.at, green, c.color).write(&b); err != nil {
			t.Fatal(err)
		}
		if got := strings.TrimSuffix(b.String(), "\n"); got != c.want {
			t.Errorf("%q: %q", c.line, got)
		}
	}
}
