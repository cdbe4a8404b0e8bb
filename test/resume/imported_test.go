package main

import (
	"errors"
	"path/filepath"
	"testing"

	"github.com/git-context/git-context/internal/gittest"
)

// realSessions reads the sessions that are imported.
func realSessions(t *testing.T) []*imported {
	t.Helper()
	sessions, err := readImported("imported", filepath.Join("..", "..", dataDir))
	if errors.Is(err, errNoData) {
		t.Skipf("NOT RUN: %v", err)
	}
	if err != nil {
		t.Fatal(err)
	}
	if len(sessions) < 6 {
		t.Fatalf("only %d sessions were found", len(sessions))
	}
	return sessions
}

// Each fact is in its session as it is cut: nobody can tell what did not happen yet.
func TestFactsAreInTheirSession(t *testing.T) {
	for _, m := range realSessions(t) {
		all, err := texts(m.session)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range m.missing(all) {
			t.Errorf("%s: the session does not tell: %s", m.name, f.text)
		}
		if len(m.facts) < 8 || m.task == "" || m.last == "" {
			t.Errorf("%s: %d facts, task %q, last record %q", m.name, len(m.facts), m.task, m.last)
		}
	}
}

// What a session that was imported tells by one call is 95 of 100 facts at least, and much more than its task
// and last record.
func TestImportedSessionsTellTheFacts(t *testing.T) {
	sessions := realSessions(t)
	t.Setenv("PATH", gittest.Path())
	bin, err := build(t.Context(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	facts, known := 0, map[string]int{}
	for _, m := range sessions {
		said, err := m.play(t.Context(), bin, filepath.Join(t.TempDir(), "repo"))
		if err != nil {
			t.Fatal(err)
		}
		facts += len(m.facts)
		for _, text := range said {
			known[text.name] += len(m.facts) - len(m.missing(text.text))
		}
		for _, f := range m.missing(said[0].text) {
			t.Logf("%s: not told: %s", m.name, f.text)
		}
	}
	brief := known["the brief"]
	if brief*100 < facts*95 || brief <= known["the task and the last record"] || brief <= known["the task"] {
		t.Errorf("of %d facts: %v", facts, known)
	}
	t.Logf("of %d facts: %v", facts, known)
}

// The sessions on which no rule was tuned are read, and their notes tell all of their facts.
func TestLaterSessionsCanBeRead(t *testing.T) {
	sessions, err := readImported("later", filepath.Join("..", "..", dataDir))
	if errors.Is(err, errNoData) {
		t.Skipf("NOT RUN: %v", err)
	}
	if err != nil {
		t.Fatal(err)
	}
	if len(sessions) != 4 {
		t.Errorf("%d sessions", len(sessions))
	}
	for _, m := range sessions {
		for _, f := range m.missing(m.note) {
			t.Errorf("%s: the note does not tell: %s", m.name, f.text)
		}
	}
}
