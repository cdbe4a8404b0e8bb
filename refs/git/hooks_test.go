package git

import (
	"context"
	"errors"
	"strings"
	"testing"
)

// git is asked, so that its own rules hold: relative to the worktree's top, `~`, a
// setting of one worktree.
func TestHooksPath(t *testing.T) {
	t.Parallel()
	s := newSandbox(t)
	s.Git(".", "init", "-q", "repo")
	s.Git("repo", "commit", "-q", "--allow-empty", "-m", "one")
	s.Git("repo", "worktree", "add", "-q", "../linked")
	s.Git(".", "init", "-q", "--bare", "bare.git")
	s.Write("repo/sub/file", "")
	for _, test := range []struct{ dir, set, want string }{
		{"repo/sub", "", "repo/.git/hooks"},
		{"linked", "", "repo/.git/hooks"},
		{"bare.git", "", "bare.git/hooks"},
		{"repo/sub", "our hooks/../x", "repo/x"},
		{"linked", ".githooks", "linked/.githooks"},
		{"bare.git/refs", "own", "bare.git/own"},
		{"repo", "~/hooks", "home/hooks"},
	} {
		var env []string
		if test.set != "" {
			env = []string{"GIT_CONFIG_COUNT=1", "GIT_CONFIG_KEY_0=core.hooksPath", "GIT_CONFIG_VALUE_0=" + test.set}
		}
		got, err := s.open(test.dir, env...).HooksPath(t.Context())
		if err != nil || got != s.Path(test.want) {
			t.Errorf("%+v: %s, %v", test, got, err)
		}
	}
	_, err := s.open("repo", "GIT_CONFIG_COUNT=1", "GIT_CONFIG_KEY_0=core.hooksPath", "GIT_CONFIG_VALUE_0=").HooksPath(t.Context())
	if err == nil {
		t.Error("an empty path was taken")
	}
	for dir, want := range map[string]string{"repo": s.Path("repo"), "linked": s.Path("repo"), "bare.git": ""} {
		if got := s.open(dir).MainWorkTree(); got != want {
			t.Errorf("main worktree of %s: %s", dir, got)
		}
	}
}

func TestLastMove(t *testing.T) {
	t.Parallel()
	s := newSandbox(t)
	s.Git(".", "init", "-q", "repo")
	r, ctx := s.open("repo"), t.Context()
	for _, last := range []func(context.Context) (HeadMove, error){r.LastMove, r.askLastMove} {
		if _, err := last(ctx); !errors.Is(err, ErrNotFound) {
			t.Errorf("no reflog: %v", err)
		}
	}
	s.Git("repo", "commit", "-q", "--allow-empty", "-m", "one")
	one := ID(s.Git("repo", "rev-parse", "HEAD"))
	check := func(want HeadMove) {
		t.Helper()
		for name, last := range map[string]func() (HeadMove, error){
			"read":  func() (HeadMove, error) { return r.LastMove(ctx) },
			"asked": func() (HeadMove, error) { return r.askLastMove(ctx) },
		} {
			got, err := last()
			if got.Old.IsZero() {
				got.Old = ""
			}
			if err != nil || got != want {
				t.Errorf("%s: %+v, %v; want %+v", name, got, err, want)
			}
		}
	}
	check(HeadMove{New: one, Reason: "commit (initial): one"})
	long := strings.Repeat("two ", 5000)
	s.Git("repo", "commit", "-q", "--allow-empty", "-m", long)
	check(HeadMove{Old: one, New: ID(s.Git("repo", "rev-parse", "HEAD")), Reason: "commit: " + strings.TrimSpace(long)})
	s.Write("repo/.git/logs/HEAD", "torn")
	if _, err := r.LastMove(ctx); err == nil || errors.Is(err, ErrNotFound) {
		t.Errorf("a torn line: %v", err)
	}
}

func TestRebasing(t *testing.T) {
	t.Parallel()
	s := newSandbox(t)
	s.Git(".", "init", "-q", "repo")
	for _, m := range []string{"one", "two"} {
		s.Git("repo", "commit", "-q", "--allow-empty", "-m", m)
	}
	r := s.open("repo")
	rebasing := func(want bool) {
		t.Helper()
		if got, err := r.Rebasing(); got != want || err != nil {
			t.Errorf("rebasing: %v, %v", got, err)
		}
	}
	rebasing(false)
	if out, err := s.Try("repo", "rebase", "-q", "--exec", "false", "--root"); err == nil {
		t.Fatalf("a rebase went through: %s", out)
	}
	rebasing(true)
	s.Git("repo", "rebase", "--abort")
	rebasing(false)
}
