package doc

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// copyAnyText returns a set of its own with the tombstones of texts and words, all in force.
func copyAnyText(e Expunged) (all Expunged) {
	for name := range e.OnlyTexts().turns {
		all.add(name)
	}
	return all
}

// anyTombstones draws a set with tombstones of all kinds, in force and refused.
func anyTombstones(t *rapid.T, texts []string) (e Expunged) {
	if rapid.IntRange(0, 9).Draw(t, "zero") == 0 {
		return e
	}
	var all Expunged
	for _, text := range texts {
		all.AddText(text)
		if IsWord(text) && all.AddWord(text) != nil {
			t.Fatal(text)
		}
		if all.AddFile(strings.TrimPrefix(textLine(text), tombText+" ")) != nil {
			t.Fatal("no hash")
		}
	}
	if all.AddEntry(baseID) != nil || all.AddCommit(strings.Repeat("0a", 20)) != nil {
		t.Fatal("no id")
	}
	only := rapid.SampledFrom([]string{"", tombText, tombWord, tombFile, tombEntry}).Draw(t, "only")
	for line := range strings.Lines(string(all.Bytes())) {
		if name := strings.TrimSpace(line); strings.HasPrefix(name, only) {
			if turn := rapid.IntRange(0, 4).Draw(t, "turn"); turn > 0 {
				e.set(name, turn)
			}
		}
	}
	return e
}

// anyEntry draws two forms of an entry that differ in some lines, of which one tends to have more marks.
func anyEntry(t *rapid.T, texts []string) (hidden, entry string) {
	pick := rapid.SampledFrom(append([]string{"kept", "a " + texts[0] + " b", Redaction, shortMark, `x\n` + texts[0], `\u0028expunged)`}, texts...))
	text := rapid.Custom(func(t *rapid.T) string { return pick.Draw(t, "text") })
	hidden = rapid.SampledFrom([]string{"## Commit 1 · 2026-11-30T01:43:54Z · bob · " + baseID + "\n", "### Step 1 · 2026-11-30T01:43:54Z · bob · " + baseID + "\n", ""}).Draw(t, "head")
	entry = hidden
	for range rapid.IntRange(0, 5).Draw(t, "lines") {
		begin := rapid.SampledFrom([]string{"> ", "> - ", "", "- key: ", "- tokens: ", "**", "\n"}).Draw(t, "begin")
		now := text.Draw(t, "line")
		was := now
		switch rapid.IntRange(0, 3).Draw(t, "differs") {
		case 0:
			was = text.Draw(t, "other")
		case 1, 2:
			was = rapid.SampledFrom(texts).Draw(t, "text")
			now = rapid.SampledFrom([]string{Redaction, shortMark}).Draw(t, "mark")
		}
		hidden, entry = hidden+begin+now+"\n", entry+begin+was+"\n"
	}
	return hidden, entry
}

// All tombstones, with what was refused in force, act on an entry as a set of those of texts and words alone does.
func TestAnyTextIsOnlyTexts(t *testing.T) {
	t.Parallel()
	texts := []string{"one text", "hunter2x", "longer words here", "x"}
	rapid.Check(t, func(t *rapid.T) {
		e := anyTombstones(t, texts)
		copied := copyAnyText(e)
		if e.HasTexts() == e.OnlyTexts().Empty() || e.HasTexts() == copied.Empty() {
			t.Fatalf("has texts: %v", e.HasTexts())
		}
		hidden, entry := anyEntry(t, texts)
		want := !copied.Empty() && CountMarks([]byte(hidden)) > CountMarks([]byte(entry))
		if want {
			all := copied.withMark(Redaction)
			want = mapLines(hidden, all.entryLines()) == mapLines(entry, all.entryLines())
		}
		for _, of := range []Expunged{e, e.collecting(), e.WithShortMark()} {
			if got := of.Hides([]byte(hidden), []byte(entry)); got != want {
				t.Fatalf("hides: %v, %q of %q", got, hidden, entry)
			}
		}
		h := HiddenLines{Only: rapid.Bool().Draw(t, "only"), Texts: anyTombstones(t, texts).HiddenIn([]byte(entry))}
		back := h.CameBack([]byte(hidden), []byte(entry), e)
		if back != h.CameBack([]byte(hidden), []byte(entry), copied) {
			t.Fatalf("came back: %v, %q of %q", back, hidden, entry)
		}
		for _, text := range append([]string{hidden, entry}, texts...) {
			if now, as := e.anyText().RedactText(text), copied.RedactText(text); now != as {
				t.Fatalf("%q, not %q", now, as)
			}
		}
	})
}

// An entry is looked at without a copy of the tombstones, of which there may be thousands.
func TestHidesCopiesNothing(t *testing.T) { // not parallel: it counts allocations
	var e Expunged
	e.AddText("a")
	for i := range 3000 {
		e.AddText(fmt.Sprint("text ", i))
	}
	hidden, entry := []byte("> (expunged)\n"), []byte("> a\n")
	if allocs := testing.AllocsPerRun(10, func() {
		if !e.Hides(hidden, entry) || !(HiddenLines{}).CameBack(hidden, entry, e) {
			t.Error("not hidden")
		}
	}); allocs > 60 {
		t.Errorf("%.0f allocations", allocs)
	}
}

// A set to which another one is added is their union, and what it was made of stays.
func TestAddIsUnion(t *testing.T) {
	t.Parallel()
	texts := []string{"one text", "hunter2x", "longer words here"}
	rapid.Check(t, func(t *rapid.T) {
		a, b, c := anyTombstones(t, texts), anyTombstones(t, texts), anyTombstones(t, texts)
		before := string(b.Bytes()) + string(c.Bytes())
		all := a.Union(Expunged{})
		all.Add(b)
		all.Add(c)
		want := a.Union(b).Union(c)
		if string(all.Bytes()) != string(want.Bytes()) || all.Words() != want.Words() || string(b.Bytes())+string(c.Bytes()) != before {
			t.Fatalf("%s is not %s", all.Bytes(), want.Bytes())
		}
		for _, text := range append(texts, "a hunter2x b") {
			if all.HasText(text) != want.HasText(text) {
				t.Fatalf("'%s' is %v", text, all.HasText(text))
			}
		}
	})
}
