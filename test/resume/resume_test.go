package main

import (
	"path/filepath"
	"testing"
)

// The brief tells at least 95 of 100 facts, and more of each memory than what a successor
// would get otherwise.
func TestBriefBeatsTheNote(t *testing.T) {
	bin, err := build(t.Context(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	memories, err := readMemories("testdata")
	if err != nil {
		t.Fatal(err)
	}
	facts, known := 0, 0
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
			if len(m.missing(other.text)) < len(missing) {
				t.Errorf("%s: %s tells more: all but %d facts, the brief all but %d", m.name, other.name, len(m.missing(other.text)), len(missing))
			}
		}
	}
	if known*100 < facts*95 {
		t.Errorf("the brief tells %d of %d facts", known, facts)
	}
	t.Logf("the brief tells %d of %d facts", known, facts)
}
