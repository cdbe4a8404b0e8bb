package doc

import (
	"slices"
	"strings"
	"unicode"
)

// Quotes returns the pieces by which later progress summaries quote a milestone, see
// NextProgress: its lines in full, its first line shortened, and the lines at which a summary of
// each given limit (in characters) cuts it. As tombstones, they catch what is quoted in
// milestones that another clone has alone. A line without a letter or digit is nobody's alone and is
// left out. A birth is quoted nowhere.
func Quotes(m Milestone, limits ...int) []string {
	item := progressItem(m)
	if item == "" || m.Kind == KindBirth {
		return nil
	}
	forms := []string{item, shorten(item), m.Summary, strings.Join(strings.Fields(m.Summary), " ")}
	for _, limit := range limits {
		// A merge leaves half for what the branch did, and what is not alone gets two thirds.
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

// QuotesIn returns the pieces of a text that quote a milestone, wherever they are cut: lines of
// the milestone, begins of such lines that end in "…", and lines that end in its summary (as those of
// the roadmap do). It is for the texts that are at hand; Quotes is for those that are not.
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
