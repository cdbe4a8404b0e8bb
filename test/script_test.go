//go:build unix

// Package test holds what tests the whole: scripts that read like a manual,
// run against the real command and real git.
package test

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/git-context/git-context/cmd"
	"github.com/git-context/git-context/internal/gittest"
)

// The test binary is git-context too: it stands on the PATH of every script
// under that name, so that `git context` finds it as well.
func TestMain(m *testing.M) {
	testscript.Main(tidy{m}, programs)
}

var programs = map[string]func(){"git-context": cmd.Main}

func TestScripts(t *testing.T) {
	p := scripts(t, kinds[0])
	if !raceDetector { // else the scripts run what it watches, the test binary
		bin, err := faultBinary()
		if err != nil {
			t.Fatal(err)
		}
		p.Setup = func(env *testscript.Env) error { return isolateWith(bin, env) }
	}
	testscript.Run(t, p)
}

// isolateWith is isolate with another git-context than the test binary, which takes three
// times as long to start.
func isolateWith(bin string, env *testscript.Env) error {
	env.Setenv("PATH", filepath.Dir(bin)+string(os.PathListSeparator)+env.Getenv("PATH"))
	return isolate(env)
}

// gitConfig is that of a user, beside what all tests have. Nothing of ours runs in the
// background, where it could outlive its test.
const gitConfig = `[user]
	name = Ada
	email = ada@example.com
[init]
	defaultBranch = main
[advice]
	detachedHead = false
[context]
	gcAuto = 0
`

// environment is the key under which a script's world is kept for commands.
type environment struct{}

// isolate keeps a script's git away from the user's: a home, an identity and a
// date of its own, and no system configuration.
func isolate(env *testscript.Env) error {
	home := filepath.Join(env.WorkDir, ".home")
	if err := os.Mkdir(home, 0o777); err != nil {
		return err
	}
	env.Setenv("HOME", home)
	env.Setenv("GIT_CONFIG_NOSYSTEM", "1")
	env.Setenv("GIT_TERMINAL_PROMPT", "0")
	env.Setenv("GIT_AUTHOR_DATE", "2026-11-21T01:37:05Z")
	env.Setenv("GIT_COMMITTER_DATE", "2026-11-21T01:37:05Z")
	// The race detector lets a process sleep for a second before it ends: in a hundred
	// scripts that is most of the time.
	env.Setenv("GORACE", "atexit_sleep_ms=0")
	env.Setenv("LC_ALL", "C")
	env.Setenv("TZ", "UTC")
	for _, format := range gittest.Formats() {
		name, value, _ := strings.Cut(format, "=")
		env.Setenv(name, value)
	}
	env.Values[environment{}] = env
	return gittest.Configure(home, gitConfig)
}

// exits runs a command that must end with the given code:
//
//	exits 3 git-context merge theirs
func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits CODE COMMAND [ARGUMENT...]")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	err = ts.Exec(args[1], args[2:]...)
	code := 0
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
		code = exit.ExitCode()
	} else {
		ts.Check(err)
	}
	if code != want {
		ts.Fatalf("%s exits %d, not %d", strings.Join(args[1:], " "), code, want)
	}
}

// jsonIs checks one value of the last command's JSON, by its dotted path:
//
//	json steps.0.action 'go test'
//	json purpose ''
//	json code null
func jsonIs(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) != 2 {
		ts.Fatalf("usage: json PATH VALUE")
	}
	got := jsonAt(ts, args[0])
	if (got == args[1]) == neg {
		ts.Fatalf("%s is %q; the whole:\n%s", args[0], got, ts.ReadFile("stdout"))
	}
}

// jsonEnv keeps such a value in an environment variable.
func jsonEnv(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: jsonenv NAME PATH")
	}
	ts.Setenv(args[0], jsonAt(ts, args[1]))
}

// jsonAt gives a text as it is, the length of a list under "length", anything else
// as JSON.
func jsonAt(ts *testscript.TestScript, path string) string {
	var v any
	decoder := json.NewDecoder(strings.NewReader(ts.ReadFile("stdout")))
	decoder.UseNumber()
	ts.Check(decoder.Decode(&v))
	for part := range strings.SplitSeq(path, ".") {
		next, err := step(v, part)
		if err != nil {
			ts.Fatalf("%s: %v; the whole:\n%s", path, err, ts.ReadFile("stdout"))
		}
		v = next
	}
	if s, ok := v.(string); ok {
		return s
	}
	data, err := json.Marshal(v)
	ts.Check(err)
	return string(data)
}

func step(v any, part string) (any, error) {
	switch v := v.(type) {
	case map[string]any:
		if inner, ok := v[part]; ok {
			return inner, nil
		}
	case []any:
		if part == "length" {
			return len(v), nil
		}
		if i, err := strconv.Atoi(part); err == nil && i < len(v) {
			return v[i], nil
		}
	}
	return nil, fmt.Errorf("no '%s'", part)
}
