package doc

import "testing"

// A text comes back in the line in which it was replaced. In a line that came as "(expunged)" any text comes back that has a tombstone,
// unless the entry was written so.
func TestCameBack(t *testing.T) {
	const head = "## Commit 1 · 2026-11-30T01:43:54Z · bob · 01M8N1YXEXJFSHS60WQG9BK518\n\nM\n\n**This Commit's Contribution**\n\n"
	var all Expunged
	all.AddText("one")
	all.AddText("two")
	all = all.Refuse(all)
	listed := func(line int, text string, only bool) HiddenLines {
		var e Expunged
		e.AddText(text)
		return HiddenLines{Texts: map[int]Expunged{line: e}, Only: only}
	}
	for name, c := range map[string]struct {
		h             HiddenLines
		hidden, entry string
		want          bool
	}{
		"its own line":             {listed(6, "one", false), "> (expunged)\n> x\n", "> one\n> x\n", true},
		"another text in the line": {listed(6, "one", false), "> (expunged)\n> x\n", "> two\n> x\n", false},
		"a line that came so":      {listed(6, "one", false), "> one\n> (expunged)\n", "> one\n> two\n", true},
		"without a tombstone":      {listed(6, "one", false), "> one\n> (expunged)\n", "> one\n> three\n", false},
		"written so":               {listed(6, "one", true), "> one\n> (expunged)\n", "> one\n> two\n", false},
		"both":                     {listed(6, "one", false), "> (expunged)\n> (expunged)\n", "> one\n> two\n", true},
		"another word":             {listed(6, "one", false), "> x\n> (expunged)\n", "> y\n> two\n", false},
	} {
		if got := c.h.CameBack([]byte(head+c.hidden), []byte(head+c.entry), all); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}
