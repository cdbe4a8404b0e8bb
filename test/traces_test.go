//go:build unix

package test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
)

// Traces of real agents stand beside the repository on the project's machines.
const traces = "../../shared/data/swe-agent/*.traj"

// Every real trace is imported with every step present and exact, and a second
// import adds nothing.
func TestRealTraces(t *testing.T) {
	files, err := filepath.Glob(traces)
	if err != nil {
		t.Fatal(err)
	}
	if len(files) == 0 {
		t.Skipf("SKIPPED: no real traces at %s: the bundled one alone is tested", traces)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			t.Parallel()
			file, err := filepath.Abs(file)
			if err != nil {
				t.Fatal(err)
			}
			want := readTrace(t, file)
			w := newWorld(t)
			got := w.imported(file)
			if got.Steps != len(want) || got.Skipped != 0 {
				t.Errorf("import says %+v for %d steps", got, len(want))
			}
			w.sameTrace(want)
			w.ok("commit", "-m", "The whole trace")
			w.sameTrace(want)
			if got := w.imported(file); got.Steps != 0 || got.Skipped != len(want) {
				t.Errorf("the second import says %+v", got)
			}
			w.sameTrace(want)
			w.sound()
		})
	}
}

type traceText struct{ Observation, Thought, Action string }

func readTrace(t *testing.T, file string) []traceText {
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var v struct{ Trajectory []traceText }
	if err := json.Unmarshal(data, &v); err != nil {
		t.Fatal(err)
	}
	return v.Trajectory
}

func (w *world) imported(file string) (v struct{ Branches, Commits, Steps, Skipped int }) {
	if err := json.Unmarshal(w.ok("import", "--from", "swe-agent", file, "--json"), &v); err != nil {
		w.t.Fatal(err)
	}
	return v
}

// sameTrace holds that the branch's steps say what the trace says, to the byte.
func (w *world) sameTrace(want []traceText) {
	w.t.Helper()
	var v struct{ Steps []traceText }
	if err := json.Unmarshal(w.ok("--log", "--steps", "100000", "--json"), &v); err != nil {
		w.t.Fatal(err)
	}
	if len(v.Steps) != len(want) {
		w.t.Fatalf("%d steps, not %d", len(v.Steps), len(want))
	}
	for i := range want {
		if v.Steps[i] != want[i] {
			w.t.Errorf("step %d:\n%q\nnot\n%q", i+1, v.Steps[i], want[i])
		}
	}
}
