package notes_test

import (
	"slices"
	"testing"

	"github.com/git-context/git-context/notes"
)

func TestIsText(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		member, s string
		want      bool
	}{
		{"", "score", false}, {"", "milestone", false}, {"", "other", true},
		{"kind", "review", false}, {"kind", "other", true},
		{"outcome", "failed", false}, {"outcome", "success_1", true},
		{"time", "2026-11-21T01:37:00Z", false}, {"time", "noon", true},
		{"branch", "main", false},
		{"steps", "1-12", false}, {"steps", "a", true},
		{"id", "01M7XVZYF8V2E8NKDB4EFJ2HJ5", false}, {"milestone", "01M7XVZYF8V2E8NKDB4EFJ2HJ5", false}, {"id", "x", true},
		{"", "over", false}, {"over", "01M7XVZYF8V2E8NKDB4EFJ2HJ5", false},
		{"text", "review", true}, {"agent", "score", true}, {"key", "kind", true},
	} {
		if got := notes.IsText(c.member, c.s); got != c.want {
			t.Errorf("IsText(%q, %q) = %v", c.member, c.s, got)
		}
	}
}

// After a refusal a note has two lines with one id: the whole one counts, and the one that reads "(expunged)" does not.
func TestParseWithoutHidden(t *testing.T) {
	t.Parallel()
	line := func(id, kind, text string) string {
		return `{"v":1,"id":"01M7XVZYF8V2E8NKDB4EFJ2H` + id + `","kind":"` + kind + `","time":"2026-11-21T01:37:00Z","text":"` + text + "\"}\n"
	}
	note := line("J0", "review", "(expunged)") + line("J1", "review", "(expunged)") + line("J1", "review", "all of it") +
		line("J2", "review", "a (expunged)") + line("J2", "tag", "b") + line("J3", "review", "one") + line("J3", "review", "two")
	var got []string
	for _, f := range notes.Parse([]byte(note)) {
		got = append(got, f.Text)
	}
	want := []string{"(expunged)", "all of it", "b", "a (expunged)", "two", "one"}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}
