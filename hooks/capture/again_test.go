package capture_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/git-context/git-context/hooks/capture"
	"github.com/git-context/git-context/internal/gittest"
	"github.com/git-context/git-context/refs/doc"
	"github.com/git-context/git-context/refs/expunge"
	"github.com/git-context/git-context/refs/store"
)

// killed lets the state of the session look as a process leaves it that is killed after it has recorded the steps.
func (w *world) killed(on string) {
	w.Helper()
	names := gittest.OK(filepath.Glob(filepath.Join(w.s.StatePath(capture.Dir), "*.json")))(w.T)
	if len(names) != 1 {
		w.Fatalf("states: %q", names)
	}
	var state map[string]any
	gittest.Must(w.T, json.Unmarshal(gittest.OK(os.ReadFile(names[0]))(w.T), &state))
	for _, name := range []string{"due", "newest", "told"} {
		delete(state, name)
	}
	state["offset"], state["before"], state["attempt"], state["on"] = 0, "e3b0c44298fc1c14", true, on
	gittest.Must(w.T, os.WriteFile(names[0], gittest.OK(json.Marshal(state))(w.T), 0o666))
}

// A turn that a killed process recorded is not recorded again on the branch that is the current one by then.
func TestKilledThenAnotherBranch(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.turn.New = true
	gittest.Must(t, capture.Begin(t.Context(), w.s, w.turn))
	text := transcripts(t)[0]
	if got := w.ends(text); got.Steps == 0 {
		t.Fatal("nothing was recorded")
	}
	before := w.sources()
	w.killed("main")
	gittest.OK(w.s.CreateBranch(t.Context(), store.BranchOptions{Name: "idea"}))(t)
	if got := w.ends(text); got.Steps != 0 {
		t.Errorf("recorded %d steps again", got.Steps)
	}
	if after := w.sources(); !slices.Equal(after, before) && len(after) != 0 {
		t.Errorf("idea has %q", after)
	}
}

// What was expunged after a killed process had recorded it is neither recorded again nor told.
func TestKilledThenExpunged(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.turn.New = true
	gittest.Must(t, capture.Begin(t.Context(), w.s, w.turn))
	text := transcripts(t)[0]
	w.ends(text)
	before := w.sources()
	w.killed("main")
	var gone doc.Expunged
	tip := gittest.OK(w.s.Tip(t.Context(), ""))(t)
	gittest.Must(t, tip.EachLog(t.Context(), func(steps []doc.Step) {
		for _, step := range steps {
			gittest.Must(t, gone.AddEntry(step.ID))
		}
	}))
	live, _, err := tip.LiveCommits(t.Context())
	gittest.Must(t, err)
	for _, m := range live {
		if m.Kind != doc.KindBirth {
			gittest.Must(t, gone.AddEntry(m.ID))
		}
	}
	op := &expunge.Operation{Store: w.s}
	gittest.Must(t, op.Run(t.Context(), gone))
	if left := w.sources(); len(left) >= len(before) {
		t.Fatalf("left: %q", left)
	}
	left := len(w.sources())
	if got := w.ends(text); got.Steps != 0 || got.Commit != "" {
		t.Errorf("recorded again: %+v", got)
	}
	if now := w.sources(); len(now) != left {
		t.Errorf("came back: %s", strings.Join(now, " "))
	}
}
