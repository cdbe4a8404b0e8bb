package git

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/git-context/git-context/refs/git/disk"
	"github.com/git-context/git-context/refs/git/process"
)

// command is one child to run to its end.
type command struct {
	path  string // of git
	dir   string
	env   []string
	args  []string
	stdin []byte    // nil: the null device
	input io.Reader // if not nil, is standard input instead
	said  *tail     // if not nil, gets standard error

	limit  time.Duration // without a deadline of the caller's; 0: childTimeout
	silent bool          // must have no terminal to ask on
	also   io.Writer     // if not nil, gets standard error too, as it comes
	out    io.Writer     // if not nil, gets standard output as it comes, and the caller none
}

// Run runs a plumbing command in the worktree's top directory (in the git
// directory if there is none) and returns its standard output. Its standard
// input is empty. A caller without a deadline gets one of two minutes. A child
// that fails is an *Error; what it printed is returned with it.
func (r *Repo) Run(ctx context.Context, args ...string) ([]byte, error) {
	return r.RunInput(ctx, nil, args...)
}

// RunInput is Run with something on standard input.
func (r *Repo) RunInput(ctx context.Context, stdin []byte, args ...string) ([]byte, error) {
	return r.start(ctx, command{env: r.childEnv, args: args, stdin: stdin})
}

// RunEnv is RunInput with more environment, as "key=value".
func (r *Repo) RunEnv(ctx context.Context, env []string, stdin []byte, args ...string) ([]byte, error) {
	full := append(r.childEnv[:len(r.childEnv):len(r.childEnv)], env...)
	return r.start(ctx, command{env: full, args: args, stdin: stdin})
}

// View runs a command that shows something (log, show, diff, grep) from the git
// directory as in a bare repository, so that neither the code's .gitattributes
// nor the user's and the system's attributes reach it, with log.showSignature
// off, UTF-8 out, a colon between a trailer's key and value, and no trailer taken for a comment. Settings that name a
// file of the worktree (diff.orderFile) or need one path (log.follow) are off too; so is log.mailmap, since the
// .mailmap of the code, which anybody may push, would show one person's words as another's. The caller adds
// --no-ext-diff and --no-textconv, and, since the repository's info/attributes
// may still call a document binary, --text.
func (r *Repo) View(ctx context.Context, args ...string) ([]byte, error) {
	return r.viewFrom(ctx, r.gitDir, args)
}

// viewFrom is View from another directory, which a setting may be relative to.
func (r *Repo) viewFrom(ctx context.Context, dir string, args []string) ([]byte, error) {
	return r.start(ctx, r.viewing(dir, args))
}

// viewing is the child of a view.
func (r *Repo) viewing(dir string, args []string) command {
	env := append(without(r.childEnv, "GIT_WORK_TREE"), "GIT_IMPLICIT_WORK_TREE=0", "GIT_ATTR_NOSYSTEM=1")
	full := append([]string{"-c", "core.bare=true", "-c", "core.attributesFile=" + os.DevNull,
		"-c", "log.showSignature=false", "-c", "trailer.separators=:", "-c", "core.commentChar=#",
		"-c", "diff.orderFile=" + os.DevNull, "-c", "log.follow=false", "-c", "log.mailmap=false"}, args...)
	return command{dir: dir, env: env, args: full}
}

// start completes a command and runs it.
func (r *Repo) start(ctx context.Context, c command) ([]byte, error) {
	path, err := r.gitPath(ctx)
	if err != nil {
		return nil, err
	}
	c.path = path
	if c.dir == "" {
		c.dir = r.runDir()
	}
	r.behind.wait()
	return r.spawn(ctx, c)
}

// runDir is where children run: a remote's relative path is read from there.
func (r *Repo) runDir() string {
	if r.workTree != "" {
		return r.workTree
	}
	return r.gitDir
}

// always returns the settings of every child. git then does not run the program that core.fsmonitor names, which any
// command does that reads the index: reading memory must not run what a downloaded .git/config names. And it prints
// UTF-8, which UTF-16 would turn even hashes into something else. git config reads none, and would list them as settings.
func (r *Repo) always(args []string) []string {
	if args[0] == "config" {
		return nil
	}
	settings := []string{"-c", "core.fsmonitor=false", "-c", utf8Out}
	if r.noGraph.Load() {
		settings = append(settings, "-c", "core.commitGraph=false")
	}
	return settings
}

