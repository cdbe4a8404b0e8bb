package agent

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

// A text that is chosen has at most its limit, only lines of the text but for the gaps, in their order, and
// a note of all that is missing.
func FuzzChoose(f *testing.F) {
	f.Add(filler(0, 50)+"FAIL\n"+filler(0, 50), 500, "package 7")
	f.Add(strings.Repeat("x", 3000)+"\n\n\n"+strings.Repeat("é\n", 900), 700, "é")
	f.Fuzz(func(t *testing.T, text string, limit int, task string) {
		text = strings.ToValidUTF8(text, "?")
		limit = max(minField, min(limit, MaxField))
		got := Choose(text, limit, WantedBy(task))
		if len(got) > limit || !utf8.ValidString(got) {
			t.Fatalf("%d bytes of %d: %q", len(got), limit, got)
		}
		if len(text) <= limit && got != text {
			t.Fatalf("%q is not %q", got, text)
		}
		shown := Digest(text, limit, WantedBy(task), nil)
		if len(shown) > limit || !utf8.ValidString(shown) {
			t.Fatalf("a digest of %d bytes of %d: %q", len(shown), limit, shown)
		}
		at := 0
		all := strings.Split(text, "\n")
		for _, line := range strings.Split(strings.TrimRight(shown, "\n"), "\n") {
			if strings.Contains(line, "…") || strings.Contains(shown, "[redacted") {
				continue // a gap, or a line that was cut
			}
			n := slices.Index(all[at:], line)
			if n < 0 {
				t.Fatalf("%q is no line of %q", line, all[at:])
			}
			at += n + 1
		}
	})
}

// A short form has at most its size, and nothing but lines of the texts.
func FuzzChange(f *testing.F) {
	f.Add("a\nb\n", "a\nfunc B() {\n"+filler(0, 50))
	f.Add("", "# Title\n=====\n\n"+filler(0, 50))
	f.Fuzz(func(t *testing.T, before, after string) {
		got := Change(Edit{before, after}, Edit{New: before})
		if len(got) > MaxChange || utf8.ValidString(before+after) && !utf8.ValidString(got) {
			t.Fatalf("%d bytes: %q", len(got), got)
		}
		for line := range strings.Lines(got) {
			if !strings.HasPrefix(line, "+ ") && !strings.HasPrefix(line, "- ") && !strings.HasPrefix(line, "… ") {
				t.Fatalf("%q", got)
			}
		}
		for limit := range 30 {
			if short := Shorten(got, limit*10); len(short) > limit*10 {
				t.Fatalf("%d bytes of %d: %q", len(short), limit*10, short)
			}
		}
	})
}
