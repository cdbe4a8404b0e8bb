package doc

import (
	"slices"
	"strings"
	"unicode"
)

// Quotes returns the pieces by which later progress summaries quote a commit, see
// NextProgress: its complete lines, its first line shortened, and the lines that result
// when a summary of each given limit (in characters) cuts it. Tombstones for these pieces
// also redact quotations in commits that exist only in other clones. Lines without a letter
// or digit are left out, as they identify nothing. No summary quotes a birth.
func Quotes(m Milestone, limits ...int) []string {
	item := progressItem(m)
	if item == "" || m.Kind == KindBirth {
		return nil
	}
	forms := []string{item, shorten(item), m.Summary, strings.Join(strings.Fields(m.Summary), " ")}
	for _, limit := range limits {
		// The summary of a merge leaves half its room for the branch, and an item that
		// others follow gets two thirds.
		for _, room := range []int{limit, limit * 2 / 3, limit / 2, limit / 2 * 2 / 3} {
			forms = append(forms, formatItem(item, room))
		}
	}
	var quotes pieces
	for _, form := range forms {
		for line := range strings.SplitSeq(form, "\n") {
			if says(line) {
				quotes.add(line)
			}
		}
	}
	return quotes.list
}

// says reports whether a line has a letter or a digit.
func says(line string) bool {
	return strings.ContainsFunc(line, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) })
}

// QuotesIn returns the pieces of text that quote a commit, wherever they are cut: lines of
// the commit, prefixes of such lines that end in "…", and lines that end in its summary, as
// the roadmap's do. It is for texts that are available; Quotes is for those that are not.
func QuotesIn(m Milestone, text string) []string {
	known := Quotes(m)
	if len(known) == 0 {
		return nil
	}
	summary := strings.Join(strings.Fields(m.Summary), " ")
	var found pieces
	for line := range strings.SplitSeq(text, "\n") {
		_, piece, _ := cutPiece(line)
		begin, cut := strings.CutSuffix(piece, "…")
		switch {
		case slices.Contains(known, piece),
			summary != "" && strings.HasSuffix(piece, ": "+summary),
			cut && says(begin) && slices.ContainsFunc(known, func(q string) bool { return strings.HasPrefix(q, begin) }):
			found.add(piece)
		}
	}
	return found.list
}
