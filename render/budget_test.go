package render

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// drawParts draws parts as a brief may have: with texts of every size and shape.
func drawParts(t *rapid.T) []part {
	text := rapid.OneOf(
		rapid.StringOfN(rapid.RuneFrom([]rune("ab \n#-é漢\t\r\u202e")), 0, 400, -1),
		rapid.Custom(func(t *rapid.T) string { return strings.Repeat("word ", rapid.IntRange(0, 4000).Draw(t, "words")) }))
	one := rapid.Custom(func(t *rapid.T) entry {
		return entry{label: rapid.StringN(0, 12, -1).Draw(t, "label") + ": ", text: text.Draw(t, "text"),
			after: rapid.SampledFrom([]string{"", " [stale]"}).Draw(t, "after"), command: rapid.SampledFrom([]string{"", "git context topic k"}).Draw(t, "command")}
	})
	return rapid.SliceOfN(rapid.Custom(func(t *rapid.T) part {
		return part{title: rapid.StringN(1, 8, -1).Draw(t, "title"), entries: rapid.SliceOfN(one, 0, 30).Draw(t, "entries"),
			hidden: rapid.SampledFrom([]int{0, 0, 1_000_000}).Draw(t, "hidden"), command: "git context roadmap",
			weight: rapid.IntRange(1, 40).Draw(t, "weight"), most: rapid.SampledFrom([]int{0, 33}).Draw(t, "most")}
	}), 0, 8).Draw(t, "parts")
}

// A brief never exceeds its limit, and says which texts it cut and what prints them. No line of
// a text begins where the brief's own lines do.
func TestBriefKeepsItsLimit(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		parts, limit := drawParts(t), rapid.IntRange(20, 8000).Draw(t, "limit")
		text, cuts := compose("# Head\n", parts, limit)
		if len(text) > limit {
			t.Fatalf("%d bytes, limit %d", len(text), limit)
		}
		for line := range strings.Lines(text[len("# Head\n"):]) {
			if line != "\n" && !strings.HasPrefix(line, "## ") && !strings.HasPrefix(line, bullet) && !strings.HasPrefix(line, indent) {
				t.Fatalf("a line begins outside of its entry: %q", line)
			}
		}
		for _, c := range cuts {
			if c.Command == "" || c.Missing < 0 {
				t.Fatalf("cut: %+v", c)
			}
		}
		if n := strings.Count(text, " more: git context"); n > len(cuts) {
			t.Fatalf("%d texts end in a command, %d are listed as cut", n, len(cuts))
		}
	})
}

// Without a limit every text is whole; with one that all have room in, too.
func TestBriefIsWhole(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		parts := drawParts(t)
		for i := range parts {
			parts[i].hidden = 0
		}
		whole, cuts := compose("# Head\n", parts, 0)
		if len(cuts) > 0 {
			t.Fatalf("cut without a limit: %+v", cuts)
		}
		if text, cuts := compose("# Head\n", parts, len(whole)); text != whole || len(cuts) > 0 {
			t.Fatalf("cut where there is room: %+v", cuts)
		}
	})
}

// Nobody gets more than it needs, the whole is used, and an equal claim gives an equal share.
func TestShares(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		sizes := rapid.SliceOfN(rapid.IntRange(0, 1000), 1, 20).Draw(t, "sizes")
		total := rapid.IntRange(0, 5000).Draw(t, "total")
		sum, needed := 0, 0
		for i, n := range shares(sizes, nil, total) {
			if n < 0 || n > sizes[i] {
				t.Fatalf("%d of %d", n, sizes[i])
			}
			if n < sizes[i] && n < total/len(sizes) {
				t.Fatalf("%d is less than an equal share of %d", n, total/len(sizes))
			}
			sum, needed = sum+n, needed+sizes[i]
		}
		if want := min(total, needed); sum != want {
			t.Fatalf("%d of %d are used", sum, want)
		}
	})
}

// What matters most is shown in part even if everything is too large.
func TestBriefBeginsEachPart(t *testing.T) {
	var parts []part
	for i := range 10 {
		parts = append(parts, part{title: fmt.Sprint("Part ", i), command: "git context roadmap", weight: i + 1,
			entries: []entry{{text: strings.Repeat("long ", 10_000)}}})
	}
	text, _ := compose("# Head\n", parts, 6000)
	for _, x := range parts {
		if !strings.Contains(text, x.head()) {
			t.Errorf("'%s' is left out", x.title)
		}
	}
}
