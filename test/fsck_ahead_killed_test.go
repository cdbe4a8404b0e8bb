//go:build unix

package test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/git-context/git-context/refs"
	"github.com/git-context/git-context/refs/store"
)

// New ids for what is ahead of the clock: a repair that is killed is finished by another one, wherever the kill came, and
// no step is lost or doubled.
func TestNewIdsKilled(t *testing.T) {
	t.Parallel()
	for n := 0; ; n++ {
		w := newWorld(t)
		w.ok("commit", "-m", "Sound")
		w.ahead("one", "Ahead", "two")
		w.ok("branch", "exp", "--no-switch")
		cmd := w.command([]string{fmt.Sprintf("GIT_CONTEXT_FAULT=any:%d", n)}, w.bin, "fsck", "--fix")
		out, err := cmd.CombinedOutput()
		if err != nil && cmd.ProcessState.Exited() {
			t.Fatalf("kill %d: %v: %s", n, err, out)
		}
		if n%2 == 0 { // a writer comes between
			w.ok("record", "-a", "three")
		}
		if found := w.problems("--fix"); err == nil && len(found) > 0 {
			t.Errorf("left: %+v", found)
		}
		if found := w.problems(); len(found) > 0 {
			t.Errorf("kill %d: left: %+v", n, found)
		}
		want := []string{"one", "two"}
		if n%2 == 0 {
			want = append(want, "three")
		}
		shown := string(w.ok("--log"))
		for _, action := range want {
			if strings.Count(shown, action) != 1 {
				t.Errorf("kill %d: '%s' in\n%s", n, action, shown)
			}
		}
		if log := string(w.ok("log", "--oneline")); strings.Count(log, "Ahead") != 1 || strings.Count(log, "Sound") != 1 {
			t.Errorf("kill %d: %s", n, log)
		}
		w.ok("commit", "-m", "All")
		if found := w.problems(); len(found) > 0 {
			t.Errorf("kill %d: after another commit: %+v", n, found)
		}
		if err == nil {
			if n < 4 {
				t.Errorf("only %d points were passed", n)
			}
			return
		}
	}
}

// ahead records and commits a step, and records another one, with a clock that is two days ahead.
func (w *world) ahead(first, summary, pending string) {
	w.t.Helper()
	ctx := context.Background()
	s, err := refs.Open(ctx, store.Options{Dir: w.dir, Env: w.env, Now: func() time.Time { return time.Now().Add(48 * time.Hour) }})
	if err != nil {
		w.t.Fatal(err)
	}
	defer s.Close()
	if _, err = s.Record(ctx, []store.NewStep{{Action: first}}); err == nil {
		if _, err = s.Commit(ctx, store.CommitOptions{Summary: summary}); err == nil {
			_, err = s.Record(ctx, []store.NewStep{{Action: pending}})
		}
	}
	if err != nil {
		w.t.Fatal(err)
	}
}
