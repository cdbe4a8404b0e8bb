package main

import (
	"path/filepath"
	"testing"

	"github.com/git-context/git-context/internal/gittest"
)

// The brief tells at least 95 of 100 facts, and more than what a successor would get otherwise. Of
// one memory a note may tell a fact more: it was written in one piece, for this purpose alone.
func TestBriefBeatsTheNote(t *testing.T) {
	t.Setenv("PATH", gittest.Path())
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

// What the hooks captured, without a call of the agent's, tells a successor nearly as much as the
// note that the same agent wrote, and more than anything else that costs nothing.
func TestCapturedTurnsTellTheFacts(t *testing.T) {
	t.Setenv("PATH", gittest.Path())
	bin, err := build(t.Context(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	memories, err := readMemories("captured")
	if err != nil {
		t.Fatal(err)
	}
	if len(memories) < 3 {
		t.Fatalf("only %d sessions were found", len(memories))
	}
	facts, known := 0, map[string]int{}
	for _, m := range memories {
		texts, err := m.play(t.Context(), bin, filepath.Join(t.TempDir(), "repo"))
		if err != nil {
			t.Fatal(err)
		}
		facts += len(m.facts)
		for _, text := range texts {
			known[text.name] += len(m.facts) - len(m.missing(text.text))
		}
		for _, f := range m.missing(texts[0].text) {
			t.Logf("%s: not told: %s", m.name, f.text)
		}
	}
	brief := known["the brief"]
	if brief*100 < facts*90 || brief <= known["the newest commit"] || brief <= known["the transcript"] {
		t.Errorf("of %d facts: %v", facts, known)
	}
	t.Logf("of %d facts: %v", facts, known)
}
