//go:build linux

package test

import (
	"encoding/json"
	"errors"
	"math/rand/v2"
	"os/exec"
	"path/filepath"
	"slices"
	"syscall"
	"testing"
	"time"
)

// An import that is killed at random moments, and repeated, leaves the memory of one that was not.
func TestImportKilled(t *testing.T) {
	t.Parallel()
	size, kills := int64(2<<20), 5
	if soaking() {
		size, kills = 30<<20, 20
	}
	w := newWorld(t)
	claude := filepath.Join(w.dir, "..", "claude")
	makeYear(t, filepath.Join(claude, "projects", "p"), w.dir, size)
	w.env = append(w.env, "CLAUDE_CONFIG_DIR="+claude)
	begin := time.Now()
	w.ok("import", "--all")
	took := time.Since(begin)
	want := imported(w)
	w.ok("deinit", "--yes")
	w.ok("init", "--goal", "Keep every step")
	died := 0
	for range kills {
		cmd := w.command(nil, w.bin, "import", "--all")
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Duration(rand.Int64N(int64(took) * 3 / 4)))
		_ = cmd.Process.Kill() // it may have ended
		var exit *exec.ExitError
		if err := cmd.Wait(); errors.As(err, &exit) && exit.Sys().(syscall.WaitStatus).Signaled() {
			died++
		} else if err != nil {
			t.Fatal(err)
		}
	}
	t.Logf("%d of %d were killed", died, kills)
	w.ok("import", "--all")
	if got := imported(w); !slices.Equal(got, want) {
		t.Errorf("%d texts, not %d, or in another order", len(got), len(want))
	}
	w.sound()
}

// imported are the texts of all steps and commits, in their order.
func imported(w *world) (texts []string) {
	w.t.Helper()
	var log struct{ Steps []traceText }
	if err := json.Unmarshal(w.ok("--log", "--steps", "1000000", "--json"), &log); err != nil {
		w.t.Fatal(err)
	}
	for _, s := range log.Steps {
		texts = append(texts, s.Observation+"\x00"+s.Thought+"\x00"+s.Action)
	}
	var branch struct {
		Commits []struct{ Summary, Contribution, Time string }
	}
	if err := json.Unmarshal(w.ok("--branch", "main", "--limit", "1000000", "--json"), &branch); err != nil {
		w.t.Fatal(err)
	}
	for _, c := range branch.Commits {
		texts = append(texts, c.Summary+"\x00"+c.Contribution+"\x00"+c.Time)
	}
	return texts
}
