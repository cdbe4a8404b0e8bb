package expunge

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/git-context/git-context/refs/doc"
)

// quotesLine reports whether a quote contains a line, or ends within it.
func quotesLine(quote, line string) bool {
	quote = strings.TrimSuffix(quote, "…")
	if strings.Contains(quote, line) {
		return true
	}
	for n := min(len(quote), len(line)); n >= min(minOverlap, len(quote)) && n > 0; n-- {
		if strings.HasSuffix(quote, line[:n]) {
			return true
		}
	}
	return false
}

// Lines that are looked up are in the same quotes as lines that are compared with each of them.
func TestTouchedLinesAsEach(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.Custom(func(t *rapid.T) string {
			return strings.Join(rapid.SliceOfN(rapid.SampledFrom([]string{"a", "b", "aab", "é", "…", "abba"}), 0, 6).Draw(t, "parts"), "")
		})
		lines, quote := rapid.SliceOfN(text, 0, 6).Draw(t, "lines"), text.Draw(t, "quote")
		want := slices.ContainsFunc(lines, func(line string) bool { return quotesLine(quote, line) })
		if got := newTouchedLines(lines).quotedIn(quote); got != want {
			t.Fatalf("%q in %q: %v, want %v", lines, quote, got, want)
		}
	})
}

// A commit of very many lines, half of which the text is in, is not compared line by line.
func TestRevealingOfManyLines(t *testing.T) {
	t.Parallel()
	const n = 60000
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "k%06d\nq%06d\n", i, i)
	}
	m := &doc.Commit{ID: "01JD5K6T3V7Q3M9K2A4B5C6D7E", Summary: "s", Contribution: b.String()}
	f := &finder{match: newMatcher("k")}
	quotes := doc.Quotes(*m)
	got := f.revealing(m, quotes)
	if len(got) != n {
		t.Errorf("%d quotes, want %d", len(got), n)
	}
}
