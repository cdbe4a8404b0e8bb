package doc

import (
	"cmp"
	"fmt"
	"math"
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	oldLength = 160 // the most characters that an older milestone keeps in a rolling summary
	leastText = 40  // the least of a caller's own text that is worth keeping
)

// NextProgress makes the "Previous Progress Summary" of the milestone that follows prev,
// of at most limit characters: a list, newest first, with prev in full, then what prev's own
// Progress says, each item cut to its first sentence, then how many were dropped:
//
//   - main 12: Pool is initialised before the router
//     The router asked for a connection before the pool had one.
//   - main 11: Found the failing route.
//     … and 10 earlier milestones
//
// A Progress that is not such a list (a caller may give any text) counts as one item, and
// stands in full the first time. A birth entry adds nothing: its purpose stands elsewhere.
func NextProgress(prev Milestone, limit int) string {
	old, dropped, free := parseProgress(prev.Progress)
	return nextProgress(prev, old, dropped, free, limit)
}

// NextProgressOf is NextProgress of the last of a branch's newest milestones, which are given
// in the order of their ids. Milestones of the branch that were made beside it, in another
// repository, and that its own Progress therefore does not know, come behind it; what stands
// before a rollback does not, for the rollback's Progress says what of it is left.
func NextProgressOf(live []Milestone, limit int) string {
	if len(live) == 0 {
		return ""
	}
	prev := live[len(live)-1]
	old, dropped, free := parseProgress(prev.Progress)
	if !free {
		old = append(unmentioned(live, old, dropped > 0), old...)
	}
	return nextProgress(prev, old, dropped, free, limit)
}

// unmentioned lists the items of milestones that a summary lacks, newest first. What was
// dropped for want of room is older than all that it has.
func unmentioned(live []Milestone, items []string, dropped bool) []string {
	known := make(map[string]bool, len(items))
	for _, item := range items {
		known[itemKey(item)] = true
	}
	prev := live[len(live)-1]
	var news []string
	oldest := len(live) // of the news that are newer than something known
	for i := len(live) - 2; i >= 0; i-- {
		m := live[i]
		if live[i+1].Kind == KindRollback && live[i+1].Origin == prev.Origin {
			break // what it undid is no progress any more
		}
		if m.Origin != prev.Origin || m.Kind == KindBirth {
			continue // of a merged branch: its merge sums it up
		}
		if item := progressItem(m); known[itemKey(item)] {
			oldest = len(news)
		} else {
			news = append(news, item)
		}
	}
	if dropped {
		news = news[:min(oldest, len(news))]
		if oldest == len(live) {
			return nil
		}
	}
	return news
}

// itemKey recognises an item, shortened or not.
func itemKey(item string) string {
	line, _, _ := strings.Cut(shorten(item), "\n")
	if runes := []rune(line); len(runes) > leastText {
		line = string(runes[:leastText])
	}
	return strings.TrimRight(line, ". …")
}

func nextProgress(prev Milestone, old []string, dropped int, free bool, limit int) string {
	if limit <= 0 {
		return ""
	}
	items := make([]string, 0, len(old)+1)
	if item := progressItem(prev); item != "" && prev.Kind != KindBirth {
		items = append(items, item)
	}
	for i, item := range old {
		if !free && (i > 0 || len(items) > 0) {
			item = shorten(item)
		}
		items = append(items, item)
	}
	return fitProgress(items, dropped, free, limit)
}

// progressItem is what a milestone says of itself: its summary on the first line, the
// contribution below, once if they say the same.
func progressItem(m Milestone) string {
	summary := strings.Join(strings.Fields(m.Summary), " ")
	var lines []string
	for line := range strings.SplitSeq(m.Contribution, "\n") {
		if line = strings.TrimRight(line, " \t\r"); line != "" {
			lines = append(lines, line)
		}
	}
	body := strings.TrimSpace(strings.Join(lines, "\n"))
	if rest, ok := strings.CutPrefix(body, summary); ok && !beginsWord(rest) {
		if strings.HasPrefix(rest, ".") {
			summary += "."
		}
		body = strings.TrimSpace(strings.TrimLeft(rest, ".:"))
	}
	item := summary
	if summary != "" && body != "" {
		item += "\n"
	}
	item += body
	if m.Number > 0 && item != "" {
		item = fmt.Sprintf("%s %d: %s", cmp.Or(m.Origin, "Commit"), m.Number, item)
	}
	return item
}

