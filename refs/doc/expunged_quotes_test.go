package doc

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/git-context/git-context/refs/prose"
)

// quotesByEach is QuotesIn, which compares each line of the text with each of the commit.
func quotesByEach(m Commit, text string) []string {
	known := Quotes(m)
	if len(known) == 0 {
		return nil
	}
	summary := prose.Fold(m.Summary)
	var found pieces
	for line := range strings.SplitSeq(text, "\n") {
		_, piece, _ := cutPiece(line)
		begin, cut := strings.CutSuffix(piece, "…")
		switch {
		case slices.Contains(known, piece),
			slices.ContainsFunc(known, func(q string) bool { return rollbackNames(piece, q) }),
			summary != "" && strings.HasSuffix(piece, ": "+summary),
			cut && hasAlphanumeric(begin) && slices.ContainsFunc(known, func(q string) bool { return strings.HasPrefix(q, begin) }):
			found.add(piece)
		}
	}
	return found.list
}

// rollbackNames reports whether a line of a rollback repeats a line.
func rollbackNames(line, quote string) bool {
	if _, summary, ok := strings.Cut(line, ": "+RollbackTo); ok {
		line = RollbackTo + summary
	}
	if rest, ok := strings.CutPrefix(line, RollbackTo); ok {
		return rest == "'"+quote+"'" || strings.HasSuffix(rest, " after '"+quote+"'")
	}
	if rest, ok := strings.CutPrefix(line, RolledBackTo); ok {
		return strings.HasPrefix(rest, quote+" (")
	}
	return line == knownThere+quote
}

// What is looked up is found as by comparing all with all.
func TestQuotesInFindsAll(t *testing.T) {
	t.Parallel()
	words := []string{"", "a", "ab", "a b", "é", "éa", "'", "a'", "a (b", " (", " after '", "x after 'a", ": ", ":", "…", "-", "> a", "- [ ] a", " ", "  a",
		RollbackTo, RolledBackTo, knownThere, "12: " + RollbackTo, "ab after 'ab"}
	frames := []string{"%s", "%s…", "x: %s", RollbackTo + "'%s'", RollbackTo + "a state after '%s'", "3: " + RollbackTo + "'%s'", RolledBackTo + "%s (12)",
		knownThere + "%s", "- %s", "%s'", "'%s'", RollbackTo + "%s", RollbackTo + " after '%s'", RolledBackTo + "%s (", "b after '%s'"}
	rapid.Check(t, func(t *rapid.T) {
		line := rapid.Custom(func(t *rapid.T) string {
			return strings.Join(rapid.SliceOfN(rapid.SampledFrom(words), 0, 3).Draw(t, "words"), "")
		})
		lines := rapid.Custom(func(t *rapid.T) string {
			return strings.Join(rapid.SliceOfN(line, 0, 5).Draw(t, "lines"), "\n")
		})
		m := Commit{Summary: line.Draw(t, "summary"), Contribution: lines.Draw(t, "contribution")}
		if rapid.Bool().Draw(t, "summary has lines") {
			m.Summary = lines.Draw(t, "summaries")
		}
		from := append(Quotes(m), m.Summary, prose.Fold(m.Summary))
		var text []string
		for range rapid.IntRange(0, 6).Draw(t, "n") {
			s := line.Draw(t, "text")
			if rapid.IntRange(0, 3).Draw(t, "quotes") > 0 {
				s = rapid.SampledFrom(from).Draw(t, "quote")
			}
			if rapid.Bool().Draw(t, "part") {
				s = string([]rune(s)[:rapid.IntRange(0, len([]rune(s))).Draw(t, "runes")])
			}
			s = fmt.Sprintf(rapid.SampledFrom(frames).Draw(t, "frame"), s)
			text = append(text, fmt.Sprintf(rapid.SampledFrom(frames).Draw(t, "outer frame"), s))
		}
		all := strings.Join(text, "\n")
		if diff := cmp.Diff(quotesByEach(m, all), QuotesIn(m, all)); diff != "" {
			t.Fatalf("%q in %q: %s", Quotes(m), all, diff)
		}
	})
}

// A commit and a text with very many lines each are searched without comparing all with all.
func TestQuotesInManyLines(t *testing.T) {
	t.Parallel()
	const n = 60000
	lines := func(format string) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, format+"\n", i)
		}
		return b.String()
	}
	m := Commit{Summary: "x", Contribution: lines("line %d")}
	text := lines("other %d…") + lines(RollbackTo+"'other %d'") + lines(RolledBackTo+"other %d (1)") + lines("other %d") + "line 7\nline 59…\nx: x\n"
	if diff := cmp.Diff([]string{"line 7", "line 59…", "x: x"}, QuotesIn(m, text)); diff != "" {
		t.Errorf("%.1000s", diff)
	}
}
