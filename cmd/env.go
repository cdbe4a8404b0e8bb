package cmd

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/git-context/git-context/refs"
	"github.com/git-context/git-context/refs/prose"
	"github.com/git-context/git-context/render"
)

// Env is the environment of a command: streams, clock, directory and environment
// variables. Only Main connects it with those of the process; the package uses nothing
// of the process besides.
type Env struct {
	In       io.Reader
	Out, Err io.Writer
	Dir      string   // where to look for the repository; "" is the process's directory
	Environ  []string // KEY=value, the last of a key wins
	Now      func() time.Time
	Term     Terminal

	// Program is the path of this program, which it runs to start itself in the background;
	// "": it never does.
	Program string

	// Interruptible returns a context that ends with the signals that would end the process,
	// such as ^C; nil: these signals end the process.
	Interruptible func(context.Context) (context.Context, context.CancelFunc)

	trace    io.Writer // GIT_CONTEXT_TRACE; nil: none
	quiet    bool      // print nothing but errors
	startDir *string   // Dir before -C; nil without -C
}

// Terminal describes the standard streams.
type Terminal struct {
	In    bool // standard input is a terminal
	Out   bool // the output is a terminal
	Width int  // its columns; 0: unknown
	Err   bool // standard error is a terminal
}

// getenv returns an environment variable, "" when it is not set.
func (e *Env) getenv(key string) string {
	for i := len(e.Environ) - 1; i >= 0; i-- {
		if value, ok := strings.CutPrefix(e.Environ[i], key+"="); ok {
			return value
		}
	}
	return ""
}

// in returns the environment after -C dirs, each relative to the one before, as in git.
func (e *Env) in(dirs []string) *Env {
	inner := *e
	inner.startDir = &e.Dir
	for _, d := range dirs {
		inner.Dir = inner.path(d)
	}
	return &inner
}

func (e *Env) path(name string) string {
	if filepath.IsAbs(name) || e.Dir == "" {
		return name
	}
	return filepath.Join(e.Dir, name)
}

// readText returns the content of a file that a flag names; "-" is standard input.
func (e *Env) readText(name string) (string, error) {
	if name == "-" {
		data, err := io.ReadAll(e.In)
		if err != nil {
			return "", fmt.Errorf("cannot read standard input: %w", err)
		}
		return string(data), nil
	}
	data, err := os.ReadFile(e.path(name))
	if err != nil {
		return "", fmt.Errorf("cannot read '%s': %w", name, cause(err))
	}
	return string(data), nil
}

// cause removes the operation and path that package os puts before the reason: the
// message already names them.
func cause(err error) error {
	var p *os.PathError
	if errors.As(err, &p) {
		return p.Err
	}
	return err
}

// warn prints a warning beside the result.
func (e *Env) warn(format string, args ...any) {
	e.tellMore("warning: ", fmt.Sprintf(format, args...))
}

func (e *Env) warnAll(warnings []string) {
	for _, w := range warnings {
		e.warn("%s", w)
	}
}

// noteAll prints what the command did besides its task.
func (e *Env) noteAll(notes []string) {
	for _, n := range notes {
		e.tellMore("note: ", n)
	}
}

// noteMerges prints which of some branches have a merge that waits for its conflicts to be resolved.
func (e *Env) noteMerges(s *refs.Store, branches ...string) {
	for _, b := range branches {
		switch n, err := render.WaitingMerge(s, b); {
		case err != nil:
			e.warn("%v", err)
		case n != nil:
			e.tellMore("note: ", n.Text+": "+n.Command+" --into "+b)
		}
	}
}

func (e *Env) hint(format string, args ...any) {
	e.tellMore("hint: ", fmt.Sprintf(format, args...))
}

// advice appends a hint to those that follow the result, unless the setting of that key turns it off.
func (e *Env) advice(ctx context.Context, s *refs.Store, to *[]string, key, format string, args ...any) {
	config, err := s.Repo().Config(ctx)
	wanted := true
	if err == nil {
		wanted, err = config.Bool(key, true)
	}
	if err != nil {
		e.warn("%v", err)
	}
	if wanted {
		*to = append(*to, fmt.Sprintf(format, args...))
	}
}

func (e *Env) hintAll(hints []string) {
	for _, h := range hints {
		e.hint("%s", h)
	}
}

// tellMore says what is neither a result nor an error.
func (e *Env) tellMore(prefix, message string) {
	if !e.quiet {
		e.say(prefix, message)
	}
}

// say writes one message to standard error, each of its lines behind prefix.
// Messages quote names and texts of other people, so say makes them safe to show, and URLs,
// whose passwords it hides.
func (e *Env) say(prefix, message string) {
	var b strings.Builder
	message = prose.HidePasswords(message)
	for line := range strings.SplitSeq(strings.TrimRight(message, "\n"), "\n") {
		b.WriteString(prefix + render.Safe(line) + "\n")
	}
	// No stream is left to report a failure of standard error on.
	_, _ = io.WriteString(e.Err, b.String())
}

// openTrace reads GIT_CONTEXT_TRACE as git reads GIT_TRACE: "1" (or "2",
// "true") is standard error, an absolute path is a file to append to, and
// nothing (or "0", "false") is no trace.
func openTrace(env *Env) (w io.Writer, closer func(), err error) {
	none := func() {}
	switch value := env.getenv("GIT_CONTEXT_TRACE"); {
	case value == "" || value == "0" || value == "false":
		return nil, none, nil
	case value == "1" || value == "2" || value == "true":
		return env.Err, none, nil
	case !filepath.IsAbs(value):
		return nil, none, usagef("GIT_CONTEXT_TRACE is '%s'; give 1 or an absolute path", value)
	default:
		f, err := os.OpenFile(value, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o666)
		if err != nil {
			return nil, none, fmt.Errorf("cannot open the trace '%s': %w", value, cause(err))
		}
		// A trace that loses lines at close must not fail the command.
		return f, func() { _ = f.Close() }, nil
	}
}
