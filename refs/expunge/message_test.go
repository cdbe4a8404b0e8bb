package expunge

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/git-context/git-context/refs/doc"
	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/incoming"
)

// Whatever a message is full of, others take it in after an expunge, nothing of what went is left, and the order does not matter.
func TestMessageHasRoom(t *testing.T) {
	rewrite := func(t *rapid.T, e doc.Expunged, text string) string {
		w := &Rewriter{e: e, commits: map[git.ID]git.ID{}}
		m, err := w.message(t.Context(), &git.Commit{Message: text}, &git.Commit{}, rootChange{commitCount: -1}, false)
		if err != nil {
			t.Fatal(err)
		}
		return m.text
	}
	rapid.Check(t, func(t *rapid.T) {
		words := []string{"a", "zq", "zq7", "hunter2x", "kept", "Redaction", "␡", doc.Redaction}
		lines := func(format string, most int) string {
			var b strings.Builder
			for range rapid.IntRange(0, 3).Draw(t, "runs") {
				word := rapid.SampledFrom(words).Draw(t, "word")
				b.WriteString(strings.Repeat(strings.ReplaceAll(format, "W", word), rapid.SampledFrom([]int{1, 7, 15, 17, 400, 600, most}).Draw(t, "lines")))
			}
			return b.String()
		}
		text := "Subject\n\n" + lines("W\n", 1100)
		if !strings.HasSuffix(text, "\n\n") {
			text += "\n"
		}
		text += "Context-Branch: main\n" + lines("Key: W\n", 6000)
		room := 1<<20 - len(text)
		full := rapid.Bool().Draw(t, "full") && room > 2000
		if full { // then the order can matter
			text += "Key: " + strings.Repeat("x", room-100) + "\n"
		}
		if _, fault := incoming.BlockFault(text); fault != "" {
			t.Skip(fault)
		}
		var one, two doc.Expunged
		for _, word := range words[:4] {
			switch rapid.IntRange(0, 2).Draw(t, word) {
			case 1:
				one.AddText(word)
			case 2:
				two.AddText(word)
			}
		}
		both := one.Union(two)
		now := rewrite(t, both, text)
		if a := rewrite(t, both, rewrite(t, one, text)); a != now && !full {
			t.Errorf("first one: %.300q, both at once: %.300q", a, now)
		}
		if b := rewrite(t, both, rewrite(t, two, text)); b != now && !full {
			t.Errorf("first the other: %.300q, both at once: %.300q", b, now)
		}
		if _, fault := incoming.BlockFault(now); fault != "" || len(now) > len(text)+mostGrown {
			t.Errorf("%d bytes, before %d: %s", len(now), len(text), fault)
		}
		for line := range strings.Lines(now) {
			if both.HasText(strings.TrimSpace(strings.TrimPrefix(line, "Key: "))) {
				t.Fatalf("still there: %q", line)
			}
		}
	})
}
