package agent

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/git-context/git-context/refs/prose"
)

// MaxChange is the size in bytes of the short form of what a call changed.
const MaxChange = 320

// Bounds of what the short form is made of.
const (
	mostEdited  = 8 << 10 // bytes of a text that are looked at
	mostChanged = 100     // characters of a line
)

// Edit is a text that takes the place of another; Old is empty where it is not known, or a file is new.
type Edit struct{ Old, New string }

// Change is the short form of edits: the lines that they added, "+ " and a line, and those that they
// removed, "- ". White space is folded, what an edit only moved or indented is left out, and so are lines
// without a letter or digit. If not all of them have room, the lines that name something (headings,
// declarations) come first, then the shortest edit; removed ones get what is left, see pick. The last
// line counts what is missing.
//
// The texts have no secrets: Event.Clean replaces them.
func Change(edits ...Edit) string {
	all := make([]hunk, len(edits))
	for i, e := range edits {
		all[i] = hunkOf(lines(e.Old), lines(e.New))
	}
	return shortest(all, 0, MaxChange)
}

// Shorten makes a short form, or several of them, shorter.
func Shorten(change string, limit int) string {
	if len(change) <= limit {
		return change
	}
	var h hunk
	left := 0
	for line := range strings.Lines(change) {
		line = strings.TrimSuffix(line, "\n")
		if text, ok := strings.CutPrefix(line, "+ "); ok {
			h.added = append(h.added, changed{text: text})
		} else if text, ok := strings.CutPrefix(line, "- "); ok {
			h.removed = append(h.removed, changed{text: text})
		} else {
			n := 0
			_, _ = fmt.Sscanf(line, missingLines, &n) // 0 for another line
			left += n
		}
	}
	return shortest([]hunk{h}, left, limit)
}

// missingLines is the last line of a short form that has not all lines.
const missingLines = "… %d lines more"

// changed is a line that an edit added or removed.
type changed struct {
	text, after string // after is the line below it
	rank        int
	kept        bool
}

// hunk is what an edit changed.
type hunk struct{ added, removed []changed }

// hunkOf compares the lines of two texts. A line that both have counts as unchanged, wherever it is: a
// short form needs no alignment.
func hunkOf(before, after []string) (h hunk) {
	h.added = without(after, before)
	h.removed = without(before, after)
	return h
}

// without are the lines that are not among others, each as often as it is there more often.
func without(all, others []string) (list []changed) {
	had := make(map[string]int, len(others))
	for _, line := range others {
		had[strings.TrimSpace(line)]++
	}
	for i, line := range all {
		text := strings.TrimSpace(line)
		if had[text] > 0 {
			had[text]--
			continue
		}
		next := ""
		if i+1 < len(all) {
			next = all[i+1]
		}
		if strings.ContainsFunc(text, readable) {
			list = append(list, changed{text: folded(text), after: next})
		}
	}
	return list
}

// folded is a line with single spaces, at most mostChanged characters of it. It may be a file without line ends,
// so that no more of it is read.
func folded(line string) string {
	n := 0
	for i := range line {
		if n++; n > 4*mostChanged {
			line = line[:i]
			break
		}
	}
	if strings.Contains(line, "  ") || strings.Contains(line, "\t") {
		line = prose.Fold(line)
	}
	n = 0
	for i := range line {
		if n++; n == mostChanged {
			if _, size := utf8.DecodeRuneInString(line[i:]); i+size < len(line) {
				return strings.TrimRight(line[:i], " ") + "…"
			}
		}
	}
	return line
}

func readable(c rune) bool { return unicode.IsLetter(c) || unicode.IsDigit(c) }

// lines are those of the beginning of a text.
func lines(text string) []string {
	if text == "" {
		return nil
	}
	if len(text) > mostEdited {
		n := mostEdited
		for n > 0 && !utf8.RuneStart(text[n]) {
			n--
		}
		text = text[:n]
	}
	return strings.Split(text, "\n")
}

// shortest writes the lines that have room. More counts those that are missing already.
func shortest(all []hunk, more, limit int) string {
	pick(all, limit)
	var b strings.Builder
	write := func(list []changed, mark string) {
		for _, c := range list {
			if !c.kept {
				more++
				continue
			}
			b.WriteString(mark + c.text + "\n")
		}
	}
	for _, h := range all {
		write(h.added, "+ ")
		write(h.removed, "- ")
	}
	if note := fmt.Sprintf(missingLines, more); more > 0 && b.Len()+len(note) <= limit {
		b.WriteString(note)
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// pick marks the lines that have room:
//
//  1. all, if they do
//  2. of those that were added, the lines that name something, in half of it
//  3. the others, the shortest edit first, but what every file begins with last
//  4. of those that were removed by edits of which all is told that they added, the same
func pick(all []hunk, limit int) {
	if total(all) <= limit {
		for _, h := range all {
			keep(h.added)
			keep(h.removed)
		}
		return
	}
	left := limit - len(missingLines) - 4
	take := func(c *changed, most int) int {
		if size := len(c.text) + len("+ \n"); !c.kept && size <= most {
			c.kept = true
			return size
		}
		return 0
	}
	order := make([]*hunk, len(all))
	for i := range all {
		order[i] = &all[i]
	}
	slices.SortStableFunc(order, func(a, b *hunk) int { return cmp.Compare(bytesOf(a.added), bytesOf(b.added)) })
	removed := func(h *hunk) []changed {
		if slices.ContainsFunc(h.added, func(c changed) bool { return !c.kept }) {
			return nil
		}
		return h.removed
	}
	for _, of := range []func(*hunk) []changed{func(h *hunk) []changed { return h.added }, removed} {
		named := left / 2
		for _, h := range order {
			list := of(h)
			for i := range list {
				if list[i].rank = rankOf(list[i].text, list[i].after); list[i].rank == rankName {
					n := take(&list[i], named)
					named, left = named-n, left-n
				}
			}
		}
		for _, least := range []int{rankPlain, rankUsual} {
			for _, h := range order {
				list := of(h)
				for i := range list {
					if list[i].rank >= least {
						left -= take(&list[i], left)
					}
				}
			}
		}
	}
}

func keep(list []changed) {
	for i := range list {
		list[i].kept = true
	}
}

func total(all []hunk) (n int) {
	for _, h := range all {
		n += bytesOf(h.added) + bytesOf(h.removed)
	}
	return n
}

func bytesOf(list []changed) (n int) {
	for _, c := range list {
		n += len(c.text) + len("+ \n")
	}
	return n
}
