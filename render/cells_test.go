package render

import (
	"strings"
	"testing"

	"github.com/git-context/git-context/refs/code"
	"github.com/git-context/git-context/refs/history"
	"github.com/git-context/git-context/refs/store"
	"github.com/google/go-cmp/cmp"
)

// What the terminals of the day agree on.
func TestCells(t *testing.T) {
	for _, tt := range []struct {
		name, text string
		want       int
	}{
		{"ASCII", "pool", 4}, {"accent", "é", 1}, {"combining accent", "e\u0301", 1}, {"Chinese", "日本語", 6},
		{"Korean from letters", "\u1112\u1161\u11ab", 2}, {"half-width", "ｱ", 1}, {"full-width", "Ａ", 2},
		{"emoji", "🚀", 2}, {"joined emoji", "👩\u200d🚀", 2}, {"flag", "🇯🇵", 2}, {"zero width space, made visible", "a\u200bb", 10},
		{"made visible", "\x1b[m\u202e", 12}, {"tab", "a\tb", 3},
	} {
		if got := cells(tt.text); got != tt.want {
			t.Errorf("%s: %q takes %d cells, want %d", tt.name, tt.text, got, tt.want)
		}
	}
}

func TestCut(t *testing.T) {
	for _, tt := range []struct {
		text string
		room int
		want string
	}{
		{"pool", 4, "pool"}, {"pools", 4, "poo…"}, {"日本語", 6, "日本語"}, {"日本語", 5, "日本…"}, {"日本語", 4, "日…"},
		{"e\u0301e\u0301e\u0301", 2, "e\u0301…"}, {"👩\u200d🚀👩\u200d🚀", 3, "👩\u200d🚀…"},
		{"\u0301x", 9, "\u25cc\u0301x"}, {"\ufe0fx", 9, "\u25cc\ufe0fx"},
	} {
		if got := cut(tt.text, tt.room); got != tt.want {
			t.Errorf("cut(%q, %d) = %q, want %q", tt.text, tt.room, got, tt.want)
		}
	}
}

func TestWrap(t *testing.T) {
	for _, tt := range []struct {
		name, line  string
		width, most int
		want        []string
		whole       bool
	}{
		{"nothing", "", 8, 9, []string{""}, true},
		{"fits", "one two", 7, 9, []string{"one two"}, true},
		{"between words", "one two three", 8, 9, []string{"one two", "three"}, true},
		{"space at the edge", "one two three", 7, 9, []string{"one two", "three"}, true},
		{"long word", "abcdefghij kl", 4, 9, []string{"abcd", "efgh", "ij", "kl"}, true},
		{"word after a short one", "a bcdefgh", 4, 9, []string{"a", "bcde", "fgh"}, true},
		{"Chinese", "日本語です", 5, 9, []string{"日本", "語で", "す"}, true},
		{"word before Chinese", " ab 日本", 6, 9, []string{" ab", "日本"}, true},
		{"indented", "    code()", 8, 9, []string{"    code", "()"}, true},
		{"tab", "\tcode", 8, 9, []string{"    code"}, true},
		{"stops", "one two three four", 5, 2, []string{"one", "two"}, false},
		{"exactly", "one two", 5, 2, []string{"one", "two"}, true},
		{"spaces at the end", "one    ", 4, 1, []string{"one"}, true},
		{"lone mark", "\u0301a", 4, 9, []string{"\u25cc\u0301a"}, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			rows, whole := wrap(tt.line, tt.width, tt.most)
			if diff := cmp.Diff(tt.want, rows); diff != "" || whole != tt.whole {
				t.Errorf("whole: %v; -want +got:\n%s", whole, diff)
			}
		})
	}
}

// A hostile line costs what is shown of it: a million characters without a width
// are no endless row.
func TestWrapOfZeroWidth(t *testing.T) {
	rows, whole := wrap(strings.Repeat("\u200b", 1<<20), 30, 20)
	if len(rows) != 20 || whole {
		t.Errorf("%d rows, whole: %v", len(rows), whole)
	}
	for _, r := range rows {
		if len(r) > 30*cellBytes {
			t.Errorf("a row of %d bytes", len(r))
		}
	}
}

// In a terminal no line of a list is wider than it, whatever is written in it.
func TestWideCharacters(t *testing.T) {
	wide := func(s string) string { return strings.Repeat("漢字 e\u0301 👩\u200d🚀 "+s, 20) }
	b := history.BranchContext{Branch: branches(same)[0], Total: 1, Limit: 10, Commits: []store.Commit{milestone(5, wide)}}
	b.Commits[0].Outcome = ptr("成功")
	fitted(t, 100, func(p *Printer) { BranchText(p, b) })
}

// A narrow terminal has the code on a line of its own; programs have one line.
func TestHeadFits(t *testing.T) {
	v := Snapshot{Branch: "main", Head: id("a"), agent: "claude-code", updated: now, Code: &code.State{Branch: "main", Commit: ptr(id("c")), Uncommitted: []code.Edit{}}}
	for width, want := range map[int]int{0: 3, 70: 4, 200: 3} {
		p := &Printer{Width: width, Now: now}
		if head := v.head(p); strings.Count(head, "\n") != want || width == 70 && !strings.Contains(head, "\ncode main at ") {
			t.Errorf("of %d cells: %q", width, head)
		}
	}
}

// fitted is the lines of a view in a terminal, none wider than it.
func fitted(t *testing.T, width int, view func(*Printer)) []string {
	t.Helper()
	var b strings.Builder
	view(&Printer{W: &b, Width: width, Now: now, Self: "git context"})
	lines := strings.Split(strings.TrimSuffix(b.String(), "\n"), "\n")
	for _, l := range lines {
		if n := cells(l); n > width {
			t.Errorf("%d cells of %d: %s", n, width, l)
		}
	}
	return lines
}