const utf8Out = "i18n.logOutputEncoding=UTF-8"

// spawn runs a child to its end.
func (r *Repo) spawn(ctx context.Context, c command) ([]byte, error) {
	ctx, cancel := withTimeout(ctx, cmp.Or(c.limit, childTimeout))
	defer cancel()
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	defer r.watchPipes(stop)()
	cmd := exec.CommandContext(ctx, c.path, append(r.always(c.args), c.args...)...)
	cmd.Dir, cmd.Env = c.dir, c.env
	if c.silent {
		process.OwnSession(cmd)
	} else {
		process.OwnGroup(cmd)
	}
	cmd.Cancel = func() error { return process.StopGroup(cmd.Process) }
	cmd.WaitDelay = process.Grace
	var stdout bytes.Buffer
	stderr := c.said
	if stderr == nil {
		stderr = new(tail)
	}
	cmd.Stdout, cmd.Stderr = &stdout, stderr
	if c.out != nil {
		cmd.Stdout = c.out
		cmd.WaitDelay = 0 // the child may have ended long before its reader has read it all
	}
	if c.also != nil {
		cmd.Stderr = &tee{kept: stderr, shown: c.also}
	}
	switch {
	case c.input != nil:
		cmd.Stdin = c.input
	case c.stdin != nil:
		cmd.Stdin = bytes.NewReader(c.stdin)
	}
	begin := time.Now()
	err := cmd.Run()
	if ctx.Err() != nil && cmd.Process != nil {
		process.KillGroup(cmd.Process) // descendants that did not stop
	}
	r.trace.line(begin, c.args, cmd.ProcessState, err)
	if err != nil {
		return stdout.Bytes(), pipeFound(ctx, childError(ctx, c.args, stderr.String(), err))
	}
	return stdout.Bytes(), nil
}

// withTimeout gives ctx a deadline if it has none.
func withTimeout(ctx context.Context, d time.Duration) (context.Context, context.CancelFunc) {
	if _, ok := ctx.Deadline(); ok {
		return ctx, func() {}
	}
	return context.WithTimeout(ctx, d)
}

// errHeldOpen: the child succeeded, but what it printed may not be complete.
var errHeldOpen = errors.New("ended, but another process keeps its output open")

// childError makes an *Error of an error of os/exec.
func childError(ctx context.Context, args []string, stderr string, err error) error {
	e := &Error{Args: args, Code: -1, Stderr: stderr}
	var exit *exec.ExitError
	switch {
	case ctx.Err() != nil:
		e.Err = ctx.Err()
	case errors.As(err, &exit) && exit.Exited():
		e.Code = exit.ExitCode()
	case errors.Is(err, exec.ErrWaitDelay):
		e.Err = errHeldOpen
	default:
		e.Err = err
	}
	return e
}

// ExitCode returns the exit code in an error that is or wraps an [*Error]; -1 where there is
// none, or the child was killed or could not be started.
func ExitCode(err error) int {
	var e *Error
	if errors.As(err, &e) {
		return e.Code
	}
	return -1
}

// tail keeps the end of what is written to it: a child may complain without end.
type tail struct {
	mu  sync.Mutex
	buf []byte
}

const tailLimit = 64 << 10

func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.buf = append(t.buf, p...)
	if over := len(t.buf) - tailLimit; over > tailLimit {
		t.buf = append(t.buf[:0], t.buf[over:]...)
	}
	return len(p), nil
}

func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return string(t.buf[max(0, len(t.buf)-tailLimit):])
}

// tee keeps what is written to it and also shows it. A reader that closes (a terminal)
// does not stop the child.
type tee struct {
	kept   *tail
	shown  io.Writer
	closed bool
}

func (t *tee) Write(p []byte) (int, error) {
	if !t.closed {
		_, err := t.shown.Write(p)
		t.closed = err != nil
	}
	return t.kept.Write(p)
}

