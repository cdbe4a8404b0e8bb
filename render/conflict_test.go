package render

import (
	"bytes"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/git-context/git-context/refs/store"
)

// numbered is n lines "word 1", "word 2" …
func numbered(word string, n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "%s %d\n", word, i+1)
	}
	return b.String()
}

func conflicts() []store.Conflict {
	lock := "# Lock\n\nThe pool is guarded by %s.\n\nMeasured on two cores: %s\n\nSee store/pool.go.\n"
	long := numbered("line", 40)
	return []store.Conflict{
		{Path: "topics/lock.md", Kind: "content", Base: ptr(fmt.Sprintf(lock, "nothing", "not yet")),
			Ours:   ptr(fmt.Sprintf(lock, "a plain mutex, because the critical section is short", "1.2 µs a call")),
			Theirs: ptr(fmt.Sprintf(lock, "アクター（一つの goroutine が所有する）", "0.9 µs a call 🚀"))},
		{Path: "topics/new.md", Kind: "add/add", Ours: ptr("# New\n\tindented\n"), Theirs: ptr("# New\nnot ended")},
		{Path: "topics/gone.md", Kind: "modify/delete", Base: ptr("as it was\n"), Ours: ptr("")},
		{Path: "topics/done.md", Kind: "content", Base: ptr("a\n"), Ours: ptr("b\n"), Theirs: ptr("c\n"), Resolved: true},
		{Path: "metadata.yaml#env_config.go", Kind: "key", Base: ptr("1.25"), Ours: ptr("1.26"), Theirs: ptr("1.26.1\x1b[2J")},
		{Path: "topics/long.md", Kind: "content", Base: &long, Ours: ptr(strings.Replace(long, "line 20\n", numbered("ours", 30), 1)),
			Theirs: ptr(strings.Replace(long, "line 20\n", "theirs\r\n", 1))},
	}
}

func showConflicts(width int, color bool, list []store.Conflict) string {
	var b bytes.Buffer
	ConflictsText(&Printer{W: &b, Width: width, Color: color, Now: now, Self: "git context"}, "try/actors", "main", list)
	return b.String()
}

func TestConflictsGolden(t *testing.T) {
	for _, width := range []int{0, 80, 120, 200} {
		for _, color := range []bool{false, true} {
			name := fmt.Sprintf("conflicts-%d", width)
			if color {
				name += "-color"
			}
			t.Run(name, func(t *testing.T) {
				golden(t, name, showConflicts(width, color, conflicts()))
			})
		}
	}
}

// A difference that nothing else shows: a line end, and a carriage return.
func TestConflictOfLineEnds(t *testing.T) {
	got := showConflicts(100, true, []store.Conflict{{Kind: "content", Base: ptr("a\n"), Ours: ptr("a"), Theirs: ptr("a\r\n")}})
	if !strings.Contains(got, "(no newline at the end)") || !strings.Contains(got, "\x1b[32ma^M\x1b[m") {
		t.Errorf("%s", got)
	}
}

// Between two differences, what base has too is no difference.
func TestConflictColors(t *testing.T) {
	got := showConflicts(80, true, []store.Conflict{{Kind: "content", Base: ptr("a\nkept\nb\n"),
		Ours: ptr("a\nkept\nours\n"), Theirs: ptr("theirs\nkept\nkept\n")}})
	for text, times := range map[string]int{"\n    a\n": 2, "\n    kept\n": 3, "\n    \x1b[31mours\x1b[m\n": 1, "\n    b\n": 1,
		"\n    \x1b[32mtheirs\x1b[m\n": 1, "\n    \x1b[32mkept\x1b[m\n": 1} {
		if n := strings.Count(got, text); n != times {
			t.Errorf("%q stands %d times, want %d:\n%s", text, n, times, got)
		}
	}
}

func TestShared(t *testing.T) {
	for _, tt := range []struct {
		name         string
		texts        []*string
		head, middle string // of the first text
	}{
		{"all the same", []*string{ptr("a\nb\n"), ptr("a\nb\n"), ptr("a\nb\n")}, "a b", ""},
		{"one less", []*string{ptr("a\na\n"), ptr("a\n"), ptr("a\na\n")}, "a", "a"},
		{"in the middle", []*string{ptr("a\nx\nb\n"), ptr("a\ny\nb\n"), ptr("a\nb\n")}, "a", "x"},
		{"absent counts for nothing", []*string{ptr("a\nx\n"), nil, ptr("a\ny\n")}, "a", "x"},
		{"empty counts", []*string{ptr("a\n"), ptr(""), ptr("a\n")}, "", "a"},
	} {
		var sides []side
		for _, text := range tt.texts {
			sides = append(sides, newSide(text))
		}
		head, tail := shared(sides...)
		lines := sides[0].lines
		if got := strings.Join(lines[:head], " "); got != tt.head {
			t.Errorf("%s: %q in front, want %q", tt.name, got, tt.head)
		}
		if got := strings.Join(lines[head:len(lines)-tail], " "); got != tt.middle {
			t.Errorf("%s: %q between, want %q", tt.name, got, tt.middle)
		}
	}
}

// What a text cannot do in a list of conflicts: leave its column, act on the
// terminal, or look like another conflict.
func FuzzConflicts(f *testing.F) {
	for _, s := range []string{"", "a", "conflict (content): x\nresolved (key): y", "\x1b[2J\x1b[31m", "a\tb\r\n\r", "日本語 e\u0301 👩\u200d🚀 🇯🇵🇯",
		"\u0301", "\ufe0f\ufe0f", "a\u200b\u0301", "\u200d🚀", "\u0600", "\u202e\U000e0041", "\u1112\u1161\u11ab", strings.Repeat("x ", 300)} {
		f.Add(s, s+"\n", "b\n"+s, uint8(100))
		f.Add("a\n"+s, "a\n", s, uint8(40))
	}
	codes := regexp.MustCompile("\x1b\\[[0-9]*m")
	f.Fuzz(func(t *testing.T, base, ours, theirs string, width uint8) {
		columns := max(int(width), leastWidth)
		for _, c := range []store.Conflict{
			{Base: &base, Ours: &ours, Theirs: &theirs}, {Ours: &ours, Theirs: &theirs}, {Base: &base, Theirs: &theirs},
		} {
			c.Kind, c.Path = "content", "p"
			got := showConflicts(columns, true, []store.Conflict{c})
			quiet := codes.ReplaceAllString(got, "")
			if plain := showConflicts(columns, false, []store.Conflict{c}); plain != quiet {
				t.Fatalf("reads otherwise in colour: %s", cmp.Diff(plain, quiet))
			}
			if i := strings.IndexFunc(quiet, func(r rune) bool { return acts(r) || r == '\t' }); i >= 0 {
				t.Fatalf("lets %q through", quiet[i:])
			}
			for i, l := range strings.Split(strings.TrimSuffix(quiet, "\n"), "\n") {
				// The heading stays whole: its path is what resolve is given.
				if n := cells(l); i > 0 && n > columns {
					t.Fatalf("%d cells of %d: %q", n, columns, l)
				}
				if i > 0 && l != "" && !strings.HasPrefix(l, "  ") {
					t.Fatalf("a line of its own: %q", l)
				}
			}
			if n := strings.Count(quiet, "\n"); n > 1+3*(1+conflictRows+2) {
				t.Fatalf("%d lines", n)
			}
		}
	})
}
