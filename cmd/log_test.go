package cmd

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/git-context/git-context/refs"
	"github.com/git-context/git-context/refs/store"
)

// What stands behind -- is kept apart, wherever flags and their values stand before.
func TestCutBehind(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ line, args, behind string }{
		{"main -n 3", "main -n 3", ""},
		{"main -- --oneline topics/", "main", "--oneline topics/"},
		{"--grep -- -n 3 -- -p", "--grep -- -n 3", "-p"},
		{"-n 3 --", "-n 3", ""},
		{"-- --stat -- topics/", "", "--stat -- topics/"},
	} {
		var behind []string
		log := newLog(new(globals))
		log.behind = &behind
		args, err := log.cutBehind(strings.Fields(c.line))
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(args, strings.Fields(c.args)) || !slices.Equal(behind, strings.Fields(c.behind)) {
			t.Errorf("%s: %q and %q", c.line, args, behind)
		}
	}
}

// A log goes through the pager as it comes; a reader who leaves early ends it, and an
// error needs no pager.
func TestLogPager(t *testing.T) {
	env, out := terminalEnv(t, "core.pager=head -n 1", "color.ui=false")
	s, err := refs.Open(t.Context(), store.Options{Dir: env.Dir, Env: env.Environ, Now: env.Now})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	long := strings.Repeat(strings.Repeat("x", 99)+"\n", 1000)
	for i := range 5 { // more than the pipes hold
		if _, err := s.Commit(t.Context(), store.CommitOptions{Summary: fmt.Sprintf("Milestone %d", i), Contribution: long}); err != nil {
			t.Fatal(err)
		}
	}
	run := func(want int, args ...string) string {
		t.Helper()
		out.Reset()
		if exit := Run(t.Context(), env, args); exit != want {
			t.Errorf("%q: exit %d", args, exit)
		}
		return out.String()
	}
	if got := run(exitDone, "log", "-n", "5", "--", "--format=%s", "-p"); got != "Milestone 4\n" {
		t.Errorf("the pager shows %q", got)
	}
	if got := run(exitDone, "diff", "main~4", "--name-only"); got != "commit.md\n" {
		t.Errorf("the pager shows %q", got)
	}
	var said bytes.Buffer
	env.Err = &said
	env.Environ = append(env.Environ, "GIT_PAGER=echo paged")
	if got := run(exitFailed, "log", "--grep", "["); got != "" || !strings.Contains(said.String(), "'['") && !strings.Contains(said.String(), "regular expression") {
		t.Errorf("an error shows %q and says %q", got, said.String())
	}
	if got := run(exitDone, "log", "--outcome", "failed"); got != "" {
		t.Errorf("nothing to show shows %q", got)
	}
}
