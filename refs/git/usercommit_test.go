package git

import (
	"bytes"
	"context"
	"errors"
	"os"
	"slices"
	"strings"
	"testing"
	"time"
)

// hookOf writes a hook of a repository.
func (s *sandbox) hookOf(repo, name, script string) {
	s.T.Helper()
	path := repo + "/.git/hooks/" + name
	s.Write(path, "#!/bin/sh\n"+script+"\n")
	must(s.T, os.Chmod(s.Path(path), 0o755))
}

// A command of the user's own sees the directory and the variables of the user, its
// whole input, and no hooks of ours; what it prints arrives.
func TestRunUser(t *testing.T) {
	t.Parallel()
	s, _ := newRepo(t)
	s.Write("r/sub/f", "text\n")
	s.Git("r", "add", ".")
	s.hookOf("r", "commit-msg", `echo "said $GIT_CONTEXT_HOOKS $GIT_AUTHOR_NAME $MINE"; wc -c <"$1" >&2`)
	r := s.open("r/sub", "MINE=too", "GIT_AUTHOR_NAME=Somebody")
	var out, said bytes.Buffer
	long := strings.Repeat("a line of the message\n", 1<<15)
	err := r.RunUser(t.Context(), UserOptions{Action: "commit (context 01X)", Input: []byte("Subject\n\n" + long), Out: &out, Err: &said},
		"commit", "-F", "-")
	if err != nil {
		t.Fatalf("%v\n%s", err, &said)
	}
	if !strings.Contains(said.String(), "said 0 Somebody too\n") || !strings.Contains(out.String(), "Subject\n") {
		t.Errorf("it printed %q and %q", &out, &said)
	}
	if got := strings.TrimRight(s.Git("r", "log", "-1", "--format=%an %B"), "\n") + "\n"; got != "Somebody Subject\n\n"+long {
		t.Errorf("%d bytes of a message arrived", len(got))
	}
	if got := s.Git("r", "log", "-g", "-1", "--format=%gs"); got != "commit (context 01X): Subject" {
		t.Errorf("reflog: %s", got)
	}
	left := ok(os.ReadDir(r.StateDir()))(t)
	for _, e := range left {
		if strings.HasPrefix(e.Name(), "tmp_") {
			t.Errorf("%s was left", e.Name())
		}
	}
	var failed *Error
	if err := r.RunUser(t.Context(), UserOptions{}, "commit", "-m", "nothing"); !errors.As(err, &failed) || failed.Code != 1 {
		t.Errorf("nothing to commit: %v", err)
	}
}

// What ends the waiting ends the child and what it started, and is the error; it need
// not have a terminal.
func TestRunUserInterrupted(t *testing.T) {
	t.Parallel()
	for _, terminal := range []bool{false, true} {
		s, _ := newRepo(t)
		s.Write("r/f", "text\n")
		s.Git("r", "add", ".")
		s.hookOf("r", "pre-commit", "touch begun; exec sleep 60")
		why := errors.New("a signal")
		r, err := Open(t.Context(), Options{Dir: s.Path("r"), Env: s.Env,
			Interruptible: func(ctx context.Context) (context.Context, context.CancelFunc) {
				ctx, cancel := context.WithCancelCause(ctx)
				go func() {
					for range 1000 {
						if _, err := os.Stat(s.Path("r/begun")); err == nil {
							break
						}
						time.Sleep(5 * time.Millisecond)
					}
					cancel(why)
				}()
				return ctx, func() { cancel(nil) }
			}})
		must(t, err)
		begin := time.Now()
		if err := r.RunUser(t.Context(), UserOptions{Terminal: terminal}, "commit", "-m", "x"); !errors.Is(err, why) {
			t.Errorf("terminal %v: %v", terminal, err)
		}
		if took := time.Since(begin); took > 10*time.Second {
			t.Errorf("terminal %v: it took %v", terminal, took)
		}
		if _, err := os.Stat(s.Path("r/.git/index.lock")); err == nil {
			t.Errorf("terminal %v: git left its lock", terminal)
		}
		must(t, r.Close())
	}
}

// The moves of a HEAD, of any worktree and however git keeps them.
func TestMovesSince(t *testing.T) {
	t.Parallel()
	s, r := newRepo(t)
	ctx := t.Context()
	if moves, kept, err := r.MovesSince(ctx, ".", "01X"); err != nil || kept || moves != nil {
		t.Errorf("unborn: %v %v %v", moves, kept, err)
	}
	run := func(dir, action, message string) ID {
		t.Helper()
		must(t, s.open(dir).RunUser(ctx, UserOptions{Action: action}, "commit", "--allow-empty", "-m", message))
		return ID(s.Git(dir, "rev-parse", "HEAD"))
	}
	one := run("r", "commit", "one")
	two := run("r", "commit (context 01X)", "two")
	s.Git("r", "worktree", "add", "-q", "-b", "side", s.Path("linked"), "HEAD~1")
	side := run("linked", "commit (context 01Y)", "side")
	three := run("r", "commit", "three")
	for _, at := range []string{"r", "linked"} {
		for _, format := range []string{"files", "asked"} {
			repo := s.open(at)
			repo.format.refFiles = format == "files"
			want := []HeadMove{{one, two, "commit (context 01X): two"}, {two, three, "commit: three"}}
			if moves, kept, err := repo.MovesSince(ctx, ".", "01X"); err != nil || !kept || !slices.Equal(moves, want) {
				t.Errorf("%s, %s: %v %v %v", at, format, moves, kept, err)
			}
			want = []HeadMove{{one, side, "commit (context 01Y): side"}}
			if moves, kept, err := repo.MovesSince(ctx, "worktrees/linked", "01Y"); err != nil || !kept || !slices.Equal(moves, want) {
				t.Errorf("%s, %s, linked: %v %v %v", at, format, moves, kept, err)
			}
			if moves, kept, err := repo.MovesSince(ctx, ".", "01Z"); err != nil || !kept || moves != nil {
				t.Errorf("%s, %s, no such: %v %v %v", at, format, moves, kept, err)
			}
			if head := ok(repo.HeadOf(ctx, "worktrees/linked"))(t); head != side {
				t.Errorf("%s, %s: HEAD of the linked worktree is %s", at, format, head)
			}
		}
	}
	if dir := s.open("linked").WorktreeDir(); dir != "worktrees/linked" || r.WorktreeDir() != "." {
		t.Errorf("called %s and %s", dir, r.WorktreeDir())
	}
	if !r.HasWorktree("worktrees/linked") || r.HasWorktree("worktrees/gone") {
		t.Error("worktrees that are there, or not")
	}
	s.Git("r", "config", "core.logAllRefUpdates", "false")
	must(t, os.RemoveAll(s.Path("r/.git/logs")))
	if moves, kept, err := r.MovesSince(ctx, ".", "01X"); err != nil || kept || moves != nil {
		t.Errorf("no reflog: %v %v %v", moves, kept, err)
	}
}
