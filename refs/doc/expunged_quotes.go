package doc

import (
	"slices"
	"strings"

	"github.com/git-context/git-context/refs/prose"
)

// QuotesIn returns the pieces of text that quote a commit, wherever they are cut: lines of
// the commit, prefixes of such lines that end in "…", lines that end in its summary, as the
// roadmap's do, and what a rollback to it says. It is for texts that are available; Quotes is for those that are not.
func QuotesIn(m Commit, text string) []string {
	known := newQuotable(Quotes(m))
	if len(known.sorted) == 0 {
		return nil
	}
	summary := prose.Fold(m.Summary)
	named := ": " + summary
	var found pieces
	for line := range strings.SplitSeq(text, "\n") {
		_, piece, _ := cutPiece(line)
		begin, cut := strings.CutSuffix(piece, "…")
		switch {
		case known.has(piece),
			known.namedByRollback(piece),
			summary != "" && strings.HasSuffix(piece, named),
			cut && hasAlphanumeric(begin) && known.begins(begin):
			found.add(piece)
		}
	}
	return found.list
}

// quotable are the lines of a commit, to be looked up: commit and text may have hundreds of thousands of lines each, so that none of one is
// compared with all of the other.
type quotable struct {
	sorted  []string
	lengths []int // of those in sorted, ascending, without duplicates
	set     map[string]bool
}

func newQuotable(lines []string) *quotable {
	q := &quotable{sorted: slices.Sorted(slices.Values(lines)), set: make(map[string]bool, len(lines))}
	for _, line := range lines {
		q.set[line] = true
		q.lengths = append(q.lengths, len(line))
	}
	slices.Sort(q.lengths)
	q.lengths = slices.Compact(q.lengths)
	return q
}

// has reports whether a text is one of the lines.
func (q *quotable) has(text string) bool { return q.set[text] }

// begins reports whether one of the lines begins with a text.
func (q *quotable) begins(text string) bool {
	i, _ := slices.BinarySearch(q.sorted, text)
	return i < len(q.sorted) && strings.HasPrefix(q.sorted[i], text)
}

// before reports whether a text begins with one of the lines and what follows it.
func (q *quotable) before(text, follows string) bool {
	for _, n := range q.lengths {
		if n+len(follows) > len(text) {
			break
		}
		if strings.HasPrefix(text[n:], follows) && q.set[text[:n]] {
			return true
		}
	}
	return false
}

// behind reports whether a text ends with one of the lines and what precedes it.
func (q *quotable) behind(text, precedes string) bool {
	for _, n := range q.lengths {
		if n+len(precedes) > len(text) {
			break
		}
		if at := len(text) - n; strings.HasSuffix(text[:at], precedes) && q.set[text[at:]] {
			return true
		}
	}
	return false
}

// namedByRollback reports whether a line of a rollback repeats one of the lines of a commit, also of one that an older version has made. A
// progress summary puts the rollback's number before the line.
func (q *quotable) namedByRollback(line string) bool {
	if _, summary, ok := strings.Cut(line, ": "+RollbackTo); ok {
		line = RollbackTo + summary
	}
	if rest, ok := strings.CutPrefix(line, RollbackTo); ok {
		rest, ok = strings.CutSuffix(rest, "'")
		if !ok {
			return false
		}
		whole, opened := strings.CutPrefix(rest, "'")
		return opened && q.has(whole) || q.behind(rest, " after '")
	}
	if rest, ok := strings.CutPrefix(line, RolledBackTo); ok {
		return q.before(rest, " (")
	}
	rest, ok := strings.CutPrefix(line, knownThere)
	return ok && q.has(rest)
}
