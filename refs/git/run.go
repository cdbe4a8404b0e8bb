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
// off, UTF-8 out, and a colon between a trailer's key and value. Settings that name a
// file of the worktree (diff.orderFile) or need one path (log.follow) are off too. The caller adds
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
		"-c", "log.showSignature=false", "-c", "i18n.logOutputEncoding=UTF-8", "-c", "trailer.separators=:",
		"-c", "diff.orderFile=" + os.DevNull, "-c", "log.follow=false"}, args...)
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
	return r.spawn(ctx, c)
}

// runDir is where children run: a remote's relative path is read from there.
func (r *Repo) runDir() string {
	if r.workTree != "" {
		return r.workTree
	}
	return r.gitDir
}

// spawn runs a child to its end.
func (r *Repo) spawn(ctx context.Context, c command) ([]byte, error) {
	ctx, cancel := withTimeout(ctx, cmp.Or(c.limit, childTimeout))
	defer cancel()
	cmd := exec.CommandContext(ctx, c.path, c.args...)
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
		return stdout.Bytes(), childError(ctx, c.args, stderr.String(), err)
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

// childError makes an *Error of what os/exec says.
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

// tee keeps what it is given and shows it too. Whoever cannot be shown more (a
// closed terminal) does not stop the child.
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
