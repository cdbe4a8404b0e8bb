//go:build unix

package test

import (
	"strings"
	"testing"
)

// A deletion that dies behind the ref leaves no journal that would go on
// acknowledging steps.
func TestKilledDeletionAcknowledgesNothing(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.ok("branch", "x", "--purpose", "Go", "--no-switch")
	w.killedAt("after-refs", "branch", "-d", "x")
	if out, err := w.command(nil, w.bin, "-b", "x", "record", "-a", "lost").CombinedOutput(); err == nil {
		t.Errorf("a step was acknowledged into nowhere: %s", out)
	}
	w.ok("branch", "--restore", "x")
	w.once("x", []string{id(t, w.ok("-b", "x", "record", "-a", "kept", "--json"))})
	w.sound()
}

// A name used again by another branch does not pass for the first one's entries.
func TestMergeOfAReusedName(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	var ids []string
	for range 5 {
		ids = append(ids, id(t, w.ok("record", "-a", "old", "--json")))
	}
	w.ok("commit", "-m", "Old")
	w.ok("branch", "x", "--no-switch")
	w.ok("branch", "-m", "main", "trunk")
	w.ok("branch", "main", "--from", "x")
	for range 6 {
		ids = append(ids, id(t, w.ok("record", "-a", "new", "--json")))
	}
	w.ok("commit", "-m", "New")
	w.ok("merge", "trunk")
	if got := len(w.steps("main")); got < 6 {
		t.Errorf("%d steps", got)
	}
	w.ok("-b", "trunk", "record", "-a", "later")
	w.ok("merge", "trunk")
	w.once("main", ids)
	w.sound()
}

// Where two bases differ on a topic neither side wins in silence.
func TestCrissCrossTopicIsAConflict(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.ok("remember", "t", "old")
	w.ok("branch", "exp", "--purpose", "E", "--no-switch")
	w.ok("branch", "d", "--purpose", "D", "--no-switch")
	w.ok("-b", "exp", "remember", "t", "new")
	w.ok("commit", "-m", "M0")
	w.ok("branch", "c", "--no-switch", "--purpose", "C")
	w.ok("merge", "exp", "--keep")
	w.ok("merge", "c", "--into", "exp", "--keep")
	w.ok("-b", "exp", "remember", "t", "old")
	out, err := w.command(nil, w.bin, "merge", "exp").CombinedOutput()
	if err == nil && strings.TrimSpace(w.git("show", "CONTEXT_HEAD:topics/t.md")) == "new" {
		t.Errorf("the change back to 'old' was lost without a word: %s", out)
	}
}