// beginsWord reports whether a text goes on in the middle of a word.
func beginsWord(s string) bool {
	r, _ := utf8.DecodeRuneInString(s)
	return unicode.IsLetter(r) || unicode.IsDigit(r)
}

// parseProgress reads what NextProgress wrote. Free is true for any other text, which
// comes back as the one item.
func parseProgress(text string) (items []string, dropped int, free bool) {
	text = strings.Trim(text, "\n")
	if strings.TrimSpace(text) == "" {
		return nil, 0, false
	}
	lines := strings.Split(text, "\n")
	if n, ok := parseDropped(lines[len(lines)-1]); ok {
		dropped, lines = n, lines[:len(lines)-1]
	}
	for _, line := range lines {
		more, indented := strings.CutPrefix(line, "  ")
		item, begins := strings.CutPrefix(line, "- ")
		switch {
		case begins:
			items = append(items, item)
		case indented && len(items) > 0:
			items[len(items)-1] += "\n" + more
		default:
			return []string{strings.TrimSpace(text)}, 0, true
		}
	}
	return items, dropped, false
}

func parseDropped(line string) (int, bool) {
	rest, ok := strings.CutPrefix(line, "… and ")
	digits, ok2 := strings.CutSuffix(strings.TrimSuffix(rest, "s"), " earlier milestone")
	n, ok3 := parseCount(digits)
	return int(n), ok && ok2 && ok3 && n > 0 && n < 1e9
}

func droppedLine(n int) string {
	if n == 1 {
		return "… and 1 earlier milestone"
	}
	return fmt.Sprintf("… and %d earlier milestones", n)
}

// fitProgress writes as many items as fit. The newest is cut if it must be, to two thirds
// where others follow, so that one long report does not wipe out the rest. Free means that the
// last item is any text, and may be cut too.
func fitProgress(items []string, dropped int, free bool, limit int) string {
	if len(items) == 0 {
		if dropped > 0 {
			return truncate(droppedLine(dropped), limit)
		}
		return ""
	}
	room := limit
	if len(items) > 1 || dropped > 0 {
		room = limit * 2 / 3
	}
	text := formatItem(items[0], room)
	used := utf8.RuneCountInString(text)
	for i, item := range items[1:] {
		room := limit - used - 1
		if left := len(items) - i - 2 + dropped; left > 0 {
			room -= 1 + utf8.RuneCountInString(droppedLine(left+1))
		}
		line := formatItem(item, math.MaxInt)
		if free && room >= leastText {
			line = truncate(line, room)
		}
		n := utf8.RuneCountInString(line)
		if n > room {
			dropped += len(items) - i - 1
			break
		}
		text, used = text+"\n"+line, used+1+n
	}
	if dropped > 0 {
		if line := droppedLine(dropped); used+1+utf8.RuneCountInString(line) <= limit {
			text += "\n" + line
		}
	}
	return text
}

// formatItem lays an item out as a list item of at most room characters.
func formatItem(item string, room int) string {
	return truncate("- "+strings.ReplaceAll(item, "\n", "\n  "), room)
}

// truncate cuts at a word where that costs little, and marks the cut with "…".
func truncate(s string, most int) string {
	if utf8.RuneCountInString(s) <= most {
		return s
	}
	if most <= 0 {
		return ""
	}
	runes := []rune(s)[:most-1]
	cut := len(runes)
	for i := cut - 1; i > cut*3/4; i-- {
		if unicode.IsSpace(runes[i]) {
			cut = i
			break
		}
	}
	return strings.TrimRight(string(runes[:cut]), " \n\t") + "…"
}

// shorten cuts an item to the first sentence of its first line.
func shorten(item string) string {
	line, _, _ := strings.Cut(item, "\n")
	return truncate(firstSentence(line), oldLength)
}

// firstSentence ends at a full stop or its like before a space and what is no small letter
// ("e.g. this" goes on), or at the end of a sentence in Chinese or Japanese.
func firstSentence(s string) string {
	for i, r := range s {
		after := i + utf8.RuneLen(r)
		switch r {
		case '。', '！', '？':
			return s[:after]
		case '.', '!', '?':
			rest := strings.TrimLeft(s[after:], " ")
			if len(rest) == len(s[after:]) {
				continue
			}
			if next, _ := utf8.DecodeRuneInString(rest); rest != "" && unicode.IsLower(next) {
				continue
			}
			return s[:after]
		}
	}
	return s
}
