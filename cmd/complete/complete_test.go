package complete

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// What memory says comes from elsewhere: a name that would not be shown as it is, or
// that ends a line, is not offered.
func TestOffersAreSafe(t *testing.T) {
	t.Parallel()
	f := finder{seen: map[string]bool{}}
	f.add("words", "a\tb\x1b[31m\nc", "fine", "fine", "", "two\nlines", "tab\there", "esc\x1b[2J", "turned\u202e", "\xff")
	if diff := cmp.Diff([]Candidate{{"fine", "a b^[[31m c", "words"}}, f.result.Candidates); diff != "" {
		t.Error(diff)
	}
}

func TestBashWords(t *testing.T) {
	t.Parallel()
	const breaks = " \t\n\"'><=;|&(:"
	for _, test := range []struct{ typed, candidate, want string }{
		{"", "main", "main "},
		{"ma", "main", "main "},
		{"ma", "topic", ""},
		{"--branch=ma", "--branch=main", "main "},
		{"a:b", "a:bc:d", "bc:d "},
		{"", "Read it's $HOME", `Read\ it\'s\ \$HOME `},
		{`Read\ i`, "Read it", `Read\ it `},
		{"'Read i", "Read it's", `Read it'\''s`},
		{`"Read: i`, `Read: it "x" $y`, `Read: it \"x\" \$y`},
		{`"a b"c`, "a bcd", `a\ bcd `},
		{`--done="Fix `, "--done=Fix *", "Fix *"},
		{`a\`, `a\b`, `a\\b `},
		{"", "~x", `\~x `},
		{"main..", "main..try", "main..try "},
		{"", "größe", "größe "},
	} {
		got, ok := readTyped(test.typed, breaks).complete(test.candidate)
		if got != test.want || ok != (test.want != "") {
			t.Errorf("%s: %q, want %q", test.typed, got, test.want)
		}
	}
	for _, test := range []struct{ words, want []string }{
		{[]string{"--branch", "=", "ma"}, []string{"--branch=ma"}},
		{[]string{"--branch", "="}, []string{"--branch="}},
		{[]string{"a", ":", "b", "c"}, []string{"a:b", "c"}},
		{[]string{"-m", "a=b", ""}, []string{"-m", "a=b", ""}},
	} {
		if got := joinBroken(test.words, breaks); !slices.Equal(got, test.want) {
			t.Errorf("%q: %q", test.words, got)
		}
	}
}

// However much of a text is typed, and in whatever quotes, what bash puts on the line
// reads as that text.
func TestBashWordsReadAgain(t *testing.T) {
	t.Parallel()
	const breaks = " \t\n\"'><=;|&(:"
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringMatching("[a-zA-Z0-9 '\"$`\\\\*?:=~#!é/.@-]{1,20}").Draw(t, "text")
		n := rapid.IntRange(0, len(text)).Draw(t, "typed")
		var typed string
		switch rapid.SampledFrom([]string{"", "'", `"`}).Draw(t, "quote") {
		case "'":
			typed = "'" + strings.ReplaceAll(text[:n], "'", `'\''`)
		case `"`:
			typed = `"` + escape(text[:n], func(_ int, c byte) bool { return strings.IndexByte("\\\"$`", c) >= 0 })
		default:
			typed = escape(text[:n], func(_ int, c byte) bool { return c < 0x80 && c != ':' && c != '=' })
		}
		w := readTyped(typed, breaks)
		if w.text != text[:n] {
			t.Fatalf("%s reads as %q", typed, w.text)
		}
		got, ok := w.complete(text)
		if !ok {
			t.Fatalf("%s does not begin %q", typed, text)
		}
		if w.quote == 0 {
			got = strings.TrimSuffix(got, " ")
		} else {
			got = string(w.quote) + got
		}
		if again := readTyped(got, ""); again.text != text[w.keep:] {
			t.Fatalf("%s reads as %q, want %q", got, again.text, text[w.keep:])
		}
	})
}
