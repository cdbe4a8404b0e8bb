//go:build unix

package test

import (
	"encoding/json"
	"errors"
	"os/exec"
	"slices"
	"testing"
)

// fsck are the kinds of the problems that it finds, and how many it mended.
func (w *world) fsck(args ...string) (kinds []string, mended int) {
	w.t.Helper()
	out, err := w.command(nil, w.bin, append([]string{"fsck", "--json"}, args...)...).Output()
	var exit *exec.ExitError
	if err != nil && (!errors.As(err, &exit) || exit.ExitCode() != 1) {
		w.t.Fatalf("fsck: %v", err)
	}
	var v struct {
		Problems []struct {
			Kind  string
			Fixed bool
		}
	}
	if err := json.Unmarshal(out, &v); err != nil {
		w.t.Fatal(err)
	}
	for _, p := range v.Problems {
		kinds = append(kinds, p.Kind)
		if p.Fixed {
			mended++
		}
	}
	if (err == nil) != (mended == len(kinds)) {
		w.t.Errorf("%d of %d are mended, and it ends with %v", mended, len(kinds), err)
	}
	return kinds, mended
}

// What a killed command leaves is reported without being touched, and finished when
// that is asked for.
func TestFsckFinishesWhatWasInterrupted(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		point, kind string
		args        []string
	}{
		{"after-code", "intent-left", []string{"commit", "--code", "-m", "killed"}},
		{"after-intent", "intent-left", []string{"commit", "--code", "-m", "killed"}},
		{"expunge-intent", "expunge-left", []string{"expunge", "--match", "hunter2", "--yes"}},
		{"expunge-refs", "expunge-left", []string{"expunge", "--match", "hunter2", "--yes"}},
	} {
		t.Run(c.point, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.ok("record", "-o", "the password is hunter2")
			w.ok("commit", "-m", "It was hunter2")
			w.git("commit", "-q", "--allow-empty", "-m", "more code")
			w.write("file", "text")
			w.git("add", "file")
			w.killedAt(c.point, c.args...)
			for range 2 {
				if kinds, mended := w.fsck(); !slices.Equal(kinds, []string{c.kind}) || mended > 0 {
					t.Errorf("found %v, mended %d", kinds, mended)
				}
			}
			if kinds, mended := w.fsck("--fix"); !slices.Equal(kinds, []string{c.kind}) || mended != 1 {
				t.Errorf("found %v, mended %d", kinds, mended)
			}
			if kinds, _ := w.fsck(); len(kinds) > 0 {
				t.Errorf("once mended: %v", kinds)
			}
			w.sound()
		})
	}
}
