//go:build unix

package browser

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// demo plays the demo of `make demo` and returns Ann's repository.
func demo(t testing.TB) string {
	t.Helper()
	return play(t, filepath.Join(programs, "git-context"))
}

// play is demo with a program and with more of an environment.
func play(t testing.TB, bin string, env ...string) string {
	t.Helper()
	script, err := filepath.Abs("../demo.sh")
	if err != nil {
		t.Fatal(err)
	}
	c := program(t.TempDir(), "", "sh", script, bin)
	c.Env = environment(append(env, "TMPDIR="+c.Dir)...)
	out, err := c.CombinedOutput()
	if err != nil {
		t.Fatalf("demo.sh: %v\n%s", err, out)
	}
	_, folder, ok := strings.Cut(string(out), "\nRemove it:    rm -rf ")
	if !ok {
		t.Fatalf("demo.sh names no folder:\n%s", out)
	}
	return filepath.Join(strings.TrimSpace(folder), "ann")
}

// repository makes a repository with one commit of code and an empty memory.
func repository(t testing.TB, goal string) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "project")
	command(t, filepath.Dir(dir), "", "git", "init", "-q", "-b", "main", dir)
	if err := os.WriteFile(filepath.Join(dir, "main.go"), []byte("package main\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	command(t, dir, "", "git", "add", ".")
	command(t, dir, "", "git", "commit", "-q", "-m", "Begin")
	command(t, dir, "", "git", "context", "init", "--goal", goal)
	return dir
}

// traces imports real traces of agents, which are not part of the project.
func traces(t testing.TB) string {
	t.Helper()
	data, err := filepath.Abs("../../../shared/data")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(data); err != nil {
		t.Skipf("*** SKIPPED TRACES: %v", err)
	}
	dir := repository(t, "Mend what users reported")
	for _, from := range [][2]string{{"claude-code", "claude/session.jsonl"}, {"codex", "codex/rollout.jsonl"}, {"swe-agent", "swe-agent/marshmallow-1867.traj"}} {
		command(t, dir, "", "git", "context", "import", "--from", from[0], filepath.Join(data, from[1]))
	}
	command(t, dir, "", "git", "context", "branch", "attempt", "--purpose", "Does rounding mend the serialised time?")
	command(t, dir, "", "git", "context", "import", "--from", "swe-agent",
		filepath.Join(data, "swe-agent/ctf-rev-rock.traj"))
	return dir
}

// long makes a branch with many steps, some of them committed.
func long(t testing.TB, steps int) string {
	t.Helper()
	dir := repository(t, "Count")
	record := func(from, to int) {
		var lines strings.Builder
		for i := from; i < to; i++ {
			fmt.Fprintf(&lines, "{\"action\":\"bash: count %d\",\"observation\":\"seen %d\\nand more\","+
				"\"thought\":\"thought number %d\"}\n", i, i, i)
		}
		command(t, dir, lines.String(), "git", "context", "record", "--stdin", "--session", "s")
	}
	record(1, steps/2)
	command(t, dir, "", "git", "context", "commit", "-m", "Half of it")
	record(steps/2, steps+1)
	return dir
}
