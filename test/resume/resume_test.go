package main

import (
	"path/filepath"
	"testing"
)

// The brief tells at least 95 of 100 facts, and more than what a successor would get otherwise. Of
// one memory a note may tell a fact more: it was written in one piece, for this purpose alone.
func TestBriefBeatsTheNote(t *testing.T) {
	bin, err := build(t.Context(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	memories, err := readMemories("testdata")
	if err != nil {
		t.Fatal(err)
	}
	if len(memories) < 3 {
		t.Fatalf("only %d memories were found", len(memories))
	}
	facts, known := 0, 0
	others := map[string]int{} // facts that the other texts tell
	for _, m := range memories {
		texts, err := m.play(t.Context(), bin, filepath.Join(t.TempDir(), "repo"))
		if err != nil {
			t.Fatal(err)
		}
		missing := m.missing(texts[0].text)
		facts, known = facts+len(m.facts), known+len(m.facts)-len(missing)
		for _, f := range missing {
			t.Logf("%s: not told: %s", m.name, f.text)
		}
		for _, other := range texts[1:] {
			others[other.name] += len(m.facts) - len(m.missing(other.text))
			if more := len(missing) - len(m.missing(other.text)); more > 1 {
				t.Errorf("%s: %s tells %d facts more than the brief", m.name, other.name, more)
			}
		}
	}
	for name, n := range others {
		if n >= known {
			t.Errorf("%s tells %d facts, the brief %d", name, n, known)
		}
	}
	if known*100 < facts*95 {
		t.Errorf("the brief tells %d of %d facts", known, facts)
	}
	t.Logf("the brief tells %d of %d facts", known, facts)
}
