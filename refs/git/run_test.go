package git

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/git-context/git-context/internal/gittest"
	"github.com/git-context/git-context/refs/git/process"
)

func TestRun(t *testing.T) {
	gittest.NeedSHA1(t)
	s, r := newRepo(t)
	ctx := t.Context()
	var failed *Error
	out, err := r.Run(ctx, "-c", "x.y=z", "rev-parse", "--verify", "nothing")
	if !errors.As(err, &failed) || failed.Code != 128 || failed.Err != nil || len(out) != 0 || err.Error() != "git rev-parse: Needed a single revision" {
		t.Errorf("%v: %+v", err, failed)
	}
	if out := ok(r.RunInput(ctx, []byte("in"), "hash-object", "--stdin"))(t); len(out) != 41 {
		t.Errorf("%q", out)
	}
	// Without input there is none, whatever ours is.
	if out := ok(r.Run(ctx, "hash-object", "--stdin"))(t); !strings.HasPrefix(string(out), "e69de29") {
		t.Errorf("%q", out)
	}
	s.Git("r", "config", "alias.env", "!env")
	hook := s.open("r", "GIT_INDEX_FILE=x", "GIT_PREFIX=sub/", "GIT_EDITOR=vi", "LC_ALL=de_DE.UTF-8", "GIT_CONFIG=y", "KEPT=1")
	env := string(ok(hook.RunEnv(ctx, []string{"MORE=2"}, nil, "env"))(t))
	for _, want := range []string{"LC_ALL=C\n", "GIT_OPTIONAL_LOCKS=0\n", "GIT_TERMINAL_PROMPT=0\n", "GIT_NO_REPLACE_OBJECTS=1\n",
		"GIT_EDITOR=:\n", "KEPT=1\n", "MORE=2\n", "GIT_COMMITTER_NAME=A Committer\n", "GIT_DIR=" + r.GitDir() + "\n"} {
		if !strings.Contains(env, want) {
			t.Errorf("no %q in a child's environment", want)
		}
	}
	for _, not := range []string{"GIT_INDEX_FILE", "GIT_AUTHOR_", "GIT_CONFIG=", "GIT_PREFIX=sub", "vi\n", "de_DE"} {
		if strings.Contains(env, not) {
			t.Errorf("%q in a child's environment", not)
		}
	}
}

// A child and what it started end with ctx.
func TestRunStops(t *testing.T) {
	s, r := newRepo(t)
	s.Git("r", "config", "alias.slow", "!echo $$ >pid; trap '' TERM; sleep 600 & wait; sleep 600")
	pid := func() string { // "" until it is written
		text, _ := os.ReadFile(s.Path("r/pid"))
		return strings.TrimSpace(string(text))
	}
	ctx, begin := gittest.NewDeadline(t), time.Time{}
	go func() {
		gittest.Wait(t, "the child", func() bool { return pid() != "" })
		begin = time.Now()
		ctx.Come()
	}()
	_, err := r.Run(ctx, "slow")
	wantErr(t, err, context.DeadlineExceeded, "git slow")
	if took := time.Since(begin); took > 10*process.Grace {
		t.Errorf("took %v", took)
	}
	gittest.Wait(t, "the end of descendant "+pid(), func() bool {
		state, err := os.ReadFile("/proc/" + pid() + "/stat")
		return err != nil || strings.Contains(string(state), ") Z ")
	})
}

func TestTrace(t *testing.T) {
	s, _ := newRepo(t)
	var trace strings.Builder
	r := ok(Open(t.Context(), Options{Dir: s.Path("r"), Env: s.Env, Trace: &trace}))(t)
	_, _ = r.Run(t.Context(), "rev-parse", "--verify", "a b")
	_ = ok(r.Peel(t.Context(), string(commit(t, r, "x"))))(t)
	must(t, r.Close())
	for _, want := range []string{"(exit status 128): git rev-parse --verify \"a b\"\n", "(exit status 0): git cat-file --batch-command\n"} {
		if !strings.Contains(trace.String(), want) {
			t.Errorf("no %q in\n%s", want, trace.String())
		}
	}
}

