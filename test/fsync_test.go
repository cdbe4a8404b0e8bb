//go:build unix

package test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// A power cut is not kill -9: what is not flushed is gone. With context.fsync, wherever
// it is set, a step is on the disk before it is acknowledged; with core.fsync a
// milestone is too, with its objects and its ref.
func TestAcknowledgedIsFlushed(t *testing.T) {
	t.Parallel()
	strace, err := exec.LookPath("strace")
	if err != nil {
		t.Skip("*** SKIPPED: no strace to see what is flushed ***")
	}
	if out, err := exec.Command(strace, "-qq", "-e", "trace=none", "true").CombinedOutput(); err != nil {
		t.Skipf("*** SKIPPED: strace does not work here: %s ***", out)
	}
	for _, c := range []struct {
		name string
		set  func(w *world)
		env  []string
		all  bool // also what a commit writes
	}{
		{name: "context.fsync", set: func(w *world) { w.git("config", "context.fsync", "true") }},
		{name: "an included file", set: included},
		{name: "no cache", set: func(w *world) {
			w.git("config", "context.fsync", "true")
			if err := os.RemoveAll(w.gitPath("context", "cache")); err != nil {
				w.t.Fatal(err)
			}
		}},
		{name: "environment", set: func(w *world) {
			if err := os.RemoveAll(w.gitPath("context", "cache")); err != nil {
				w.t.Fatal(err)
			}
		}, env: []string{"GIT_CONFIG_COUNT=1", "GIT_CONFIG_KEY_0=context.fsync", "GIT_CONFIG_VALUE_0=true"}},
		{name: "core.fsync", set: func(w *world) { w.git("config", "core.fsync", "all") }, all: true},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			c.set(w)
			if c.name != "no cache" && c.env == nil {
				w.ok("commit", "-m", "caches the settings")
			}
			calls := w.traced(strace, c.env, "record", "-a", "kept", "--json")
			inOrder(t, calls, `^write\(\d+<.*/main\.jsonl>`, `^fdatasync\(\d+<.*/main\.jsonl>`, `^write\(1<`)
			if !c.all {
				return
			}
			calls = w.traced(strace, nil, "commit", "-m", "kept", "--json")
			inOrder(t, calls, `^fsync\(\d+<.*/objects/.*tmp_obj_`, `^fsync\(\d+<.*/(heads/main\.lock|reftable/[^>]*)>`, `^fdatasync\(\d+<.*/main\.jsonl>`, `^write\(1<.*"id\\"`)
			flushed(t, calls)
		})
	}
}

// included sets it in a file that the user's settings include.
func included(w *world) {
	path := w.beside("included")
	if err := os.WriteFile(path, []byte("[context]\n\tfsync = true\n"), 0o666); err != nil {
		w.t.Fatal(err)
	}
	w.git("config", "include.path", path)
}

// traced runs git-context and lists its calls, and those of what it starts, in order.
func (w *world) traced(strace string, env []string, args ...string) []string {
	w.t.Helper()
	path := filepath.Join(w.t.TempDir(), "calls")
	cmd := w.command(env, strace, append([]string{"-f", "-qq", "-y", "-o", path,
		"-e", "trace=write,fsync,fdatasync,rename,renameat,renameat2", w.bin}, args...)...)
	if out, err := cmd.CombinedOutput(); err != nil {
		w.t.Fatalf("git-context %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		w.t.Fatal(err)
	}
	var calls []string
	for line := range strings.Lines(string(data)) {
		_, call, _ := strings.Cut(line, " ") // behind the process
		calls = append(calls, strings.TrimSpace(call))
	}
	return calls
}

// inOrder holds that calls are there, one behind the other.
func inOrder(t *testing.T, calls []string, patterns ...string) {
	t.Helper()
	i := 0
	for _, call := range calls {
		if i < len(patterns) && regexp.MustCompile(patterns[i]).MatchString(call) {
			i++
		}
	}
	if i < len(patterns) {
		t.Errorf("no '%s' in its place:\n%s", patterns[i], strings.Join(calls, "\n"))
	}
}

// flushed holds that no object, ref or state took its name before it was on the disk.
// Caches may be lost.
func flushed(t *testing.T, calls []string) {
	t.Helper()
	named := regexp.MustCompile(`^rename.*?"([^"]*/(?:tmp_[^"/]*|[^"]*\.lock))"`)
	synced := regexp.MustCompile(`^fsync\(\d+<([^>]*)>`)
	done := map[string]bool{}
	for _, call := range calls {
		if m := synced.FindStringSubmatch(call); m != nil {
			done[m[1]] = true
		}
		if m := named.FindStringSubmatch(call); m != nil && !done[m[1]] && !strings.Contains(m[1], "/cache/") {
			t.Errorf("'%s' was not flushed before it was renamed", m[1])
		}
	}
}
