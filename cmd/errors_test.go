package cmd

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"syscall"
	"testing"

	"github.com/git-context/git-context/refs/fail"
	"github.com/git-context/git-context/refs/git"
)

func TestExitCodes(t *testing.T) {
	named := func(kind error) error {
		return &fail.Error{Code: "own-name", Message: "it went wrong", Kind: kind}
	}
	for _, test := range []struct {
		err  error
		exit int
		code string
	}{
		{nil, 0, ""},
		{errors.New("anything"), 1, "failed"},
		{named(fail.ErrNotFound), 1, "own-name"},
		{named(fail.ErrExists), 1, "own-name"},
		{named(fail.ErrInvalid), 1, "own-name"},
		{named(fail.ErrRefused), 1, "own-name"},
		{named(fail.ErrStale), 1, "own-name"},
		{fail.ErrStale, 1, "stale"},
		{git.ErrOldGit, 1, "old-git"},
		{git.ErrAmbiguous, 1, "ambiguous"},
		{context.DeadlineExceeded, 1, "timeout"},
		{usagef("what?"), 2, "usage"},
		{named(fail.ErrConflict), 3, "own-name"},
		{fail.ErrConflict, 3, "conflict"},
		{named(fail.ErrNoMemory), 4, "own-name"},
		{fail.ErrNoMemory, 4, "no-memory"},
		{git.ErrNotRepository, 128, "not-a-repository"},
		{context.Canceled, 130, "interrupted"},
		{syscall.EPIPE, 141, "broken-pipe"},
	} {
		for _, err := range []error{test.err, wrapped(test.err)} {
			if exit, code := classify(err); exit != test.exit || code != test.code {
				t.Errorf("%v: %d %q, want %d %q", err, exit, code, test.exit, test.code)
			}
		}
	}
}

func wrapped(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("line 3: %w", err)
}

func TestReport(t *testing.T) {
	err := fmt.Errorf("line 3: %w", &fail.Error{
		Code: "branch-not-found", Message: "no branch 'plna'", Kind: fail.ErrNotFound,
		Hints: []string{"git context switch plan", "git context branch"},
	})
	var out bytes.Buffer
	env := &Env{Err: &out}
	if exit := env.report(err, false); exit != 1 {
		t.Errorf("exit %d", exit)
	}
	want := "git-context: error: line 3: no branch 'plna'\nhint: git context switch plan\nhint: git context branch\n"
	if out.String() != want {
		t.Errorf("%q, want %q", out.String(), want)
	}

	out.Reset()
	env.report(err, true)
	var got map[string]map[string]string
	if err := json.Unmarshal(out.Bytes(), &got); err != nil {
		t.Fatal(err)
	}
	e := got["error"]
	if e["code"] != "branch-not-found" || e["message"] != "line 3: no branch 'plna'" || e["hint"] != "git context switch plan\ngit context branch" {
		t.Errorf("%v", e)
	}
}

// Who pressed ^C, or closed the pipe, is told nothing.
func TestReportIsSilent(t *testing.T) {
	var out bytes.Buffer
	env := &Env{Err: &out}
	for _, err := range []error{context.Canceled, syscall.EPIPE} {
		env.report(fmt.Errorf("cannot write: %w", err), true)
	}
	if out.Len() > 0 {
		t.Errorf("%q", out.String())
	}
}

// The command line that asks for JSON may be the one that cannot be parsed.
func TestUsageErrorsInJSON(t *testing.T) {
	for _, test := range []struct {
		args []string
		json bool
	}{
		{[]string{"recrod", "--json"}, true},
		{[]string{"--json", "--lgo"}, true},
		{[]string{"switch", "--", "--json", "x"}, false},
	} {
		var out bytes.Buffer
		if exit := Run(t.Context(), &Env{Err: &out}, test.args); exit != exitUsage {
			t.Errorf("%q: exit %d", test.args, exit)
		}
		if got := strings.HasPrefix(out.String(), `{"error":{"code":"usage"`); got != test.json {
			t.Errorf("%q: %s", test.args, out.String())
		}
	}
}
