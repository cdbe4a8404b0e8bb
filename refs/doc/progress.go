package doc

import (
	"cmp"
	"fmt"
	"math"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/git-context/git-context/refs/prose"
)

const (
	oldItemLimit  = 160 // limit, in characters, of an older commit in a rolling summary
	minTextLength = 40  // a caller's own text is dropped rather than cut below this length
)

// NextProgress makes the "Previous Progress Summary" of the commit that follows prev, of at
// most limit characters. It is a list, newest first: prev in full, then the items of prev's
// own Progress, each cut to its first sentence, then the number of dropped items:
//
//   - main 12: Pool is initialised before the router
//     The router asked for a connection before the pool had one.
//   - main 11: Found the failing route.
//     … and 10 earlier milestones
//
// A Progress that is not such a list (a caller may give any text) counts as one item, which
// is kept in full the first time. A birth adds nothing, because its purpose is recorded
// elsewhere.
func NextProgress(prev Commit, limit int) string {
	old, dropped, free := parseProgress(prev.Progress)
	return nextProgress(prev, old, dropped, free, limit)
}

// NextProgressOf is NextProgress of the last of a branch's newest commits, which live lists
// in the order of their ids. It adds the commits of the same branch that were made
// concurrently in another repository and that the last commit's Progress therefore lacks.
// Commits before a rollback are not added: the rollback's Progress lists what remains of
// them.
func NextProgressOf(live []Commit, limit int) string {
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

// WrittenProgress reports whether a progress summary is a text that was given, and not the
// list that NextProgress makes.
func WrittenProgress(text string) bool {
	_, _, free := parseProgress(text)
	return text != "" && free
}

// unmentioned lists the items of the commits in live that a summary lacks, newest first.
// Items that the summary dropped for lack of space are older than all that it contains.
func unmentioned(live []Commit, items []string, dropped bool) []string {
	known := make(map[string]bool, len(items))
	for _, item := range items {
		known[itemKey(item)] = true
	}
	prev := live[len(live)-1]
	var missing []string
	oldest := len(live) // of the news that are newer than a known item
	for i := len(live) - 2; i >= 0; i-- {
		m := live[i]
		if live[i+1].Kind == KindRollback && live[i+1].Origin == prev.Origin {
			break // a rollback undid what comes before
		}
		if m.Origin != prev.Origin || m.Kind == KindBirth {
			continue // the merge commit sums up the merged branch
		}
		if item := progressItem(m); known[itemKey(item)] {
			oldest = len(missing)
		} else {
			missing = append(missing, item)
		}
	}
	if dropped {
		missing = missing[:min(oldest, len(missing))]
		if oldest == len(live) {
			return nil
		}
	}
	return missing
}

// itemKey returns a key that is the same for an item and its shortened form.
func itemKey(item string) string {
	line, _, _ := strings.Cut(shorten(item), "\n")
	if runes := []rune(line); len(runes) > minTextLength {
		line = string(runes[:minTextLength])
	}
	return strings.TrimRight(line, ". …")
}

func nextProgress(prev Commit, old []string, dropped int, free bool, limit int) string {
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

// progressItem formats a commit: its summary on the first line, its contribution below. If
// the contribution begins with the summary, the summary is not repeated.
func progressItem(m Commit) string {
	summary := prose.Fold(m.Summary)
	if m.Kind == KindRollback && strings.HasPrefix(summary, RollbackTo) { // its contribution says the same without another commit's words
		summary = ""
	}
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

// beginsWord reports whether s begins with a letter or digit, so that it continues a word.
func beginsWord(s string) bool {
	r, _ := utf8.DecodeRuneInString(s)
	return unicode.IsLetter(r) || unicode.IsDigit(r)
}

// parseProgress reads what NextProgress writes. For any other text, free is true and the
// text is the only item.
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

// fitProgress writes as many items as fit. It cuts the newest item if necessary, to two
// thirds of the limit if others follow, so that one long report does not displace the rest.
// If free is true, the last item is arbitrary text and may be cut too.
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
		if free && room >= minTextLength {
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

// formatItem formats an item as a list item of at most room characters.
func formatItem(item string, room int) string {
	return truncate("- "+strings.ReplaceAll(item, "\n", "\n  "), room)
}

// truncate cuts s to most characters, at a word boundary if one is near, and ends it with
// "…".
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

// shorten reduces an item to the first sentence of its first line.
func shorten(item string) string {
	line, _, _ := strings.Cut(item, "\n")
	return truncate(firstSentence(line), oldItemLimit)
}

// firstSentence ends at '.', '!' or '?' before a space unless a lower-case letter follows
// ("e.g. this" continues), or at a Chinese or Japanese full stop.
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
