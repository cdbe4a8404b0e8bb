package cmd

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// A quick exchange says nothing; a slow one what git and the remote say, with
// the remote's escape sequences made visible.
func TestProgress(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	clock := time.Unix(0, 0)
	env := &Env{Err: &out, Term: Terminal{Err: true}, Now: func() time.Time { return clock }}
	w := env.progress(false)
	if _, err := w.Write([]byte("remote: \x1b[31mred\rCounting: 1\r")); err != nil {
		t.Fatal(err)
	}
	if out.Len() > 0 {
		t.Errorf("said at once: %q", &out)
	}
	clock = clock.Add(progressDelay)
	if _, err := w.Write([]byte("Counting: 2\n")); err != nil {
		t.Fatal(err)
	}
	if got := out.String(); strings.Contains(got, "\x1b") || !strings.HasSuffix(got, "red\rCounting: 1\rCounting: 2\n") {
		t.Errorf("shown: %q", got)
	}
	for _, quiet := range []*Env{{Err: &out}, {Err: &out, Term: Terminal{Out: true}}} {
		if w := quiet.progress(false); w != nil {
			t.Error("progress where nobody watches")
		}
	}
	if w := env.progress(true); w != nil {
		t.Error("progress beside JSON")
	}
}

// Whoever waits at a terminal is told what for; a program never is.
func TestProgressOfWork(t *testing.T) {
	t.Parallel()
	env, out := terminalEnv(t)
	var trace strings.Builder
	trace.WriteString(`{"trajectory":[`)
	for i := range 40 {
		fmt.Fprintf(&trace, `{"thought":"step %d"},`, i) // without a call they make no commit
	}
	file := filepath.Join(env.Dir, "x.traj")
	if err := os.WriteFile(file, []byte(strings.TrimSuffix(trace.String(), ",")+"]}"), 0o666); err != nil {
		t.Fatal(err)
	}
	var mu sync.Mutex
	clock := time.Now()          // fsck refuses ids that are a day ahead of it
	env.Now = func() time.Time { // everything takes long
		mu.Lock()
		defer mu.Unlock()
		clock = clock.Add(progressDelay)
		return clock
	}
	for _, c := range []struct {
		args string
		want []string
	}{
		{"import --from swe-agent x.traj", []string{"Reading transcripts: 100% (1/1), done.\n", "Importing sessions: 100% (1/1), done.\n", "Recording steps:  50% (20/40)\r", "Recording steps: 100% (40/40), done.\n"}},
		{"commit -m All", nil},
		{"search step", []string{"Indexing texts: 100% (", "), done.\n"}},
		{"fsck", []string{"Checking commits: 100% ("}},
		{"stats", []string{"Counting texts: 100% ("}},
		{"expunge --match step --dry-run", []string{"Reading memory: 100% ("}},
		{"gc", []string{"Writing objects: 100% ("}},
	} {
		said := new(bytes.Buffer)
		watched := *env
		watched.Err, watched.Term = said, Terminal{Err: true}
		if exit := Run(t.Context(), &watched, strings.Fields(c.args)); exit != exitDone {
			t.Fatalf("%s: exit %d: %s", c.args, exit, said)
		}
		for _, want := range c.want {
			if !strings.Contains(said.String(), want) {
				t.Errorf("%s: no %q in %q", c.args, want, said)
			}
		}
		if strings.Contains(out.String(), "%") {
			t.Errorf("%s: progress among the results: %s", c.args, out)
		}
		for _, quiet := range []Env{{Term: Terminal{Out: true}}, {Term: Terminal{Err: true}}} {
			said.Reset()
			unwatched := *env
			unwatched.Err, unwatched.Term = said, quiet.Term
			args := strings.Fields(c.args)
			if quiet.Term.Err {
				args = append(args, "--json")
			}
			if exit := Run(t.Context(), &unwatched, args); exit != exitDone || strings.Contains(said.String(), "%") {
				t.Errorf("%q: exit %d: %q", args, exit, said)
			}
		}
	}
}
