package cmd

import (
	"bytes"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/git-context/git-context/internal/gittest"
)

// terminalEnv is a world whose standard output is a terminal, in a repository
// with memory and with some configuration.
func terminalEnv(t *testing.T, config ...string) (env *Env, out *bytes.Buffer) {
	t.Helper()
	dir := t.TempDir()
	out = new(bytes.Buffer)
	path, err := exec.LookPath("git")
	if err != nil {
		t.Fatal(err)
	}
	environ := append(gittest.Env(t, dir, ""), "TERM=xterm", "GIT_COMMITTER_NAME=Ada", "GIT_COMMITTER_EMAIL=ada@example.com")
	environ[0] = "PATH=" + filepath.Dir(path) + ":/usr/bin:/bin"
	env = &Env{
		Out: out, Err: t.Output(), Dir: dir, Now: time.Now,
		Environ: environ,
		Term:    Terminal{Out: true, Width: 80},
	}
	for _, args := range append([][]string{{"init", "-q"}}, pagerSettings(config)...) {
		c := exec.Command("git", args...)
		c.Dir, c.Env = dir, env.Environ
		if out, err := c.CombinedOutput(); err != nil {
			t.Fatalf("git %q: %v: %s", args, err, out)
		}
	}
	if exit := Run(t.Context(), env, []string{"init"}); exit != exitDone {
		t.Fatalf("init: exit %d", exit)
	}
	out.Reset()
	return env, out
}

func pagerSettings(config []string) (commands [][]string) {
	for _, c := range config {
		key, value, _ := strings.Cut(c, "=")
		commands = append(commands, []string{"config", key, value})
	}
	return commands
}

// The pager is git's: core.pager, pager.context, GIT_PAGER, none within a pager
// of git's own.
func TestPager(t *testing.T) {
	const pager = "sed 's/^/paged: /'"
	for _, test := range []struct {
		name, config, environ string
		paged                 bool
	}{
		{"core.pager", "core.pager=" + pager, "", true},
		{"pager.context is off", "pager.context=false", "GIT_PAGER=" + pager, false},
		{"pager.context is a command", "pager.context=" + pager, "GIT_PAGER=cat", true},
		{"GIT_PAGER", "core.pager=cat", "GIT_PAGER=" + pager, true},
		{"cat is no pager", "core.pager=cat", "", false},
		{"git pages already", "core.pager=" + pager, "GIT_PAGER_IN_USE=true", false},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			env, out := terminalEnv(t, test.config)
			env.Environ = append(env.Environ, test.environ)
			if exit := Run(t.Context(), env, []string{"branch"}); exit != exitDone {
				t.Fatalf("exit %d", exit)
			}
			if !strings.Contains(out.String(), "main") || strings.HasPrefix(out.String(), "paged: ") != test.paged {
				t.Errorf("%q", out.String())
			}
		})
	}
}

// What is no terminal gets no pager, and costs no child to find that out.
func TestNoPagerWithoutTerminal(t *testing.T) {
	env, out := terminalEnv(t, "core.pager=false", "color.ui=always")
	env.Term = Terminal{}
	var trace bytes.Buffer
	env.trace = &trace
	if s := env.screen(t.Context(), colorUI); s != (screen{}) || trace.Len() > 0 {
		t.Errorf("%+v, and ran %s", s, trace.String())
	}
	if exit := Run(t.Context(), env, []string{"branch"}); exit != exitDone || !strings.Contains(out.String(), "main") {
		t.Errorf("exit %d: %q", exit, out.String())
	}
}

func TestColor(t *testing.T) {
	for _, test := range []struct {
		config, environ string
		color, branch   bool
	}{
		{"user.name=Ada", "", true, true},
		{"color.ui=auto", "", true, true},
		{"color.ui=Always", "", true, true},
		{"color.ui=true", "", true, true},
		{"color.ui=", "", false, false},
		{"color.ui=false", "", false, false},
		{"color.ui=never", "", false, false},
		{"color.branch=false", "", true, false},
		{"color.branch=maybe", "", true, false},
		{"color.ui=auto", "TERM=dumb", false, false},
		{"color.ui=auto", "NO_COLOR=1", false, false},
	} {
		env, _ := terminalEnv(t, test.config)
		env.Environ = append(env.Environ, test.environ)
		if got := env.screen(t.Context(), colorUI).color; got != test.color {
			t.Errorf("%s %s: %v", test.config, test.environ, got)
		}
		if got := env.screen(t.Context(), colorBranch).color; got != test.branch {
			t.Errorf("%s %s for branches: %v", test.config, test.environ, got)
		}
	}
}

// color.branch stands over color.ui, which git asks where the other is not set.
func TestBranchColor(t *testing.T) {
	env, out := terminalEnv(t, "color.ui=false", "color.branch=auto", "core.pager=cat")
	if exit := Run(t.Context(), env, []string{"branch"}); exit != exitDone {
		t.Fatalf("exit %d", exit)
	}
	if !strings.HasPrefix(out.String(), "* \x1b[32mmain\x1b[m ") {
		t.Errorf("%q", out.String())
	}
}