// tracer writes a line per child.
type tracer struct {
	mu sync.Mutex
	w  io.Writer
}

// line reports a child that ended. A failing trace stops nothing.
func (t *tracer) line(begin time.Time, args []string, state *os.ProcessState, err error) {
	if t.w == nil {
		return
	}
	took := float64(time.Since(begin).Microseconds()) / 1000
	how := state.String()
	if state == nil {
		how = fmt.Sprint(err)
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	fmt.Fprintf(t.w, "%s git-context: %.1f ms (%s): git %s\n",
		begin.Format("15:04:05.000000"), took, how, strings.Join(quoteArgs(args), " "))
}

// quoteArgs makes a line of arguments that can be read, and mostly pasted.
func quoteArgs(args []string) []string {
	quoted := make([]string, len(args))
	for i, arg := range args {
		if arg == "" || strings.ContainsAny(arg, " \t\r\n\x00\x1b\"'\\$`*?") {
			arg = strconv.Quote(arg)
		}
		quoted[i] = arg
	}
	return quoted
}

// ErrEnough is returned by a writer of [Repo.ViewTo] that wants no more of a view.
var ErrEnough = errors.New("enough")

// ViewTo is [Repo.View] for output that may be large or is not wanted whole: it is written
// to w as it comes. stdin is the child's standard input, nil for none. An error of w ends
// the child and is returned, except [ErrEnough], which is no failure. A caller without a
// deadline gets one of a day: a reader may leave a pager open.
func (r *Repo) ViewTo(ctx context.Context, w io.Writer, stdin []byte, args ...string) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	out := &until{w: w, failed: cancel}
	c := r.viewing(r.gitDir, args)
	c.out, c.stdin, c.limit = out, stdin, readerTimeout
	_, err := r.start(ctx, c)
	if out.err == nil {
		return err
	}
	if errors.Is(out.err, ErrEnough) {
		return nil
	}
	return out.err
}

// until keeps a writer's first error and ends the child at once: the child would notice a
// closed pipe only at its next write.
type until struct {
	w      io.Writer
	failed func()
	err    error
}

func (u *until) Write(p []byte) (int, error) {
	if u.err != nil {
		return 0, u.err
	}
	n, err := u.w.Write(p)
	if err != nil {
		u.err = err
		u.failed()
	}
	return n, err
}

// LineOptions are the options of [Repo.EachLine].
type LineOptions struct {
	Env      []string  // more environment, as "key=value"; a later value counts
	Input    io.Reader // standard input; nil: empty
	Progress io.Writer // if not nil, gets standard error as it comes
}

// EachLine runs a plumbing command as [Repo.Run] does and hands each line of its
// standard output to each, without the newline, as it comes; line is valid until each
// returns. It ends at the first error of each, and returns that. A last line without a
// newline is an error: the output was cut short. A caller without a deadline gets one of
// an hour.
func (r *Repo) EachLine(ctx context.Context, o LineOptions, each func(line []byte) error, args ...string) error {
	out := &lineWriter{each: each}
	c := command{args: args, input: o.Input, also: o.Progress, limit: walkTimeout, out: out}
	c.env = append(r.childEnv[:len(r.childEnv):len(r.childEnv)], o.Env...)
	_, err := r.start(ctx, c)
	if out.err != nil {
		return out.err
	}
	if err == nil && len(out.rest) > 0 {
		err = fmt.Errorf("git %s: its last line is cut short", args[0])
	}
	return err
}

// lineWriter hands on what is written to it, line by line, up to the first error.
type lineWriter struct {
	each func(line []byte) error
	rest []byte // a line without its end
	err  error
}

func (l *lineWriter) Write(data []byte) (int, error) {
	n := len(data)
	if l.err != nil {
		return 0, l.err
	}
	for {
		line, after, whole := bytes.Cut(data, []byte("\n"))
		if !whole {
			l.rest = append(l.rest, data...)
			return n, nil
		}
		if len(l.rest) > 0 {
			line = append(l.rest, line...)
			l.rest = nil
		}
		if l.err = l.each(line); l.err != nil {
			return 0, l.err
		}
		data = after
	}
}