// Neither the code's attributes nor the user's settings reach a view.
func TestView(t *testing.T) {
	s, r := newRepo(t)
	ctx := t.Context()
	s.Write("r/.gitattributes", "*.md -diff merge=binary\n")
	s.Git("r", "add", ".gitattributes")
	s.Git("r", "commit", "-qm", "attributes")
	s.Write("home/attributes", "*.md -diff\n")
	for _, kv := range [][2]string{{"core.attributesFile", s.Path("home/attributes")}, {"log.showSignature", "true"},
		{"i18n.logOutputEncoding", "latin1"}, {"diff.external", "false"}, {"core.pager", "false"}} {
		s.Git("", "config", "--global", kv[0], kv[1])
	}
	s.Git("r", "worktree", "add", "-q", "../w")
	one := commit(t, r, "öne\n")
	two := commit(t, r, "twö\n", one)
	for _, r := range []*Repo{s.open("r"), s.open("w")} {
		diff := string(ok(r.View(ctx, "diff", "--no-ext-diff", "--no-textconv", string(one), string(two)))(t))
		if !strings.Contains(diff, "-öne\n+twö\n") {
			t.Errorf("diff: %s", diff)
		}
		s.Git("", "config", "--global", "i18n.logOutputEncoding", "UTF-16")
		if list := string(ok(r.Run(ctx, "rev-list", "-1", string(two)))(t)); list != string(two)+"\n" {
			t.Errorf("rev-list: %q", list)
		}
		if log := string(ok(r.View(ctx, "log", "-1", "--format=%s", string(two)))(t)); log != "twö\n" {
			t.Errorf("log: %q", log)
		}
	}
}

func TestErrorText(t *testing.T) {
	for want, e := range map[string]*Error{
		"git log: bad revision":         {Args: []string{"-c", "a=b", "log"}, Code: 128, Stderr: "warning: x\nfatal: bad revision\nhint: y\n"},
		"git log: exit status 3":        {Args: []string{"log"}, Code: 3},
		"git: said so":                  {Code: 1, Stderr: "said so\nand more\n"},
		"git gc: bad: context canceled": {Args: []string{"gc"}, Stderr: "error: bad", Err: context.Canceled},
		"git fetch: context canceled":   {Args: []string{"-C", "dir", "fetch"}, Err: context.Canceled},
	} {
		if got := e.Error(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// slow is a reader that takes longer than a child that has ended is waited for.
type slow struct {
	bytes.Buffer
	pause time.Duration
}

func (s *slow) Write(p []byte) (int, error) {
	time.Sleep(s.pause)
	s.pause = 0
	return s.Buffer.Write(p)
}

func TestViewTo(t *testing.T) {
	t.Parallel()
	_, r := newRepo(t)
	id, err := r.WriteBlob(t.Context(), []byte(strings.Repeat("line\n", 1000)))
	if err != nil {
		t.Fatal(err)
	}
	var out slow
	out.pause = process.Grace + 200*time.Millisecond
	if err := r.ViewTo(t.Context(), &out, nil, "cat-file", "blob", string(id)); err != nil {
		t.Fatal(err)
	}
	if out.Len() != 5000 {
		t.Errorf("%d bytes came", out.Len())
	}
	out.Reset()
	if err := r.ViewTo(t.Context(), &out, []byte("one\n"), "stripspace"); err != nil || out.String() != "one\n" {
		t.Errorf("%q, %v", out.String(), err)
	}
	var failed *Error
	if err := r.ViewTo(t.Context(), &out, nil, "log", "--no-such"); !errors.As(err, &failed) {
		t.Errorf("a failing child: %v", err)
	}
}

// full is a writer that takes nothing.
type full struct{ err error }

func (f full) Write([]byte) (int, error) { return 0, f.err }

func TestViewToEnds(t *testing.T) {
	t.Parallel()
	_, r := newRepo(t)
	broken := errors.New("nobody reads")
	for _, c := range []struct{ says, want error }{
		{ErrEnough, nil},
		{fmt.Errorf("ten: %w", ErrEnough), nil},
		{broken, broken},
	} {
		// It says more than a pipe holds.
		in := []byte(strings.Repeat("line\n", 1<<20))
		if err := r.ViewTo(t.Context(), full{c.says}, in, "stripspace"); !errors.Is(err, c.want) {
			t.Errorf("%v: %v", c.says, err)
		}
	}
}

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
		s.hookOf("r", "pre-commit", "touch begun; exec sleep 600")
		why := errors.New("a signal")
		r, err := Open(t.Context(), Options{Dir: s.Path("r"), Env: s.Env,
			Interruptible: func(ctx context.Context) (context.Context, context.CancelFunc) {
				ctx, cancel := context.WithCancelCause(ctx)
				go func() {
					gittest.Wait(t, "the hook", func() bool { return s.Exists("r/begun") })
					cancel(why)
				}()
				return ctx, func() { cancel(nil) }
			}})
		must(t, err)
		begin := time.Now()
		if err := r.RunUser(t.Context(), UserOptions{Terminal: terminal}, "commit", "-m", "x"); !errors.Is(err, why) {
			t.Errorf("terminal %v: %v", terminal, err)
		}
		if took := time.Since(begin); took > gittest.Patience {
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
	gittest.NeedRefFiles(t)
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
