package doc

import (
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"
)

// A path is its parts: written from them it is read as them, whatever stands in them.
func FuzzPath(f *testing.F) {
	for _, path := range []string{"a.b.c", `a."b.c".d`, `"a\"b\\c"`, `""`, "a..b", ".", `a."b`, `a."b"c`, `a\.b`, `"\x"`, "é.\x1b", "a.b.", `a"b`, `"a" .b`} {
		f.Add(path, "x")
	}
	f.Fuzz(func(t *testing.T, path, part string) {
		parts, err := parsePath(path)
		if err != nil {
			if strings.Contains(err.Error(), "\n") && !strings.Contains(path, "\n") {
				t.Errorf("%q", err)
			}
			return
		}
		parts = append(parts, part)
		written := JoinPath(parts...)
		if again, err := parsePath(written); err != nil || !slices.Equal(again, parts) {
			t.Errorf("%q is written %q and read as %q: %v", parts, written, again, err)
		}
	})
}

// A progress summary that goes on and on stays within its limit and speaks of the
// latest work, whatever it was given.
func FuzzProgress(f *testing.F) {
	f.Add("- did it\n- then that\n(3 older left out)", "Summary", "What it did. And more.", 200)
	f.Add("free text", "\x1b[31m", strings.Repeat("x", 3000), 1500)
	f.Add("- a\n\n- b", "", "é\u2028e", 1)
	f.Fuzz(func(t *testing.T, before, summary, contribution string, limit int) {
		m := Commit{Progress: before, Summary: summary, Contribution: contribution}
		next := NextProgressOf([]Commit{m}, limit)
		if next != NextProgressOf([]Commit{m}, limit) {
			t.Error("it is another one each time")
		}
		if limit > 200 && utf8.RuneCountInString(next) > limit {
			t.Errorf("%d characters of %d", utf8.RuneCountInString(next), limit)
		}
		items, dropped, free := parseProgress(before)
		if dropped < 0 || free && len(items) > 1 {
			t.Errorf("%q: %d items, %d dropped", before, len(items), dropped)
		}
	})
}

// A time in a document is one instant, and is written as it was read.
func FuzzTime(f *testing.F) {
	for _, s := range []string{"2026-11-21T01:37:05Z", "2026-11-21T01:37:05.5Z", "2026-11-21T01:37:05+01:00", "0000-01-01T00:00:00Z", "9999-12-31T23:59:59Z", "", "10000-01-01T00:00:00Z", "2026-11-21T01:37:05.50Z", "2026-11-21t01:37:05z"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		at, ok := parseTime(s)
		if !ok {
			return
		}
		written := string(appendTime(nil, at))
		if again, ok := parseTime(written); !ok || !again.Equal(at) || written != s {
			t.Errorf("%q is %s, written %q", s, at.Format(time.RFC3339Nano), written)
		}
	})
}

// Text that was cleaned is clean, and one quote is one text.
func FuzzQuote(f *testing.F) {
	for _, text := range []string{"", "a", "a\n", "\n\n", "> a", "## Commit 1", "\xff\x00", "\r\n\r", "\u2028", "== Branch x ==", "  a  ", "\\# a", "- [x] b"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		cleaned, changed := Clean(text)
		if again, more := Clean(cleaned); more || again != cleaned || changed == (cleaned == text) || checkText(cleaned) != nil {
			t.Errorf("%q is cleaned to %q, and again to %q", text, cleaned, again)
		}
		sc, err := newScanner(appendQuote(nil, cleaned))
		if err != nil {
			t.Fatal(err)
		}
		got, err := sc.quote()
		if err != nil || sc.more() || got != cleaned {
			t.Errorf("%q is quoted, and read as %q: %v", cleaned, got, err)
		}
		for _, summary := range []bool{false, true} {
			written := string(appendLine(nil, cleaned))
			if summary {
				written = string(appendSummary(nil, cleaned))
			}
			if back, ok := unescapeLine(written, summary); !ok || back != cleaned || strings.ContainsAny(written, "\n\r") {
				t.Errorf("%q is written %q, and read as %q, %v", cleaned, written, back, ok)
			}
		}
	})
}