// UserOptions are the options of [Repo.RunUser].
type UserOptions struct {
	// Action begins the reason in the reflogs, before git's own words
	// (GIT_REFLOG_ACTION).
	Action string
	// Input is standard input; nil: it is empty.
	Input []byte
	// Out and Err get what git and its hooks print, as it comes; nil: dropped. A file
	// is handed on as it is: the child goes on writing should this process be killed.
	Out, Err io.Writer
	// Terminal: git and its hooks may ask a person on it.
	Terminal bool
	// Keep are locked files that the child keeps open too, as TxOptions.Keep. What it
	// starts inherits them; to release a lock releases it for them all.
	Keep []*os.File
}

// RunUser runs a git command that changes the code, as the user would have run it: in the
// directory and with the environment that were given to Open, so that GIT_DIR,
// GIT_INDEX_FILE, GIT_AUTHOR_*, settings, hooks, signatures and editors are the user's.
// Only our own hooks are off (GIT_CONTEXT_HOOKS=0): the caller does their work.
//
// It has no deadline, because hooks may run long. Options.Interruptible ends it early; the
// error is then the context's cause. Without a terminal it is in a process group of its
// own, and its descendants are stopped with it. With one it stays in ours: a group of its
// own could not read from the terminal, whose ^C reaches it by itself. A child that fails
// is an *Error, which does not repeat what it printed.
func (r *Repo) RunUser(ctx context.Context, o UserOptions, args ...string) error {
	path, err := r.gitPath(ctx)
	if err != nil {
		return err
	}
	waiting, done := r.interruptible(ctx)
	defer done()
	cmd := exec.CommandContext(waiting, path, args...)
	cmd.Dir, cmd.Stdout, cmd.Stderr = r.dir, o.Out, o.Err
	cmd.Env = append(r.env[:len(r.env):len(r.env)], "GIT_CONTEXT_HOOKS=0", "GIT_REFLOG_ACTION="+o.Action)
	process.KeepFiles(cmd, o.Keep)
	if o.Input != nil {
		in, err := r.spool(o.Input)
		if err != nil {
			return err
		}
		defer os.Remove(in.Name()) // of effect only where an open file cannot be removed
		defer in.Close()
		cmd.Stdin = in
	}
	begin := time.Now()
	if o.Terminal {
		cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
		cmd.WaitDelay = process.Grace
		if err = cmd.Run(); err != nil && cmd.ProcessState != nil && cmd.ProcessState.ExitCode() < 0 {
			// A terminal's ^C ended it, and is about to reach us too.
			select {
			case <-waiting.Done():
			case <-time.After(signalGrace):
			}
		}
	} else {
		err = process.Run(waiting, cmd)
	}
	r.trace.line(begin, args, cmd.ProcessState, err)
	switch {
	case err == nil:
		return nil
	case waiting.Err() != nil:
		return context.Cause(waiting)
	}
	return childError(ctx, args, "", err)
}

// spool writes a text into a file without a name and opens it for reading. A pipe would
// give the child half a text if this process were killed.
func (r *Repo) spool(text []byte) (*os.File, error) {
	f, err := disk.CreateTemp(r.StateDir(), disk.TempPrefix, 0o600)
	if err != nil {
		return nil, err
	}
	_, err = f.Write(text)
	if err1 := f.Close(); err == nil {
		err = err1
	}
	var in *os.File
	if err == nil {
		in, err = os.Open(f.Name())
	}
	_ = os.Remove(f.Name()) // an open file not everywhere; the caller tries again
	return in, err
}

// StartBehind starts a program that goes on when this process has ended: in a session of
// its own, with no terminal, no output and no open file of ours, and so with none of our
// locks. args begin with its name. It sees the repository that was found. Its result is
// not known here.
func (r *Repo) StartBehind(path string, args ...string) error {
	cmd := exec.Command(path)
	cmd.Args, cmd.Dir, cmd.Env = args, r.gitDir, r.childEnv
	process.OwnSession(cmd)
	if err := cmd.Start(); err != nil {
		return err
	}
	go func() { _ = cmd.Wait() }()
	return nil
}
