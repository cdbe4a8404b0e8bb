//go:build unix

package test

import (
	"fmt"
	"path/filepath"
	"testing"
)

// A limit on the size of files stops a write in its middle, wherever one comes to it:
// a line of the journal, an object, the notes, what git writes. What was written of it
// is taken back or set aside, and when the limit is gone the command is done once. It
// is tried everywhere, by whoever runs the tests.
func TestFileSizeLimit(t *testing.T) {
	t.Parallel()
	template := newDisk(t)
	for _, c := range writings(t) {
		if !soaking() && !c.core || c.name == "init" {
			continue
		}
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			base := template.placed(t, filepath.Join(t.TempDir(), "code"))
			base.take(template)
			if c.begin != nil {
				c.begin(base)
			}
			base.limited(c)
		})
	}
}

// limited tries a command with small limits.
func (w *world) limited(c writing) {
	w.t.Helper()
	limits := []int{1}
	if soaking() {
		limits = []int{0, 1, 2, 3, 4, 6, 8, 12}
	}
	tries := append(limits, -1)
	var want string
	failed := 0
	for i := range tries { // without a limit first
		blocks := tries[len(tries)-1-i]
		try := w.placed(w.t, filepath.Join(w.t.TempDir(), "code"))
		try.take(w)
		before := try.image()
		var through []string
		if blocks >= 0 {
			through = []string{"sh", "-c", fmt.Sprintf(`ulimit -f %d; exec "$@"`, blocks), "sh"}
		}
		r := try.try(c, through...)
		switch {
		case blocks < 0 && r.code != 0:
			w.t.Fatalf("exit code %d: %s", r.code, r.err)
		case blocks < 0:
			want = try.outcome()
		case r.code != 0:
			failed++
			r = try.after(c, r, before, "file too large")
		}
		try.complete(r, want)
		if w.t.Failed() {
			w.t.Fatalf("with files of at most %d blocks", blocks)
		}
	}
	w.t.Logf("figures: '%s' failed under %d limits on the size of files", c.name, failed)
}
